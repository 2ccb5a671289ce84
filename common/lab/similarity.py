"""How much of one program stands in another, by runs of equal tokens."""

from __future__ import annotations

import re
from typing import Iterable, Sequence

# A run of so many equal tokens is no accident; shorter ones (`for (int i = 0;`) are everywhere.
RUN = 8

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(r"^\s*#\s*(include|pragma)[^\n]*$", re.MULTILINE)
_TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\d[\w.\']*|::|->|[-+*/%&|^<>=!]=?|\S'
)
_KEYWORDS = frozenset(
    "alignas auto bool break case catch char class const constexpr continue default delete do"
    " double else enum explicit false float for friend if inline int long namespace new noexcept"
    " nullptr operator override private protected public return short signed sizeof static struct"
    " switch template this throw true try typename union unsigned using virtual void volatile"
    " while".split()
)


def tokens(text: str, *, same_names: bool = False) -> list[str]:
    """The tokens of a C++ file, without comments and includes. With `same_names` every name counts
    as the same, and so does every literal: renaming hides nothing."""
    found = _TOKEN.findall(_INCLUDE.sub("", _COMMENT.sub(" ", text)))
    if not same_names:
        return found
    return [_without_name(token) for token in found]


def _without_name(token: str) -> str:
    if token[0].isdigit() or token[0] in "\"'":
        return "0"
    return "x" if (token[0].isalpha() or token[0] == "_") and token not in _KEYWORDS else token


def runs(sequence: Sequence[str], length: int = RUN) -> set[tuple[str, ...]]:
    """All runs of so many tokens."""
    return {tuple(sequence[i : i + length]) for i in range(len(sequence) - length + 1)}


def covered(
    sequence: Sequence[str], known: Iterable[tuple[str, ...]], length: int = RUN
) -> list[bool]:
    """For each token whether it is part of a run that is known."""
    runs_known = set(known)
    marks = [False] * len(sequence)
    for i in range(len(sequence) - length + 1):
        if tuple(sequence[i : i + length]) in runs_known:
            marks[i : i + length] = [True] * length
    return marks


def share(mine: Sequence[str], others: Sequence[str], given: Sequence[str] = ()) -> float:
    """How much of what is new in `mine` stands in `others`, from 0 to 1. Not new is what stands in
    `given`, which everybody has. Nothing new is nothing in common."""
    new = [not mark for mark in covered(mine, runs(given))]
    found = covered(mine, runs(others))
    total = sum(new)
    return sum(1 for is_new, mark in zip(new, found) if is_new and mark) / total if total else 0.0
