"""The file that tells Ninja how the test programs of exercises are made."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Sequence

import machine
from exercise_files import FOLDER, LAYERS, Exercise, Program, files_in
from stages import ROOT

if TYPE_CHECKING:
    from exercise_build import Variant

SANITIZERS = {
    "asan": "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer",
    "tsan": "-fsanitize=thread -fno-omit-frame-pointer",
    "none": "",
}

# A source can ask a compiler for any amount of work. Here the limit on addresses does hold: the
# compiler itself has no sanitizer.
_COMPILER_LIMITS = (
    "timeout -k 5 120 prlimit --cpu=90 --as=4294967296 --fsize=268435456 --core=0 --"
)
_FLAGS = "-std=c++20 -O1 -g1 -pthread -Wall -Wextra -fdiagnostics-color=never"
_RULES = """\
ninja_required_version = 1.8
builddir = {build}
compiler = {compiler}
cxx = {launcher}$compiler

rule cxx
  command = $prefix $cxx {flags} $flags -MMD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
# Not from the cache: which file `#pragma once` has seen is told by its time.
rule header
  command = $compiler {flags} $flags -MMD -MF $out.d -x c++-header $in -o $out
  depfile = $out.d
  deps = gcc
rule archive
  command = rm -f $out && ar crs $out $in
rule link
  command = $cxx {flags} $flags $in -o $out $libraries
rule pages
  command = cmake -D OUTPUT=$out -D "FILES=$files" -P common/app/pages.cmake
"""

# In common/app lies also what the Server of every stage stands on (common/app/CMakeLists.txt).
_RUNTIME = ("metrics", "session_clock", "signals", "telemetry", "thread")
# Of tests/support: tests, and a main() of their own.
_NOT_SUPPORT = ("process_view_test.cpp", "support_test.cpp", "server_test_main.cpp")
# What a layer needs besides itself, in the order in which they are linked.
_BELOW = {
    "base": ("base",),
    "net": ("net", "base"),
    "http": ("http", "net", "base"),
    "runtime": ("runtime", "http", "net", "base"),
    "web": ("web", "http", "net", "base"),
    "app": ("app", "web", "runtime", "http", "net", "base"),
}


class NinjaFile:
    """Collects what has to be built. Paths are relative to the checkout, where Ninja runs."""

    def __init__(self, sanitizer: str, build: Path) -> None:
        self._sanitizer = sanitizer
        self._flags = SANITIZERS[sanitizer]
        self._build = _relative(build)
        self._folder = f"{self._build}/{sanitizer}"
        self._first = f"{self._folder}/first.h"  # what is precompiled
        self._lines: list[str] = []
        self._known: set[str] = set()
        compiler = machine.compiler() or "c++"
        self._is_clang = machine.compiler_version(compiler)[0] == "clang"
        launcher = "ccache " if shutil.which("ccache") else ""
        self._lines.append(
            _RULES.format(
                build=self._build, launcher=launcher, compiler=_quoted(compiler), flags=_FLAGS
            )
        )
        self._support()

    def text(self) -> str:
        """The file."""
        return "\n".join(self._lines) + "\n"

    def add(self, variant: Variant) -> str:
        """Adds the test program of a variant, and the programs that its tests start."""
        exercise = variant.exercise
        sources = _relative(variant.sources())
        bin_folder = _relative(variant.bin(self._sanitizer))
        include = f"-I{sources} -Iexercises/support -Itests -Icommon"
        if variant.in_place:
            # A file can be replaced by an older one, and Ninja looks at times alone.
            include += f" -DEXERCISE_CONTENT={_digest(variant.sources())}"
        prefix = ""
        if variant.untrusted:
            prefix = _COMPILER_LIMITS
            include += " -fmax-errors=20"
        objects = [
            self._compile(f"{sources}/{name}", f"{bin_folder}/{name}.o", include, prefix=prefix)
            for name in exercise.compile
        ]
        objects += self._tests(exercise, sources, bin_folder, include)
        program = f"{bin_folder}/tests"
        programs = [self._program(each, variant) for each in exercise.programs]
        self._link(program, [*objects, "$support"], exercise.uses, order_only=programs)
        return program

    def _support(self) -> None:
        """The support library, and the header that all tests begin with."""
        include = "-O0 -Iexercises/support -Itests"
        support = [f"exercises/support/{name}" for name in files_in(FOLDER / "support")]
        tests = [f"tests/support/{name}" for name in files_in(ROOT / "tests" / "support")]
        # Without a sanitizer, even where the submission has one: Catch2 alone would take half a
        # minute, and what can be wrong with a submission is seen in its own code.
        objects = [
            self._compile(source, f"{self._build}/support/{source}.o", include, sanitize=False)
            for source in [*support, *tests]
            if source.endswith(".cpp") and os.path.basename(source) not in _NOT_SUPPORT
        ]
        archive = f"{self._build}/support/libsupport.a"
        self._edge("archive", archive, objects)
        self._lines.insert(1, f"support = {archive}")
        needed = [archive]
        if not self._is_clang:  # which would have to be told about it in another way
            # By a name of its own: what is included by the name of exercise.h is found as ever.
            header = ROOT / self._first
            header.parent.mkdir(parents=True, exist_ok=True)
            if not header.exists():
                header.write_text('#include "exercise.h"\n')
            self._edge("header", f"{self._first}.gch", [self._first],
                       flags=f"{self._flags} -Iexercises/support -Itests")  # fmt: skip
            needed.append(f"{self._first}.gch")
        self._lines.append(f"build support: phony {' '.join(needed)}")

    def _tests(
        self, exercise: Exercise, sources: str, bin_folder: str, own_flags: str
    ) -> list[str]:
        """The tests: once for all variants, unless these differ in headers."""
        shared = not any(name.endswith(".h") for name in exercise.edit)
        folder = f"{self._folder}/{exercise.name}" if shared else bin_folder
        first = _relative(exercise.starter) if shared else sources
        include = "-Iexercises/support -Itests -Icommon" if shared else own_flags
        include += f" -I{first} -I{_relative(exercise.folder)}/tests"
        first_of_all = "" if self._is_clang else f"-include {self._first}"
        implicit = "" if self._is_clang else f"{self._first}.gch"
        names = [name for name in files_in(exercise.folder / "tests") if name.endswith(".cpp")]
        return [
            self._compile(f"{_relative(exercise.folder)}/tests/{name}",
                          f"{folder}/tests.o/{name}.o",
                          f"{first_of_all} {include}", implicit=implicit)
            for name in names
            if "/" not in name
        ]  # fmt: skip

    def _program(self, program: Program, variant: Variant) -> str:
        """A program that the tests start: the files of a stage, some replaced, and main()."""
        # Local, since the two modules need each other.
        from exercise_build import copy_if_changed  # pylint: disable=import-outside-toplevel

        layered = []
        if program.stage:
            layered.append(ROOT / "stages" / program.stage)
        if program.overlay == "submission":
            layered.append(variant.sources())
        elif program.overlay:
            layered.append(variant.exercise.folder / program.overlay)
        shared = program.overlay != "submission"
        label = "shared" if shared else variant.label
        sources = Path(f"{self._build}/sources/{variant.exercise.name}/{label}.{program.name}")
        names = {name: folder / name for folder in layered for name in files_in(folder)}
        names = {name: path for name, path in names.items() if name.endswith((".h", ".cpp"))}
        for name, path in names.items():
            copy_if_changed(path, ROOT / sources / name)
        folder = f"{self._folder}/{variant.exercise.name}/{label}.{program.name}.o"
        flags = f'-I{sources} -Icommon -DSTAGECRAFT_STAGE=\\"{program.stage or program.name}\\"'
        objects = [
            self._compile(f"{sources}/{name}", f"{folder}/{name}.o", flags,
                          prefix=_COMPILER_LIMITS if variant.untrusted else "")
            for name in sorted(names)
            if name.endswith(".cpp")
        ]  # fmt: skip
        uses = list(variant.exercise.uses)
        if program.stage:
            objects.append(self._compile("common/app/main.cpp", f"{folder}/main.o", flags))
            uses.append("app")
        out = f"{_relative(variant.bin(self._sanitizer))}/{program.name}"
        self._link(out, objects, uses)
        return out

    def _link(
        self, out: str, objects: Sequence[str], uses: Sequence[str], order_only: Sequence[str] = ()
    ) -> None:
        needed = {below for layer in uses for below in _BELOW[layer]}
        layers = [layer for layer in reversed(LAYERS) if layer in needed]
        archives = [self._layer(layer) for layer in layers]
        libraries = "-ldl" + (" -lre2 -lsodium" if "web" in needed else "")
        self._edge("link", out, [*objects, *archives], flags=self._flags, libraries=libraries,
                   order_only=" ".join(order_only))  # fmt: skip

    def _layer(self, layer: str) -> str:
        """A part of common/, compiled as the submission is."""
        folder = "app" if layer in ("app", "runtime") else layer
        names = [name for name in files_in(ROOT / "common" / folder) if name.endswith(".cpp")]
        if folder == "app":
            runtime = [f"{name}.cpp" for name in _RUNTIME]
            names = runtime if layer == "runtime" else [
                name for name in names if name not in (*runtime, "main.cpp")
            ]  # fmt: skip
        flags = '-Icommon -DSTAGECRAFT_VERSION=\\"exercise\\"'
        objects = [
            self._compile(f"common/{folder}/{name}", f"{self._folder}/common/{folder}/{name}.o",
                          flags)
            for name in names
        ]  # fmt: skip
        if layer == "app":
            objects.append(self._pages(flags))
        archive = f"{self._folder}/common/lib{layer}.a"
        self._edge("archive", archive, objects)
        return archive

    def _pages(self, flags: str) -> str:
        """The files of the page as a source (common/app/pages.cmake)."""
        pages = [f"common/app/www/{name}" for name in _page_names()]
        source = f"{self._build}/sources/pages.cpp"
        files = ";".join(str(ROOT / page) for page in pages)
        self._edge("pages", source, pages, files=files)
        return self._compile(source, f"{self._folder}/common/app/pages.cpp.o", flags)

    def _compile(
        self,
        source: str,
        out: str,
        flags: str,
        *,
        sanitize: bool = True,
        implicit: str = "",
        prefix: str = "",
    ) -> str:
        sanitizer = f"{self._flags} " if sanitize else ""
        limits = {"prefix": prefix} if prefix else {}
        self._edge("cxx", out, [source], flags=sanitizer + flags, implicit=implicit, **limits)
        return out

    def _edge(
        self,
        rule: str,
        out: str,
        inputs: Sequence[str],
        *,
        implicit: str = "",
        order_only: str = "",
        **variables: str,
    ) -> None:
        if out in self._known:
            return
        self._known.add(out)
        line = f"build {out}: {rule} {' '.join(inputs)}"
        line += f" | {implicit}" if implicit else ""
        line += f" || {order_only}" if order_only else ""
        self._lines.append(line)
        self._lines += [f"  {name} = {value}" for name, value in variables.items()]


def _page_names() -> list[str]:
    """The names in `set(PAGES ...)` of common/app/CMakeLists.txt."""
    text = (ROOT / "common" / "app" / "CMakeLists.txt").read_text()
    return text.split("set(PAGES", 1)[1].split(")", 1)[0].split()


def _digest(folder: Path) -> str:
    """A word that changes when a file in the folder does."""
    digest = hashlib.sha256()
    for name in files_in(folder):
        digest.update(name.encode() + b"\0" + (folder / name).read_bytes())
    return f"x{digest.hexdigest()[:16]}"


def _relative(path: Path) -> str:
    return os.path.relpath(path, ROOT)


def _quoted(word: str) -> str:
    return word.replace("$", "$$").replace(" ", "$ ")
