"""Programs with a mutant in them, made from an ordinary build by recompiling one file.

The build says how it is done: CMake wrote down how each file is compiled, Ninja knows how each
program is linked. The mutant's file is compiled in a copy of the source tree (links, and one real
file), and linked in front of the library or in the place of the object that has the original.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from console import LabError
from mutant_files import Mutant, MutantError
from stages import ROOT

# The folders with sources in them.
SOURCES = ("common", "stages", "tests")

# A compiler that hangs must not hold up the rest.
COMPILE_SECONDS = 300


@dataclass(frozen=True)
class Unit:
    """A source and how it is compiled."""

    source: Path
    object: str  # as the linker's command names it
    command: tuple[str, ...]

    @property
    def library(self) -> str:
        """The library that CMake puts the object into, if its target is one."""
        folder, _, rest = self.object.partition("/CMakeFiles/")
        return f"{folder}/lib{rest.partition('.dir/')[0]}.a"


class BuildTree:
    """What a build folder tells of how things are made."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self.folder = folder
        self.root = root
        entries = json.loads((folder / "compile_commands.json").read_text())
        self._units = [self._unit(entry) for entry in entries]
        self._ninja = _cached(folder, "CMAKE_MAKE_PROGRAM")
        self._links: dict[str, list[str]] = {}

    def _unit(self, entry: dict[str, str]) -> Unit:
        command = shlex.split(entry["command"])
        source = (Path(entry["directory"]) / entry["file"]).resolve()
        return Unit(source, command[command.index("-o") + 1], tuple(command))

    def _ask_ninja(self, *arguments: str) -> str:
        command = [self._ninja, "-C", str(self.folder), "-t", *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise LabError(f"ninja -t {' '.join(arguments)} failed: {ran.stderr.strip()}")
        return ran.stdout

    def link(self, program: str) -> list[str]:
        """The command that links a program, all paths relative to the build folder."""
        if program not in self._links:
            said = self._ask_ninja("commands", "-s", f"bin/{program}").strip().splitlines()[-1]
            # CMake wraps it, as in `: && c++ ... && :`.
            parts = [shlex.split(part) for part in said.split(" && ")]
            self._links[program] = next(part for part in parts if "-o" in part)
        return self._links[program]

    def units_of(self, program: str, mutant: Mutant) -> list[Unit]:
        """What of a program has to be compiled anew with a mutant in it."""
        link = set(self.link(program))
        sources = [self.root / file for file in mutant.compiled]
        return [
            unit
            for unit in self._units
            if unit.source in sources and (unit.object in link or unit.library in link)
        ]


def _cached(folder: Path, name: str) -> str:
    for line in (folder / "CMakeCache.txt").read_text(errors="replace").splitlines():
        if line.startswith(f"{name}:"):
            return line.partition("=")[2]
    raise LabError(f"{folder} has never been configured to the end")


class Workbench:
    """A folder in which one mutant after the other is built. One thread uses it."""

    def __init__(self, tree: BuildTree, folder: Path) -> None:
        self._tree = tree
        self._folder = folder
        for top in SOURCES:
            for path, _, names in os.walk(tree.root / top):
                inside = folder / "source" / Path(path).relative_to(tree.root)
                inside.mkdir(parents=True, exist_ok=True)
                for name in names:
                    link = inside / name
                    link.unlink(missing_ok=True)
                    link.symlink_to(Path(path) / name)

    def build(self, mutant: Mutant, programs: list[str]) -> dict[str, Path]:
        """The programs with the mutant in them. Throws MutantError if it does not compile."""
        original = self._tree.root / mutant.file
        place = self._folder / "source" / mutant.file
        place.unlink()
        place.write_text(mutant.applied_to(original.read_text()))
        try:
            objects: dict[str, str] = {}
            for program in programs:
                for unit in self._tree.units_of(program, mutant):
                    if unit.object not in objects:
                        objects[unit.object] = self._compile(mutant, unit)
            return {program: self._link(mutant, program, objects) for program in programs}
        finally:
            place.unlink()
            place.symlink_to(original)

    def _compile(self, mutant: Mutant, unit: Unit) -> str:
        made = self._folder / "objects" / unit.object
        made.parent.mkdir(parents=True, exist_ok=True)
        command = [self._moved(word) for word in unit.command if word != "-Werror"]
        command[command.index("-o") + 1] = str(made)
        # Neither warnings nor speed are what a mutant is for.
        self._run(mutant, [*command, "-w", "-O0", "-g0"])
        return str(made)

    def _moved(self, word: str) -> str:
        """A compiler's argument, with the copy of the sources in the place of the sources."""
        for top in SOURCES:
            word = word.replace(f"{self._tree.root}/{top}", f"{self._folder}/source/{top}")
        return word

    def _link(self, mutant: Mutant, program: str, objects: dict[str, str]) -> Path:
        units = self._tree.units_of(program, mutant)
        if not units:
            raise MutantError(f"{mutant.name}: {mutant.file} is no part of {program}")
        command = list(self._tree.link(program))
        # Objects come first: what they define is not looked for in the libraries.
        first = next(at for at, word in enumerate(command) if word.endswith(".o"))
        front = [objects[unit.object] for unit in units if unit.object not in command]
        command = [objects.get(word, word) for word in command]
        command[first:first] = front
        made = self._folder / "bin" / program
        made.parent.mkdir(parents=True, exist_ok=True)
        command[command.index("-o") + 1] = str(made)
        self._run(mutant, command)
        return made

    def _run(self, mutant: Mutant, command: list[str]) -> None:
        try:
            ran = subprocess.run(
                command,
                cwd=self._tree.folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=COMPILE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise MutantError(f"{mutant.name} keeps the compiler busy for ever") from None
        if ran.returncode != 0:
            first = next((line for line in ran.stderr.splitlines() if "error" in line), ran.stderr)
            raise MutantError(f"{mutant.name} does not compile: {first.strip()}")
