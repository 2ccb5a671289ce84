"""The student's verbs that deal with files: reset, diff, progress, submit."""

from __future__ import annotations

import argparse
import difflib
import gzip
import hashlib
import io
import json
import shutil
import tarfile
import time
from pathlib import Path
from typing import Optional, Sequence

import student_state
from console import LabError, say
from exercise_build import work_of
from exercise_check import check, fair
from exercise_files import WORK, Exercise, all_exercises, find_exercise
from exercise_origin import origin
from exercise_report import coloured
from student import changed_files, chosen_exercise, note_result, shown, started, state_text

BACKUPS = WORK / ".backups"
SUBMISSION = WORK / "submission.tar.gz"
_BAR_CELLS = 30


def reset_main(arguments: list[str]) -> int:
    """`lab reset [NN] [--json]`"""
    parser = argparse.ArgumentParser("lab reset", allow_abbrev=False)
    parser.add_argument("exercise", nargs="?")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    exercise = started(chosen_exercise(chosen.exercise))
    backup = back_up(exercise)
    shutil.rmtree(exercise.work)
    shutil.copytree(exercise.starter, exercise.work, copy_function=shutil.copy)
    if chosen.json:
        print(json.dumps({"exercise": exercise.name, "backup": str(backup) if backup else None}))
    elif backup is None:
        print(f"{exercise.name} is as it was in the beginning; you had changed nothing")
    else:
        print(f"{exercise.name} is as it was in the beginning; what you had is in {shown(backup)}")
    return 0


def back_up(exercise: Exercise) -> Optional[Path]:
    """Keeps a copy of the student's files; nothing if these are still as they were given."""
    missing = [name for name in exercise.edit if not (exercise.work / name).is_file()]
    if not changed_files(exercise) and not missing:
        return None
    stem = f"{exercise.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    target = BACKUPS / stem
    number = 1
    while target.exists():  # twice in a second
        number += 1
        target = BACKUPS / f"{stem}-{number}"
    shutil.copytree(exercise.work, target)
    return target


def diff_main(arguments: list[str]) -> int:
    """`lab diff [NN] [--solution]`"""
    parser = argparse.ArgumentParser("lab diff", allow_abbrev=False)
    parser.add_argument("exercise", nargs="?")
    parser.add_argument("--solution", action="store_true")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    exercise = started(chosen_exercise(chosen.exercise))
    before, after = exercise.starter, exercise.work
    if chosen.solution:
        if not student_state.recall(exercise).get("solved"):
            raise LabError(f"ours is shown when yours passes: ./lab check {exercise.number}")
        if not exercise.solution.is_dir():
            raise LabError("the solutions are not in this folder; your instructor has them")
        before, after = exercise.work, exercise.solution
    texts = {name: _diff(before / name, after / name) for name in exercise.edit}
    if chosen.json:
        print(json.dumps(texts, indent=1))
        return 0
    for line in "".join(texts.values()).splitlines():
        print(coloured(line, {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")))
    return 0


def _diff(before: Path, after: Path) -> str:
    texts = [
        path.read_text(errors="replace").splitlines(keepends=True) if path.is_file() else []
        for path in (before, after)
    ]
    return "".join(difflib.unified_diff(*texts, shown(before), shown(after)))


def progress_main(arguments: list[str]) -> int:
    """`lab progress [--json]`"""
    parser = argparse.ArgumentParser("lab progress", allow_abbrev=False)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    exercises = all_exercises()
    got = {each.name: int(student_state.recall(each).get("points", 0)) for each in exercises}
    total = sum(each.points for each in exercises)
    if chosen.json:
        print(json.dumps({"points": sum(got.values()), "of": total,
                          "exercises": {each.name: state_text(each) for each in exercises}},
                         indent=1))  # fmt: skip
        return 0
    for each in exercises:
        if state_text(each):
            print(f"  {each.number}  {each.title:32}  {bar(got[each.name], each.points)}"
                  f"  {state_text(each)}")  # fmt: skip
    solved = [each for each in exercises if student_state.recall(each).get("solved")]
    print(f"  all {len(exercises):2}{'':32}{bar(sum(got.values()), total)}"
          f"  {sum(got.values())} of {total} points")  # fmt: skip
    outcomes = [outcome for each in solved for outcome in each.outcomes]
    if outcomes:
        print("\nYou can:")
        print("\n".join(f"  - {outcome}" for outcome in outcomes))
    return 0


def bar(part: int, whole: int) -> str:
    """A bar of a fixed width."""
    full = _BAR_CELLS * part // whole if whole else 0
    return "#" * full + "." * (_BAR_CELLS - full)


def submit_main(arguments: list[str]) -> int:
    """`lab submit [NN...] [--json]`"""
    parser = argparse.ArgumentParser("lab submit", allow_abbrev=False)
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--unchecked", action="store_true")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    if chosen.exercises:
        exercises = [started(find_exercise(text)) for text in chosen.exercises]
    else:
        exercises = [each for each in all_exercises() if each.work.is_dir()]
    if not exercises:
        raise LabError("there is nothing to submit: ./lab list shows the exercises")
    told = {each.name: _points(each, chosen.unchecked) for each in exercises}
    write_submission(exercises, SUBMISSION, {"grader": origin(), "own results": told})
    digest = hashlib.sha256(SUBMISSION.read_bytes()).hexdigest()
    if chosen.json:
        print(json.dumps({"file": str(SUBMISSION), "sha256": digest, "results": told}))
        return 0
    for name, points in told.items():
        print(f"  {name:32}  {points}")
    print(f"hand in {shown(SUBMISSION)}  (sha256 {digest[:16]}...)")
    return 0


def _points(exercise: Exercise, unchecked: bool) -> str:
    """The student's own result, which the grader does not rely on."""
    if unchecked:
        return "not checked"
    say(f"checking {exercise.name}")
    result = fair(work_of(exercise), "asan", check(work_of(exercise), "asan"))
    note_result(exercise, result)
    return f"{result.points} of {result.judged_points} points"


def write_submission(exercises: Sequence[Exercise], file: Path, told: object) -> None:
    """An archive of the files that are graded, and nothing else; the same files give the same
    archive."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        entries = {"submission.json": (json.dumps(told, indent=1) + "\n").encode()}
        for exercise in exercises:
            for name in exercise.edit:
                path = exercise.work / name
                if path.is_file():
                    entries[f"{exercise.name}/{name}"] = path.read_bytes()
        for name, data in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(content.getvalue(), mtime=0))
