"""What can be said about an exercise without building it: is everything there, and nothing else?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

from console import LabError
from exercise_files import Exercise, files_in
from exercise_hints import STRENGTHS, hints_of
from similarity import share, tokens
from stages import ROOT

LEAST_MUTANTS = 3
MOST_HIDDEN = 0.2
MOST_SIMILAR = 0.3

_PARTS = {"exercise.json", "README.md", "hints.md", "starter", "solution", "mutants", "tests"}
_TEST_CASE = re.compile(r'^TEST_CASE\("([^"]+)"', re.MULTILINE)


def complaints(exercise: Exercise) -> Iterator[str]:
    """What is wrong with its form, a line for each."""
    yield from _parts(exercise)
    yield from _tests(exercise)
    yield from _hints(exercise)
    yield from _solution(exercise)
    yield from _mutants(exercise)
    yield from _near(exercise)


def _parts(exercise: Exercise) -> Iterator[str]:
    for path in sorted(exercise.folder.iterdir()):
        if path.name not in _PARTS:
            yield f"stray: {path.name}"
    for name in sorted(_PARTS):
        if not (exercise.folder / name).exists():
            yield f"has no {name}"
    for name in exercise.edit:
        if not (exercise.starter / name).is_file():
            yield f"the starter has no {name}, which is to be edited"
    for program in exercise.programs:
        if program.stage and not (ROOT / "stages" / program.stage).is_dir():
            yield f"the program {program.name} is made of a stage that is not there"


def _tests(exercise: Exercise) -> Iterator[str]:
    written: list[str] = []
    for file in sorted((exercise.folder / "tests").glob("*.cpp")):
        written += _TEST_CASE.findall(file.read_text())
    told = [test.name for test in exercise.tests if not test.kept_back]
    for name in sorted(set(told) - set(written)):
        yield f"there is no TEST_CASE {name}"
    for name in sorted(set(written) - set(told)):
        yield f"exercise.json does not tell of the test {name}"
    if len(set(told)) != len(told):
        yield "a test is told of twice"
    hidden = sum(test.points for test in exercise.tests if test.hidden)
    if hidden > MOST_HIDDEN * exercise.points:
        yield f"{hidden} of {exercise.points} points are hidden; at most a fifth may be"
    for name in exercise.starter_passes:
        if name not in told:
            yield f"starter_passes names {name}, which is no test"
    readme = (exercise.folder / "README.md").read_text()
    for name in told:
        if name not in readme:
            yield f"README.md does not tell of {name}"


def _hints(exercise: Exercise) -> Iterator[str]:
    try:
        hints = hints_of(exercise)
    except LabError as error:
        yield str(error)
        return
    for test in exercise.tests:
        if len(hints.get(test.name, [])) != len(STRENGTHS):
            yield f"{test.name} must have {len(STRENGTHS)} hints"
    for name in hints:
        if name not in [test.name for test in exercise.tests]:
            yield f"there are hints for {name}, which is no test"


def _solution(exercise: Exercise) -> Iterator[str]:
    if exercise.solution.is_dir() and files_in(exercise.solution) != sorted(exercise.edit):
        yield "solution/ must have the edited files and nothing else"


def _mutants(exercise: Exercise) -> Iterator[str]:
    wrongs = exercise.wrongs()
    if len(wrongs) < LEAST_MUTANTS:
        yield f"has {len(wrongs)} mutants; {LEAST_MUTANTS} are needed"
    for path in sorted((exercise.folder / "mutants").glob("*")):
        if not (path / "mutant.json").is_file():
            yield f"mutants/{path.name} has no mutant.json"
    for wrong in wrongs:
        if wrong.test not in [test.name for test in exercise.tests]:
            yield f"mutants/{wrong.name} names {wrong.test}, which is no test"
        changed = [name for name in files_in(wrong.folder) if name != "mutant.json"]
        if not changed:
            yield f"mutants/{wrong.name} changes nothing"
        for name in changed:
            if name not in exercise.edit:
                yield f"mutants/{wrong.name}/{name} is not a file that is edited"
            elif _text(wrong.folder / name) == _text(exercise.solution / name):
                yield f"mutants/{wrong.name}/{name} is as in the solution"


def _near(exercise: Exercise) -> Iterator[str]:
    missing = [name for name in exercise.near if not (ROOT / name).is_file()]
    for name in missing:
        yield f"near: there is no {name}"
    if not missing:
        similar = similarity_of(exercise)
        if similar > MOST_SIMILAR:
            yield f"{similar:.0%} of what is new in the solution stands in the files of `near`"


def similarity_of(exercise: Exercise) -> float:
    """How much of what the solution adds to the starter stands in the files named by `near`."""
    solution = _tokens(exercise.solution / name for name in exercise.edit)
    starter = _tokens(exercise.starter / name for name in files_in(exercise.starter))
    return share(solution, _tokens(ROOT / name for name in exercise.near), starter)


def _tokens(files: Iterator[Path]) -> list[str]:
    found: list[str] = []
    for file in files:
        found += tokens(_text(file))
    return found


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""
