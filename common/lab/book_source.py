"""The sources as the book sees them: which files stand in it, and how a piece is cut out of one.

A piece is named by what it is in C++ (`Server::serve_batch`, `Step`), so that the sources need no
marks: the comment above it and everything to its closing brace or semicolon belong to it.
"""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

from console import LabError
from stages import ROOT, all_stages

# Every line of these stands in the book.
SHARED_FOLDERS = ("common/net", "common/http")
SHOWN = (".h", ".cpp", "CMakeLists.txt")

_AFTER = re.compile(r"add_stage\([\w-]+\s+AFTER\s+([\w-]+)")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'')
# What opens a block in which names are still global.
_NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\b|^\s*extern \"C\"")


class Piece(NamedTuple):
    """Lines `first` to `last` (counted from 1, both included) of a file."""

    path: str
    first: int
    last: int


@lru_cache(maxsize=None)
def lines_of(path: str) -> tuple[str, ...]:
    """The lines of a file of the repository, without their ends."""
    try:
        return tuple((ROOT / path).read_text(encoding="utf-8").splitlines())
    except OSError as error:
        raise LabError(f"the book shows {path}: {error.strerror}") from error


def files_of(folder: str) -> list[str]:
    """The files of a folder that stand in the book, headers before what implements them."""
    found = [path for path in (ROOT / folder).iterdir() if path.name.endswith(SHOWN)]
    found.sort(key=lambda path: (path.name == "CMakeLists.txt", path.stem, path.suffix != ".h"))
    return [f"{folder}/{path.name}" for path in found]


def all_shown_files() -> list[str]:
    """Every file of which every line stands in the book."""
    folders = [f"stages/{stage}" for stage in all_stages()] + list(SHARED_FOLDERS)
    return [path for folder in folders for path in files_of(folder)]


def stage_before(stage: str) -> Optional[str]:
    """The stage that `stage` grows out of, as its CMakeLists.txt says."""
    found = _AFTER.search("\n".join(lines_of(f"stages/{stage}/CMakeLists.txt")))
    return found[1] if found else None


def file_before(path: str) -> Optional[str]:
    """The file of an earlier stage that `path` is a changed copy of: of the stage it grows out of,
    else the latest that has one of that name (06 takes its pool from 03). None: it is new."""
    _, stage, name = path.split("/", 2)
    grown_from = stage_before(stage)
    earlier = [other for other in all_stages() if other < stage]
    for other in ([grown_from] if grown_from else []) + earlier[::-1]:
        if (ROOT / "stages" / other / name).exists():
            return f"stages/{other}/{name}"
    return None


def same_lines(old: str, new: str) -> dict[int, int]:
    """Which line of `new` is which of `old`: number -> number, for those that did not change."""
    matcher = difflib.SequenceMatcher(None, lines_of(old), lines_of(new), autojunk=False)
    return {
        block.b + i + 1: block.a + i + 1
        for block in matcher.get_matching_blocks()
        for i in range(block.size)
    }


# --- Cutting ---


def _code_only(line: str) -> str:
    """A line without its strings and its comment, so that what is left can be counted."""
    return _STRING.sub('""', line).split("//")[0]


@lru_cache(maxsize=None)
def _depths(path: str) -> tuple[int, ...]:
    """How many braces are open before each line; those of namespaces do not count."""
    depths, open_blocks = [], []
    for line in lines_of(path):
        depths.append(sum(open_blocks))
        code = _code_only(line)
        opened = 0 if _NAMESPACE.match(code) else 1
        for character in code:
            if character == "{":
                open_blocks.append(opened)
            elif character == "}" and open_blocks:
                open_blocks.pop()
    return tuple(depths)


def _end_of(path: str, start: int) -> int:
    """The index of the last line of what begins at index `start`."""
    depth = 0
    lines = lines_of(path)
    for index in range(start, len(lines)):
        code = _code_only(lines[index]).rstrip()
        depth += sum(code.count(c) for c in "{(") - sum(code.count(c) for c in "})")
        # A comma ends an enumerator, but not an initializer, which stands further down.
        if depth <= 0 and code.endswith((";", "}") + ((",",) if index == start else ())):
            return index
    raise LabError(f"{path}:{start + 1}: what begins here does not end")


def _with_comment(path: str, start: int) -> int:
    """The index at which the comment directly above `start` begins."""
    lines = lines_of(path)
    while start > 0 and lines[start - 1].lstrip().startswith(("//", "template <")):
        start -= 1
    return start


def _candidates(path: str, name: str) -> Iterator[int]:
    """Where `name` is declared or defined at the outermost level, else one level further in."""
    word = re.escape(name)
    kinds = rf"^\s*(?:class|struct|enum|union)\b[^;({{]*\b{word}\b\s*(?:final\s*)?(?::|{{)"
    declared = (rf"^\s*(?!return\b|else\b|if\b|case\b)"
                rf"[\w:<>,&*~ \[\]()\"]*?(?<![\w:.>]){word}\s*[({{=;,]")
    at = [re.compile(kinds), re.compile(declared)]
    lines, depths = lines_of(path), _depths(path)
    for depth in (0, 1, 2):
        for index, line in enumerate(lines):
            if depths[index] == depth and any(form.search(_code_only(line)) for form in at):
                yield index


def cut(path: str, name: str) -> Piece:
    """The piece of a file that defines `name`: a function, a type, a member or a constant."""
    for index in _candidates(path, name):
        return Piece(path, _with_comment(path, index) + 1, _end_of(path, index) + 1)
    outer, _, inner = name.rpartition("::")
    if outer:  # a member that is defined in its class
        whole = cut(path, outer.rpartition("::")[2])
        for index in _candidates(path, inner):
            if whole.first <= index + 1 <= whole.last:
                return Piece(path, _with_comment(path, index) + 1, _end_of(path, index) + 1)
    raise LabError(f"{path} has nothing that is called {name}")


def cut_between(path: str, first: str, last: str) -> Piece:
    """From the first line that has `first` in it to the next one, or the same, that has `last`."""
    lines = lines_of(path)
    start = next((i for i, line in enumerate(lines) if first in line), None)
    if start is None:
        raise LabError(f"{path} has no line with '{first}'")
    end = next((i for i in range(start, len(lines)) if last in lines[i]), None)
    if end is None:
        raise LabError(f"{path} has no line with '{last}' after '{first}'")
    return Piece(path, start + 1, end + 1)


def exists(path: str) -> bool:
    """Whether the repository has this file."""
    return (Path(ROOT) / path).is_file()
