"""Proves of a handout that nothing is in it which was to be kept back."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Iterator

from exercise_files import Exercise, all_exercises, files_in
from exercise_form import MOST_SIMILAR
from similarity import share, tokens

_SOURCES = (".h", ".cpp", ".md", ".json", ".txt", ".py", ".csv")


def leaks(whole: Path, handout: Path) -> list[str]:
    """What the handout gives away of the instructor's tree; a line for each."""
    names = files_in(handout)
    exercises = all_exercises(whole / "exercises")
    return [
        *_by_place(names),
        *_by_content(whole, handout, names, exercises),
        *_by_test(handout, names, exercises),
        *_by_likeness(handout, names, exercises),
    ]


def _by_place(names: list[str]) -> Iterator[str]:
    """Folders that no handout has."""
    for name in names:
        parts = name.split("/")
        if parts[0] == "exercises" and ("solution" in parts or "mutants" in parts):
            yield name
        elif parts[0] == ".git" or "answers" in parts:
            yield name


def _by_content(
    whole: Path, handout: Path, names: list[str], exercises: list[Exercise]
) -> Iterator[str]:
    """Copies under another name."""
    secret: dict[str, str] = {}
    for exercise in exercises:
        given = {_digest(exercise.starter / name) for name in files_in(exercise.starter)}
        for folder in (exercise.solution, exercise.folder / "mutants"):
            for name in files_in(folder) if folder.is_dir() else []:
                if _digest(folder / name) not in given:
                    secret[_digest(folder / name)] = str((folder / name).relative_to(whole))
    for name in names:
        source = secret.get(_digest(handout / name))
        if source is not None:
            yield f"{name} is {source}"


def _by_test(handout: Path, names: list[str], exercises: list[Exercise]) -> Iterator[str]:
    """Hidden tests that are still there."""
    for exercise in exercises:
        folder = f"exercises/{exercise.name}/"
        for name in names:
            if name.startswith(folder) and name.endswith((".cpp", ".h")):
                text = _text(handout / name)
                for test in exercise.tests:
                    if test.hidden and f'"{test.name}"' in text:
                        yield f"{name} has the hidden test {test.name}"


def _by_likeness(handout: Path, names: list[str], exercises: list[Exercise]) -> Iterator[str]:
    """A file in which most of what a solution adds to its starter stands, whatever it is called."""
    texts = {name: tokens(_text(handout / name)) for name in names if name.endswith(_SOURCES)}
    for exercise in exercises:
        solution: list[str] = []
        for name in exercise.edit:
            solution += tokens(_text(exercise.solution / name))
        given: list[str] = []
        for name in files_in(exercise.starter):
            given += tokens(_text(exercise.starter / name))
        for name, found in texts.items():
            if share(solution, found, given) > MOST_SIMILAR:
                yield f"{name} has most of the solution of {exercise.name}"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""
