"""The student's verbs: list, start, check, hint."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from pathlib import Path
from typing import Optional, Sequence

import student_state
from console import LabError, Progress, UsageError, say
from exercise_build import work_of
from exercise_check import Result, check, fair
from exercise_files import FOLDER, Exercise, all_exercises, files_in, find_exercise
from exercise_hints import STRENGTHS, hints_of
from exercise_origin import handout_seed, seed_number
from exercise_report import coloured, result_json, result_lines, table


def chosen_exercise(text: Optional[str]) -> Exercise:
    """The exercise that is named, or else the one that was worked on last."""
    name = text or student_state.last_exercise()
    if not name:
        raise UsageError("which exercise? ./lab list shows them")
    return find_exercise(name)


def started(exercise: Exercise) -> Exercise:
    """The same, if the student has begun with it."""
    if not exercise.work.is_dir():
        raise LabError(f"you have not begun with it: ./lab start {exercise.number}")
    return exercise


def shown(path: Path) -> str:
    """A path as the student can type it."""
    return os.path.relpath(path, os.getcwd())


def state_text(exercise: Exercise) -> str:
    """How far the student is with it."""
    facts = student_state.recall(exercise)
    if facts.get("solved"):
        return "solved"
    if "points" in facts:
        return f"{facts['points']} of {facts['of']}"
    return "started" if exercise.work.is_dir() else ""


def list_main(arguments: list[str]) -> int:
    """`lab list [--json]`"""
    parser = argparse.ArgumentParser("lab list", allow_abbrev=False)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    exercises = all_exercises()
    if not exercises:
        raise LabError(f"there are no exercises in {FOLDER}")
    if chosen.json:
        told = [
            {"name": each.name, "title": each.title, "stage": each.stage, "kind": each.kind,
             "minutes": each.minutes, "points": each.points, "required": each.required,
             "state": state_text(each)}
            for each in exercises
        ]  # fmt: skip
        print(json.dumps(told, indent=1))
        return 0
    rows = [["", "exercise", "kind", "minutes", "points", "after", ""]]
    for each in exercises:
        star = "*" if each.required else ""
        rows.append([each.number, each.title + star, each.kind, str(each.minutes),
                     str(each.points), each.stage, state_text(each)])  # fmt: skip
    print("\n".join(table(rows)))
    print("\n* of the course's required set.  ./lab start NN begins with one.")
    return 0


def start_main(arguments: list[str]) -> int:
    """`lab start NN`"""
    parser = argparse.ArgumentParser("lab start", allow_abbrev=False)
    parser.add_argument("exercise")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    exercise = find_exercise(chosen.exercise)
    is_new = not exercise.work.exists()
    if is_new:
        shutil.copytree(exercise.starter, exercise.work, copy_function=shutil.copy)
    student_state.remember_last(exercise)
    edited = [shown(exercise.work / name) for name in exercise.edit]
    if chosen.json:
        print(json.dumps({"exercise": exercise.name, "new": is_new, "edit": edited}))
        return 0
    print(f"{coloured(exercise.title, 'bold')}  ({exercise.kind}, {exercise.minutes} minutes,"
          f" {exercise.points} points)")  # fmt: skip
    print(f"  read   {shown(exercise.folder / 'README.md')}")
    for name in edited:
        print(f"  edit   {name}")
    print(f"  then   ./lab check {exercise.number}")
    if not is_new:
        say("you have begun with it before; your files are as they were")
    return 0


def check_main(arguments: list[str]) -> int:
    """`lab check [NN] [--test NAME] [--race] [--seed N] [--json]`"""
    parser = argparse.ArgumentParser("lab check", allow_abbrev=False)
    parser.add_argument("exercise", nargs="?")
    parser.add_argument("--test")
    parser.add_argument("--race", action="store_true")
    parser.add_argument("--seed", default=str(handout_seed()))
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    exercise = started(chosen_exercise(chosen.exercise))
    tests = [exercise.test(chosen.test)] if chosen.test else None
    sanitizer = "tsan" if chosen.race else "asan"
    result = check_work(exercise, sanitizer, tests=tests, seed=seed_number(chosen.seed))
    if chosen.json:
        print(json.dumps(result_json(result), indent=1))
    else:
        print("\n".join(result_lines(result, work_of(exercise))))
    if tests is None and not chosen.race:
        note_result(exercise, result)
        if result.passed and not chosen.json:
            print_solved(exercise)
    return 0 if result.passed else 1


def check_work(
    exercise: Exercise, sanitizer: str, *, tests: Optional[Sequence] = None, seed: int = 0
) -> Result:
    """Judges what the student has."""
    missing = [name for name in exercise.edit if not (exercise.work / name).is_file()]
    if missing:
        raise LabError(f"{missing[0]} is not in {shown(exercise.work)}; ./lab reset brings it back")
    for name in exercise.fixed():
        mine = exercise.work / name
        if not mine.is_file() or mine.read_bytes() != (exercise.starter / name).read_bytes():
            say(f"{shown(mine)} is not yours to change; the grader takes the original")
    student_state.remember_last(exercise)
    progress = Progress()
    progress.update("building")
    result = check(
        work_of(exercise),
        sanitizer,
        tests=tests,
        seed=seed,
        on_outcome=lambda outcome: progress.update(outcome.test),
        on_step=lambda step: progress.update(f"building {step}"),
    )
    result = fair(work_of(exercise), sanitizer, result, seed=seed)
    progress.clear()
    return result


def note_result(exercise: Exercise, result: Result) -> None:
    """Remembers how far the student is."""
    failing = [each.test for each in result.outcomes if each.status.counts and not each.passed]
    solved = bool(student_state.recall(exercise).get("solved")) or result.passed
    student_state.remember(
        exercise, points=result.points, of=exercise.points, failing=failing, solved=solved
    )


def print_solved(exercise: Exercise) -> None:
    """What comes after a solved exercise: ours, to compare, and the next one."""
    print(coloured("solved", "green"))
    if exercise.solution.is_dir():
        theirs = " ".join(shown(exercise.solution / name) for name in exercise.edit)
        print(f"  one way to do it: {theirs}  (./lab diff {exercise.number} --solution)")
    later = [each for each in all_exercises() if each.name > exercise.name]
    if later:
        print(f"  next: ./lab start {later[0].number}  ({later[0].title})")


def hint_main(arguments: list[str]) -> int:
    """`lab hint [NN] [TEST] [--json]`"""
    parser = argparse.ArgumentParser("lab hint", allow_abbrev=False)
    parser.add_argument("exercise", nargs="?")
    parser.add_argument("test", nargs="?")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    exercise = chosen_exercise(chosen.exercise)
    facts = student_state.recall(exercise)
    if chosen.test:
        name = exercise.test(chosen.test).name
    else:
        failing = facts.get("failing") or [exercise.tests[0].name]
        name = failing[0]
    hints = hints_of(exercise).get(name, [])
    if not hints:
        raise LabError(f"there is no hint for {name}")
    given = dict(facts.get("hints", {}))
    strength = min(given.get(name, 0), len(hints) - 1)
    given[name] = strength + 1
    student_state.remember(exercise, hints=given)
    if chosen.json:
        print(json.dumps({"test": name, "strength": strength + 1, "of": len(hints),
                          "hint": hints[strength]}))  # fmt: skip
        return 0
    print(f"{coloured(name, 'bold')}, {STRENGTHS[min(strength, 2)]} ({strength + 1} of"
          f" {len(hints)}; hints cost nothing)")  # fmt: skip
    print("  " + hints[strength].replace("\n", "\n  "))
    if strength + 1 < len(hints):
        print("  The same command again says more.")
    return 0


def changed_files(exercise: Exercise) -> list[str]:
    """The edited files that are no longer as in the starter."""
    return [
        name
        for name in exercise.edit
        if (exercise.work / name).is_file()
        and (
            name not in files_in(exercise.starter)
            or (exercise.work / name).read_bytes() != (exercise.starter / name).read_bytes()
        )
    ]


