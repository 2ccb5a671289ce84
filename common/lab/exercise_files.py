"""The exercises there are, as the files of exercises/NN-name describe them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from console import LabError, UsageError
from stages import ROOT

FOLDER = ROOT / "exercises"
WORK = ROOT / "work"

KINDS = ("build", "change", "find the bug", "write the test", "measure", "explain")
LAYERS = ("base", "net", "http", "web", "runtime", "app")
# What one test may take, unless exercise.json says otherwise. Nothing that is right comes near it.
TEST_SECONDS = 20

_NAME = re.compile(r"\d\d-[a-z0-9]+(-[a-z0-9]+)*")
_TEST = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KEYS = {
    "title", "stage", "kind", "minutes", "required", "outcomes", "edit", "near", "compile", "uses",
    "programs", "starter_passes", "concurrent", "seconds", "tests",
}  # fmt: skip


@dataclass(frozen=True)
class ExerciseTest:
    """One test case, and what it is worth."""

    name: str
    points: int
    requirement: str
    hidden: bool
    kept_back: bool = False  # hidden, and this is a handout: the test is not here


@dataclass(frozen=True)
class Program:
    """A program that the tests start: a stage with some files replaced, or files by themselves."""

    name: str
    stage: str  # empty: only the overlay's files
    overlay: str  # "submission", a folder in that of the exercise, or empty


@dataclass(frozen=True)
class Wrong:
    """A wrong solution, and the test that must find it out."""

    name: str
    folder: Path
    what: str
    test: str


@dataclass(frozen=True)
class Exercise:
    """One exercise. exercises/README.md says what the fields mean."""

    name: str
    folder: Path
    title: str
    stage: str
    kind: str
    minutes: int
    required: bool
    outcomes: Sequence[str]
    edit: Sequence[str]
    near: Sequence[str]
    compile: Sequence[str]
    uses: Sequence[str]
    programs: Sequence[Program]
    starter_passes: Sequence[str]
    concurrent: bool
    seconds: int
    tests: Sequence[ExerciseTest]

    @property
    def number(self) -> str:
        """`01`"""
        return self.name[:2]

    @property
    def starter(self) -> Path:
        """What students begin with."""
        return self.folder / "starter"

    @property
    def solution(self) -> Path:
        """The edited files as they could be; a handout has none."""
        return self.folder / "solution"

    @property
    def work(self) -> Path:
        """Where the student works."""
        return WORK / self.name

    @property
    def points(self) -> int:
        """What all tests together are worth."""
        return sum(test.points for test in self.tests)

    def test(self, name: str) -> ExerciseTest:
        """The test of this name, or the only one whose name has it as a part."""
        found = [test for test in self.tests if test.name == name]
        found = found or [test for test in self.tests if name in test.name]
        if len(found) != 1:
            names = ", ".join(test.name for test in self.tests)
            raise UsageError(f"{self.name} has no test '{name}'; there are: {names}")
        return found[0]

    def fixed(self) -> list[str]:
        """The files of the starter that are not the student's to edit."""
        return [name for name in files_in(self.starter) if name not in self.edit]

    def wrongs(self) -> list[Wrong]:
        """Its wrong solutions; a handout has none."""
        found = []
        for file in sorted((self.folder / "mutants").glob("*/mutant.json")):
            told = _read_json(file)
            found.append(
                Wrong(file.parent.name, file.parent, _text(told, "what", file),
                      _text(told, "test", file))
            )  # fmt: skip
        return found


def files_in(folder: Path) -> list[str]:
    """The names of all files under a folder, relative to it, in order."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def all_exercises(folder: Path = FOLDER) -> list[Exercise]:
    """Every exercise, in order."""
    files = sorted(folder.glob("[0-9][0-9]-*/exercise.json"))
    return [read_exercise(file) for file in files]


def find_exercise(text: str, exercises: Optional[Sequence[Exercise]] = None) -> Exercise:
    """The exercise that is meant by its name, its number (`01`, `1`) or a part of its name."""
    there = all_exercises() if exercises is None else exercises
    for exercise in there:
        if text == exercise.name or (text.isdecimal() and int(text) == int(exercise.number)):
            return exercise
    parts = [exercise for exercise in there if text and text in exercise.name]
    if len(parts) == 1:
        return parts[0]
    names = ", ".join(exercise.name for exercise in there) or "none"
    raise UsageError(f"there is no exercise '{text}'; there are: {names}")


def read_exercise(file: Path) -> Exercise:
    """Reads and checks one exercise.json; says in one line what is wrong with it."""
    told = _read_json(file)
    unknown = sorted(set(told) - _KEYS)
    if unknown:
        raise LabError(f"{file}: nobody knows {', '.join(unknown)}")
    name = file.parent.name
    if not _NAME.fullmatch(name):
        raise LabError(f"{file.parent}: the name of an exercise is NN-name, in small letters")
    kind = _text(told, "kind", file)
    if kind not in KINDS:
        raise LabError(f"{file}: there is no kind '{kind}'; there are: {', '.join(KINDS)}")
    programs = _programs(told.get("programs", {}), file)
    edit = _texts(told, "edit", file)
    starter = file.parent / "starter"
    exercise = Exercise(
        name=name,
        folder=file.parent,
        title=_text(told, "title", file),
        stage=_text(told, "stage", file),
        kind=kind,
        minutes=_number(told, "minutes", file),
        required=bool(told.get("required", False)),
        outcomes=_texts(told, "outcomes", file),
        edit=edit,
        near=_texts(told, "near", file),
        compile=_compiled(told, file, edit, starter, programs),
        uses=_texts(told, "uses", file) if "uses" in told else [],
        programs=programs,
        starter_passes=_texts(told, "starter_passes", file) if "starter_passes" in told else [],
        concurrent=bool(told.get("concurrent", False)),
        seconds=_number(told, "seconds", file) if "seconds" in told else TEST_SECONDS,
        tests=_tests(told, file),
    )
    wrong = [layer for layer in exercise.uses if layer not in LAYERS]
    if wrong:
        raise LabError(f"{file}: uses {', '.join(wrong)}, but there are: {', '.join(LAYERS)}")
    return exercise


def _compiled(
    told: Mapping[str, Any],
    file: Path,
    edit: Sequence[str],
    starter: Path,
    programs: Sequence[Program],
) -> list[str]:
    """The files that are compiled into the test program: those named, or else all there are, unless
    they make a program of their own."""
    if "compile" in told:
        return _texts(told, "compile", file)
    if any(program.overlay == "submission" for program in programs):
        return []
    names = sorted({*edit, *files_in(starter)})
    return [name for name in names if name.endswith(".cpp")]


def _programs(told: Any, file: Path) -> list[Program]:
    programs = []
    for name, fields in told.items():
        program = Program(name, fields.get("stage", ""), fields.get("overlay", ""))
        if not program.stage and not program.overlay:
            raise LabError(f"{file}: the program {name} is made of nothing")
        programs.append(program)
    return programs


def _tests(told: Mapping[str, Any], file: Path) -> list[ExerciseTest]:
    tests = []
    for fields in told.get("tests", []):
        name = _text(fields, "name", file)
        if not _TEST.fullmatch(name):
            raise LabError(f"{file}: the name of a test is one word, not '{name}'")
        tests.append(
            ExerciseTest(
                name,
                _number(fields, "points", file),
                _text(fields, "requirement", file),
                bool(fields.get("hidden", False)),
                bool(fields.get("kept_back", False)),
            )
        )
    if not tests:
        raise LabError(f"{file}: has no tests")
    return tests


def _read_json(file: Path) -> dict[str, Any]:
    try:
        told = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise LabError(f"{file}: {error}") from error
    if not isinstance(told, dict):
        raise LabError(f"{file}: is not an object")
    return told


def _text(told: Mapping[str, Any], key: str, file: Path) -> str:
    value = told.get(key)
    if not isinstance(value, str) or not value:
        raise LabError(f"{file}: '{key}' must be a text")
    return value


def _texts(told: Mapping[str, Any], key: str, file: Path) -> list[str]:
    value = told.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise LabError(f"{file}: '{key}' must be a list of texts")
    return value


def _number(told: Mapping[str, Any], key: str, file: Path) -> int:
    value = told.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise LabError(f"{file}: '{key}' must be a number from 1 on")
    return value
