"""Building the test programs of exercises, with Ninja and without CMake.

A student waits for this after every edit, so everything that does not change is built once: the
support library without a sanitizer, for all; Catch2's header precompiled; the tests once for all
solutions of an exercise. What is left is one file and a link.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence

import machine
from console import LabError
from exercise_files import Exercise, files_in
from exercise_ninja import NinjaFile
from processes import end
from stages import ROOT

BUILD = ROOT / "build" / "exercises"

OnStep = Callable[[str], None]  # is told `[3/20]`
_STEP = re.compile(r"\[\d+/\d+\] ")


@dataclass(frozen=True)
class Variant:
    """One set of the files that a student edits, and the exercise that they are for.

    `folders`: where they are looked for, the first that has one wins; what nobody has is the
    starter's. With `in_place` they are compiled where they are, so that the compiler names the file
    that the student edits.
    """

    exercise: Exercise
    label: str
    folders: Sequence[Path]
    in_place: bool = False
    # Compiled with limits: somebody else has written it.
    untrusted: bool = False

    def program(self, sanitizer: str) -> Path:
        """The test program that it becomes."""
        return self.bin(sanitizer) / "tests"

    def bin(self, sanitizer: str) -> Path:
        """Where that and the programs lie that the tests start."""
        return BUILD / sanitizer / self.exercise.name / self.label

    def sources(self) -> Path:
        """The folder with all files, those of the starter included."""
        if self.in_place:
            return self.folders[0]
        return BUILD / "sources" / self.exercise.name / self.label


def starter_of(exercise: Exercise) -> Variant:
    """What students begin with."""
    return Variant(exercise, "starter", [])


def solution_of(exercise: Exercise) -> Variant:
    """The reference solution."""
    return Variant(exercise, "solution", [exercise.solution])


def mutant_of(exercise: Exercise, name: str) -> Variant:
    """One of the wrong solutions: its own files, the rest as in the reference solution."""
    folder = exercise.folder / "mutants" / name
    return Variant(exercise, f"mutant-{name}", [folder, exercise.solution])


def work_of(exercise: Exercise) -> Variant:
    """What the student has."""
    return Variant(exercise, "work", [exercise.work], in_place=True)


def build(
    variants: Sequence[Variant], sanitizer: str, on_step: OnStep = lambda step: None
) -> dict[str, str]:
    """Builds test programs; returns what the compiler says for each that cannot be built, by
    `exercise/label`. Throws LabError if the part that is ours cannot be built."""
    if shutil.which("ninja") is None:
        raise LabError("Ninja is not installed; the Debian package is ninja-build")
    BUILD.mkdir(parents=True, exist_ok=True)
    with _locked():
        for variant in variants:
            if not variant.in_place:
                _lay_out(variant)
        ninja = NinjaFile(sanitizer, BUILD)
        targets = {}
        for variant in variants:
            targets[f"{variant.exercise.name}/{variant.label}"] = ninja.add(variant)
        file = BUILD / f"{sanitizer}.ninja"
        file.write_text(ninja.text())
        said = _ninja(file, ["support", *targets.values()], on_step)
        if said is None:
            return {}
        return _blame(file, targets, said)


def _blame(file: Path, targets: dict[str, str], said: str) -> dict[str, str]:
    """Which of the targets cannot be built, and why; each by itself, since nearly all are there."""
    ours = _ninja(file, ["support"])
    if ours is not None:
        raise LabError(f"the support library of the exercises cannot be built:\n{ours}")
    if len(targets) == 1:
        return {name: said for name in targets}
    failed = {}
    for name, target in targets.items():
        answer = _ninja(file, [target])
        if answer is not None:
            failed[name] = answer
    return failed


def _ninja(
    file: Path, targets: Sequence[str], on_step: OnStep = lambda step: None
) -> Optional[str]:
    """Runs Ninja; nothing if all went well, else what the compiler said."""
    lines = []
    process = subprocess.Popen(
        ["ninja", "-k0", f"-j{machine.build_jobs()}", "-f", str(file), *targets],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "NINJA_STATUS": "[%f/%t] "},
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.append(line)
            step = _STEP.match(line)
            if step:
                on_step(step[0].rstrip())
        code = process.wait()
    finally:
        end([process])
        process.stdout.close()
    return None if code == 0 else _compiler_only("".join(lines))


def _compiler_only(output: str) -> str:
    """What a compiler said, without Ninja's own words and the commands."""
    lines = []
    command_is_next = False
    for line in output.splitlines():
        if command_is_next:
            command_is_next = False
        elif line.startswith("FAILED: "):
            command_is_next = True
        elif not re.match(r"\[\d+/\d+\] |ninja: (build stopped|Entering|no work)", line):
            lines.append(line)
    return "\n".join(lines)


@contextmanager
def _locked() -> Iterator[None]:
    """One build at a time: `watch` in one terminal and `check` in another use the same files."""
    with open(BUILD / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lay_out(variant: Variant) -> None:
    """Puts the files of a variant together. Those that are as they were keep their time."""
    exercise = variant.exercise
    wanted = {name: exercise.starter / name for name in files_in(exercise.starter)}
    for folder in reversed(variant.folders):
        for name in exercise.edit:
            if (folder / name).is_file():
                wanted[name] = folder / name
    target = variant.sources()
    for name in files_in(target) if target.exists() else []:
        if name not in wanted:
            (target / name).unlink()
    for name, source in wanted.items():
        copy_if_changed(source, target / name)


def copy_if_changed(source: Path, target: Path) -> None:
    """Copies a file unless the copy is the same already."""
    content = source.read_bytes()
    if target.is_file() and target.read_bytes() == content:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    partial.write_bytes(content)
    partial.replace(target)
