"""The verbs `handout` and `release`: what students get, and what they must not get yet."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Optional

from console import LabError, UsageError, say
from exercise_files import Exercise, all_exercises, files_in, find_exercise
from exercise_origin import HANDOUT_FILE, SEED_FILE, origin, seed_number
from handout_leaks import leaks
from stages import ROOT

# What only the instructor's copy has. The tests of the grader go with the solutions they use.
_KEPT_BACK = re.compile(r"exercises/[^/]+/(solution|mutants)/|tests/lab/|docs/course/answers/")
_TEST_CASE = r'^TEST_CASE\("{}"[^\n]*\{{\n.*?^\}}\n\n?'


def main(arguments: list[str]) -> int:
    """`lab handout DIR [--seed S] [--overlay DIR] [--grader DIR] [--unverified]`"""
    parser = argparse.ArgumentParser("lab handout", allow_abbrev=False)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--overlay", type=Path)
    parser.add_argument("--grader", type=Path)
    parser.add_argument("--unverified", action="store_true")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    for folder in (chosen.folder, chosen.grader):
        if folder is not None and folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty")
    with tempfile.TemporaryDirectory(prefix="stagecraft-handout-") as name:
        whole = Path(name) / "whole"
        lay_out(whole, chosen.overlay, seed_number(chosen.seed))
        if chosen.overlay is not None and not chosen.unverified:
            _verify(whole, chosen.overlay)
        hand_out(whole, chosen.folder)
        found = leaks(whole, chosen.folder)
        if found:
            shutil.rmtree(chosen.folder)
            raise LabError("it would give away:\nlab:   " + "\nlab:   ".join(found))
        if chosen.grader is not None:
            shutil.copytree(whole, chosen.grader, dirs_exist_ok=True)
    exercises = all_exercises(chosen.folder / "exercises")
    hidden = sum(test.hidden for each in exercises for test in each.tests)
    if chosen.json:
        print(json.dumps({"folder": str(chosen.folder), "exercises": len(exercises),
                          "hidden tests": hidden, "seed": seed_number(chosen.seed)}))  # fmt: skip
    else:
        print(f"{chosen.folder}: {len(exercises)} exercises; kept back are their solutions, the"
              f" wrong ones and {hidden} hidden tests; nothing of them is found in there")
    return 0


def lay_out(whole: Path, overlay: Optional[Path], seed: int) -> None:
    """The instructor's tree: this checkout, the overlay on top, and what it was made from."""
    for name in _own_files():
        _copy(ROOT / name, whole / name)
    if overlay is not None:
        if not (overlay / "exercises").is_dir():
            raise UsageError(f"{overlay} has no folder exercises")
        for name in files_in(overlay):
            _copy(overlay / name, whole / name)
    (whole / HANDOUT_FILE).write_text(origin() + ("+overlay" if overlay else "") + "\n")
    (whole / SEED_FILE).write_text(f"{seed}\n")


def _own_files() -> list[str]:
    """What this checkout consists of: what Git tracks, or, in an export, all but what is built."""
    ran = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if (ROOT / ".git").exists() and ran.returncode == 0:
        names = [name for name in ran.stdout.split("\0") if name]
    else:
        names = [name for name in files_in(ROOT)
                 if not name.startswith(("build/", "work/", ".git/")) and "__pycache__" not in name]
    return [name for name in names if (ROOT / name).is_file()]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def _verify(whole: Path, overlay: Path) -> None:
    """Private exercises have to be as sound as ours."""
    names = sorted(path.name for path in (overlay / "exercises").iterdir()
                   if (whole / "exercises" / path.name / "exercise.json").is_file())  # fmt: skip
    if not names:
        return
    say(f"verifying {', '.join(names)}")
    ran = subprocess.run(
        [sys.executable, "-B", str(whole / "common" / "lab"), "exercises", "verify", *names],
        stdin=subprocess.DEVNULL, check=False, stdout=sys.stderr,
    )  # fmt: skip
    shutil.rmtree(whole / "build", ignore_errors=True)
    if ran.returncode != 0:
        raise LabError("the overlay has exercises that are not as they should be")


def hand_out(whole: Path, folder: Path) -> None:
    """Copies what students get."""
    for name in files_in(whole):
        if not _KEPT_BACK.match(name):
            _copy(whole / name, folder / name)
    for exercise in all_exercises(whole / "exercises"):
        hide_tests(exercise, folder / "exercises" / exercise.name)


def hide_tests(exercise: Exercise, folder: Path) -> None:
    """Takes the hidden tests out; name, points and requirement stay."""
    hidden = [test.name for test in exercise.tests if test.hidden]
    if not hidden:
        return
    for name in files_in(folder / "tests"):
        file = folder / "tests" / name
        text = before = file.read_text(errors="surrogateescape")
        for test in hidden:
            text = re.sub(_TEST_CASE.format(test), "", text, flags=re.MULTILINE | re.DOTALL)
        if text != before:
            file.write_text(text.rstrip("\n") + "\n", errors="surrogateescape")
    file = folder / "exercise.json"
    told = json.loads(file.read_text())
    for test in told["tests"]:
        if test.get("hidden"):
            test["kept_back"] = True
    file.write_text(json.dumps(told, indent=2) + "\n")


def release_main(arguments: list[str]) -> int:
    """`lab release NN... --to DIR`"""
    parser = argparse.ArgumentParser("lab release", allow_abbrev=False)
    parser.add_argument("exercises", nargs="+")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    if not (chosen.to / HANDOUT_FILE).is_file():
        raise UsageError(f"{chosen.to} is no handout")
    there = all_exercises()
    released = [find_exercise(text, there) for text in chosen.exercises]
    for exercise in released:
        target = chosen.to / "exercises" / exercise.name / "solution"
        for name in exercise.edit:
            _copy(exercise.solution / name, target / name)
    names = [exercise.name for exercise in released]
    print(json.dumps(names) if chosen.json else f"released to {chosen.to}: {', '.join(names)}")
    return 0
