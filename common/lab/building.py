"""Configuring and building with CMake and Ninja, and the verb `build`."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Optional

import machine
from console import LabError, Progress, UsageError, say
from machine import CMAKE_NEEDED, dotted
from processes import follow
from stages import ROOT, all_stages, find_stage

_NINJA_STEP = re.compile(r"\[(\d+)/(\d+)\] (.*)")

# What CMake calls the things that it did not find -> the Debian package that has them.
_PACKAGE_OF = {
    "CLI11": "libcli11-dev",
    "RE2": "libre2-dev",
    "Sodium": "libsodium-dev",
    "Catch2": "catch2",
    "benchmark": "libbenchmark-dev",
    "CMAKE_CXX_COMPILER": "g++",
    "Ninja": "ninja-build",
}


def presets() -> list[str]:
    """The names of the presets that can be chosen."""
    listed = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    return [preset["name"] for preset in listed if not preset.get("hidden")]


def check_preset(preset: str) -> str:
    """Returns `preset`, or says which ones there are."""
    if preset not in presets():
        raise UsageError(f"there is no preset '{preset}'; there are: {', '.join(presets())}")
    return preset


def build_folder(preset: str) -> Path:
    """Where a preset builds."""
    return ROOT / "build" / preset


def program_path(stage: str, preset: str) -> Path:
    """Where the program of a stage lands."""
    return build_folder(preset) / "bin" / stage


def build(preset: str, targets: list[str], *, with_tests: bool) -> None:
    """Builds `targets` (everything if none), configuring first where that is needed."""
    _check_tools()
    _configure(preset, with_tests)
    what = ", ".join(targets) if targets else "everything"
    say(f"building {what} (preset {preset}) in build/{preset}")
    command = ["cmake", "--build", str(build_folder(preset)), f"-j{machine.build_jobs()}"]
    if targets:
        command += ["--target", *targets]
    progress = Progress()
    # Ninja strips the compiler's colours unless it is told that somebody sees them.
    colours = {"CLICOLOR_FORCE": "1"} if sys.stderr.isatty() else {}
    report = NinjaReport(progress)
    code = follow(command, report.on_line, {"NINJA_STATUS": "[%f/%t] ", **colours})
    progress.clear()
    if code != 0:
        raise LabError(f"the build of {what} failed after {progress.seconds():.0f} s")


class NinjaReport:
    """Shows Ninja's steps as progress, and lets through what the compiler complains of."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._state = "starting"
        self._command_is_next = False

    def on_line(self, line: Optional[str]) -> None:
        """Takes the next line that Ninja printed; None if a second has passed without one."""
        step = _NINJA_STEP.fullmatch(line or "")
        if step:
            self._state = f"[{step[1]}/{step[2]}] {_shorten(step[3])}"
        if line is None or step:
            self._progress.update(self._state)
        elif self._command_is_next:
            self._command_is_next = False
        elif line.startswith("FAILED: "):
            self._command_is_next = True  # the compiler's command: a screen full of options
        elif line and not line.startswith(("ninja: ", "-- ")):
            self._progress.print(line)


def _shorten(step: str) -> str:
    """`Building CXX object common/http/CMakeFiles/x.dir/a.cpp.o` -> `common/http/a.cpp`."""
    compiled = re.fullmatch(r"Building CXX object (.*?)CMakeFiles/[^/]+/(.*)\.o", step)
    if compiled:
        return compiled[1] + compiled[2]
    return re.sub(r"^Linking CXX (executable|static library) ", "linking ", step)


def _check_tools() -> None:
    """One clear line instead of CMake's page, where CMake would be too old or is not there."""
    version = machine.cmake_version()
    if version is None:
        raise LabError("CMake is not installed; the Debian package is cmake")
    if version < CMAKE_NEEDED:
        raise LabError(
            f"CMake {dotted(version)} is too old; {dotted(CMAKE_NEEDED)} is needed"
            " (Debian 12, Ubuntu 24.04 and newer have it)"
        )


def _cache(folder: Path) -> dict[str, str]:
    """What CMake remembers of a build folder; empty if it was never configured to the end."""
    if not (folder / "build.ninja").exists():
        return {}
    lines = (folder / "CMakeCache.txt").read_text(errors="replace").splitlines()
    entries = (re.fullmatch(r"([\w-]+):\w+=(.*)", line) for line in lines)
    return {entry[1]: entry[2] for entry in entries if entry}


def _configure(preset: str, with_tests: bool) -> None:
    """Runs CMake where Ninja would not do so by itself.

    Tests need Catch2, which somebody who only runs a stage need not have: they are off until they
    are first asked for, and stay on in that build folder from then on.
    """
    folder = build_folder(preset)
    cache = _cache(folder)
    has_tests = cache.get("STAGECRAFT_TESTS") == "ON"
    moved = bool(cache) and (
        cache.get("CMAKE_HOME_DIRECTORY") != str(ROOT)
        or shutil.which(cache.get("CMAKE_CXX_COMPILER", "")) is None
    )
    if cache and not moved and (has_tests or not with_tests) and not _presets_changed(folder):
        return
    command = ["cmake", "--preset", preset, "-DCMAKE_COLOR_DIAGNOSTICS=ON"]
    command.append(f"-DSTAGECRAFT_TESTS={'ON' if with_tests or has_tests else 'OFF'}")
    command.append("-DSTAGECRAFT_BENCH=OFF")  # lab measures nothing, and not all have the library
    if not _compiler_is_tested(preset):
        command.append("-DSTAGECRAFT_WERROR=OFF")  # a warning that is new is not the reader's fault
    if moved:
        command.append("--fresh")  # the checkout or the compiler is not where it was
    say(f"configuring (preset {preset})")
    ran = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if ran.returncode != 0:
        raise LabError(explain_cmake(ran.stderr or ran.stdout))


def _compiler_is_tested(preset: str) -> bool:
    """Whether the preset builds with a compiler whose every warning has been seen."""
    compiler = "clang++" if preset == "clang" else machine.compiler()
    kind, version = machine.compiler_version(compiler or "c++")
    return version[:1] == (machine.TESTED_COMPILERS[kind],)


def _presets_changed(folder: Path) -> bool:
    changed_at = (ROOT / "CMakePresets.json").stat().st_mtime
    return changed_at > (folder / "CMakeCache.txt").stat().st_mtime


def explain_cmake(output: str) -> str:
    """The one thing to do about a failed configuration, else all that CMake said."""
    for name, package in _PACKAGE_OF.items():
        # Its ways to say so: for packages, for the compiler, for Ninja, and for what we look for.
        not_found = (
            rf'provided\s+by\s+"{name}"|No {name}|corresponding\s+to\s+"{name}"'
            rf"|Could NOT find {name}\b"
        )
        if re.search(not_found, output):
            return f"CMake did not find {name}; the Debian package is {package}"
    return f"CMake could not configure the build; it says:\n{output.rstrip()}"


def main(arguments: list[str]) -> int:
    """`lab build [STAGE] [--preset PRESET]`"""
    parser = argparse.ArgumentParser("lab build", allow_abbrev=False)
    parser.add_argument("stage", nargs="?")
    parser.add_argument("--preset", default="dev")
    chosen = parser.parse_args(arguments)
    stages = all_stages()
    targets = [find_stage(chosen.stage, stages)] if chosen.stage else stages
    preset = check_preset(chosen.preset)
    build(preset, targets, with_tests=False)
    for stage in targets:
        print(os.path.relpath(program_path(stage, preset)))
    return 0
