"""The verb `watch`: checks an exercise again whenever one of its files has changed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Callable

from console import LabError, say
from exercise_build import work_of
from exercise_files import Exercise
from exercise_origin import handout_seed
from exercise_report import result_json, result_lines
from student import check_work, chosen_exercise, note_result, print_solved, shown, started

# By looking again and again: notification does not work on folders that are mounted from elsewhere.
SECONDS_BETWEEN_LOOKS = 0.5

Stamp = tuple[tuple[str, int, int], ...]


def stamp(folder: Path, names: list[str]) -> Stamp:
    """What changes when one of the files does."""
    found = []
    for name in names:
        try:
            status = (folder / name).stat()
        except FileNotFoundError:  # an editor may be about to put the new one in its place
            found.append((name, 0, 0))
        else:
            found.append((name, status.st_mtime_ns, status.st_size))
    return tuple(found)


def changes(
    look: Callable[[], Stamp], seen: Stamp, wait: Callable[[float], None] = time.sleep
) -> Stamp:
    """Waits until what `look` gives differs from what was seen, and has then stayed the same for a
    look: an editor that writes slowly is let finish. Returns it."""
    while True:
        now = look()
        if now != seen:
            wait(SECONDS_BETWEEN_LOOKS / 2)
            if look() == now:
                return now
        else:
            wait(SECONDS_BETWEEN_LOOKS)


def main(arguments: list[str]) -> int:
    """`lab watch [NN] [--race] [--json]`; ends when the exercise is solved."""
    parser = argparse.ArgumentParser("lab watch", allow_abbrev=False)
    parser.add_argument("exercise", nargs="?")
    parser.add_argument("--race", action="store_true")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    exercise = started(chosen_exercise(chosen.exercise))
    names = list(exercise.edit)
    seen = stamp(exercise.work, names)
    while not _check_once(exercise, "tsan" if chosen.race else "asan", chosen.json):
        say(f"watching {', '.join(shown(exercise.work / name) for name in names)}; Ctrl-C ends it")
        seen = changes(lambda: stamp(exercise.work, names), seen)
        if sys.stdout.isatty():
            print("\x1b[2J\x1b[H", end="")
    return 0


def _check_once(exercise: Exercise, sanitizer: str, as_json: bool) -> bool:
    try:
        result = check_work(exercise, sanitizer, seed=handout_seed())
    except LabError as error:
        say(str(error))
        return False
    if as_json:
        print(json.dumps(result_json(result)), flush=True)
    else:
        print("\n".join(result_lines(result, work_of(exercise))), flush=True)
    if sanitizer == "asan":
        note_result(exercise, result)
    if result.passed and not as_json:
        print_solved(exercise)
    return result.passed
