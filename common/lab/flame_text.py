"""A flame graph in words, for a terminal: the tree, and where the time itself is spent."""

from __future__ import annotations

from typing import Iterator

from flame_fold import Node

SMALLEST_SHARE = 0.01  # of all; what is less is not told
MOST_LINES = 12


def picture(top: Node, width: int) -> str:
    """Who called whom, with the share of all; then the functions that cost most by themselves.

    The tree ends where the system begins: what the kernel does inside is in the picture.
    """
    lines = ["with all that it calls"]
    lines += [_cut(line, width) for child in top.biggest_first() for line in _tree(top, child, 0)]
    lines += ["", "by itself"]
    by_itself: dict[str, int] = {}
    _collect(top, "", by_itself)
    most = sorted(by_itself.items(), key=lambda item: (-item[1], item[0]))[:MOST_LINES]
    lines += [_cut(f"  {_share(top, weight)}  {name}", width) for name, weight in most
              if weight >= top.weight * SMALLEST_SHARE]
    return "\n".join(lines) + "\n"


def _tree(top: Node, node: Node, depth: int) -> Iterator[str]:
    if node.weight < top.weight * SMALLEST_SHARE:
        return
    yield f"  {_share(top, node.weight)}  {'  ' * depth}{node.frame.name}"
    if node.frame.kind != "system":
        for child in node.biggest_first():
            yield from _tree(top, child, depth + 1)


def _collect(node: Node, system_call: str, found: dict[str, int]) -> None:
    """A system call counts with all that the kernel did in it."""
    if node.frame.kind == "system":
        system_call = system_call or node.frame.name
    name = system_call or node.frame.name
    if node.own_weight:
        found[name] = found.get(name, 0) + node.own_weight
    for child in node.children.values():
        _collect(child, system_call, found)


def _share(top: Node, weight: int) -> str:
    return f"{100 * weight / top.weight:5.1f} %"


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[:width - 3] + "..."
