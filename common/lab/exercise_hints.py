"""The hints of an exercise: three for each test, each stronger than the one before."""

from __future__ import annotations

import re
from typing import Mapping, Sequence

from console import LabError
from exercise_files import Exercise

STRENGTHS = ("where to look", "what is wrong", "how to mend it")

_SECTION = re.compile(r"^## (\S+)\s*$", re.MULTILINE)
_ITEM = re.compile(r"^(\d)\. ", re.MULTILINE)


def hints_of(exercise: Exercise) -> Mapping[str, Sequence[str]]:
    """hints.md: test -> hints, the weakest first."""
    file = exercise.folder / "hints.md"
    if not file.is_file():
        raise LabError(f"{exercise.name} has no hints")
    _, *parts = _SECTION.split(file.read_text())
    return {name: _items(text) for name, text in zip(parts[::2], parts[1::2])}


def _items(text: str) -> list[str]:
    _, *parts = _ITEM.split(text)
    return [re.sub(r"\s*\n\s+", "\n", part.strip()) for part in parts[1::2]]
