"""What students have handed in: found, read with care, and screened before a compiler sees it."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Sequence

from console import LabError
from exercise_files import Exercise

MOST_FILE_BYTES = 1 << 20

# `#include "..."` and `<...>` in all their spellings; what stands behind is judged.
_INCLUDE = re.compile(
    r"^[ \t]*(?:#|%:|\?\?=)[ \t]*(include|include_next|embed|import)\b(.*)$", re.MULTILINE
)
_OUTSIDE = re.compile(r'^\s*["<](/|.*\.\.)')
_QUOTED = re.compile(r'^\s*(?:"[^"]+"|<[^>]+>)')
_INCBIN = re.compile(r"\.\s*incbin|\bincbin\b")


@dataclass(frozen=True)
class Submission:
    """The files of one student for one exercise, as bytes; `refused` says why it gets a zero."""

    student: str
    exercise: Exercise
    files: Mapping[str, bytes]
    refused: str = ""

    @property
    def digest(self) -> str:
        """A word that is different for different files."""
        digest = hashlib.sha256()
        for name in sorted(self.files):
            digest.update(f"{name}\0{len(self.files[name])}\0".encode() + self.files[name])
        return digest.hexdigest()[:16]


def student_of(path: Path) -> str:
    """`class/alice.tar.gz` -> `alice`."""
    name = path.resolve().name
    for ending in (".tar.gz", ".tgz", ".tar"):
        if name.endswith(ending):
            return name[: -len(ending)]
    return name


def read_submissions(path: Path, exercises: Sequence[Exercise]) -> list[Submission]:
    """What lies in a folder or an archive for these exercises: in NN-name/ or in work/NN-name/.
    An exercise of which nothing is there is left out."""
    if path.is_dir():
        texts = {each.name: _from_folder(path, each, len(exercises) == 1) for each in exercises}
    elif path.is_file():
        texts = _from_archive(path, exercises)
    else:
        raise LabError(f"there is no {path}")
    found = []
    for exercise in exercises:
        files = texts.get(exercise.name)
        if files:
            found.append(
                Submission(student_of(path), exercise, files, refusal(exercise, files) or "")
            )
    return found


def _from_folder(path: Path, exercise: Exercise, is_only: bool) -> dict[str, bytes]:
    folders = [path / exercise.name, path / "work" / exercise.name]
    if is_only:  # else nobody knows of which exercise the files are
        folders.append(path)
    for folder in folders:
        if folder.is_dir():
            root = folder.resolve()
            found = {}
            for name in exercise.edit:
                content = _read_plain(root, root / name)
                if content is not None:
                    found[name] = content
            return found
    return {}


def _read_plain(root: Path, file: Path) -> Optional[bytes]:
    """The content of a regular file; nothing for a link, which could lead anywhere, or a FIFO,
    which nobody may ever write to. One byte more than is allowed, if it is too large."""
    if root not in file.parent.resolve().parents and file.parent.resolve() != root:
        return None
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return opened.read(MOST_FILE_BYTES + 1)


def _from_archive(path: Path, exercises: Sequence[Exercise]) -> dict[str, dict[str, bytes]]:
    wanted = {
        f"{prefix}{each.name}/{name}": (each.name, name)
        for each in exercises
        for name in each.edit
        for prefix in ("", "./", "work/")
    }
    found: dict[str, dict[str, bytes]] = {}
    try:
        with tarfile.open(path) as archive:
            for entry in archive:
                if entry.isfile() and entry.name in wanted:
                    exercise, name = wanted[entry.name]
                    content = archive.extractfile(entry)
                    assert content is not None
                    found.setdefault(exercise, {})[name] = content.read(MOST_FILE_BYTES + 1)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise LabError(f"{path} cannot be read: {error}") from error
    return found


def refusal(exercise: Exercise, files: Mapping[str, bytes]) -> Optional[str]:
    """Why these files are not even compiled; nothing if they are."""
    for name in exercise.edit:
        if name not in files:
            return f"{name} is missing"
        if len(files[name]) > MOST_FILE_BYTES:
            return f"{name} is larger than {MOST_FILE_BYTES >> 20} MiB"
    for name, content in files.items():
        if name.endswith((".cpp", ".h")):
            text = re.sub(r"(\\|\?\?/)[ \t]*\r?\n", "", content.decode(errors="replace"))
            for kind, rest in _INCLUDE.findall(re.sub(r"/\*.*?\*/", " ", text, flags=re.S)):
                if kind == "embed" or _OUTSIDE.match(rest) or not _QUOTED.match(rest):
                    return f"{name} includes a file from outside its folder: #{kind}{rest.rstrip()}"
            if _INCBIN.search(text):
                return f"{name} takes a file into the program with incbin"
    return None
