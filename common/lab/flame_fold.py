"""From what perf and callgrind write to one tree: who called whom, and what it cost.

A stack is a list of frames from the outermost function to the one that ran. Both tools tell the
same in their own ways: perf a stack for each sample (man 1 perf-script), callgrind the cost of each
function under the names of its callers (--separate-callers, man 1 valgrind).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Iterable, Iterator, Optional, Sequence

# Frames above every thread's own function and at the door of the system: the same in each stack.
_AT_THE_EDGE = re.compile(
    r"_start|start_thread|clone3?|\(below main\)|__libc_start_.*|0x[0-9a-f]+|\[unknown\]"
    r"|entry_SYSCALL_64.*|do_syscall_64|x64_sys_call|el0t_.*|el0_svc.*|invoke_syscall.*")
_SYSTEM_CALL = re.compile(r"__(?:x64|arm64|se)_sys_(\w+)")
_SAMPLE_LINE = re.compile(r"\s+([0-9a-f]+) (.*) \((.*)\)")
_COST_LINE = re.compile(r"[+*-]?\d+ (\d+)")
OWN = "stagecraft::"


@dataclass(frozen=True)
class Frame:
    """A function: of the project (own), of the system, or of a library (other)."""

    name: str
    kind: str


@dataclass
class Node:
    """A function, called from where it stands in the tree."""

    frame: Frame
    weight: int = 0  # with all that it called
    own_weight: int = 0  # without
    children: dict[Frame, Node] = field(default_factory=dict)

    def biggest_first(self) -> list[Node]:
        """What it called."""
        return sorted(self.children.values(), key=lambda node: (-node.weight, node.frame.name))


Stack = tuple[Sequence[Frame], int]


def tree(stacks: Iterable[Stack], root: str) -> Node:
    """All stacks put together where they are the same."""
    top = Node(Frame(root, "root"))
    for frames, weight in stacks:
        node = top
        node.weight += weight
        for frame in frames:
            node = node.children.setdefault(frame, Node(frame))
            node.weight += weight
        node.own_weight += weight
    return top


def folded(node: Node, before: str = "") -> Iterator[str]:
    """The tree as flamegraph.pl, speedscope and others read it: `a;b;c 12`."""
    path = f"{before};{node.frame.name}" if before else node.frame.name
    if node.own_weight:
        yield f"{path} {node.own_weight}"
    for child in node.biggest_first():
        yield from folded(child, path)


# --- perf ---


def of_perf(script: Iterable[str]) -> Iterator[Stack]:
    """The samples of `perf script -F comm,tid,ip,sym,dso`: blocks of lines, the innermost first."""
    frames: list[Frame] = []
    is_inside = False
    for line in [*script, ""]:
        found = _SAMPLE_LINE.fullmatch(line.rstrip("\n"))
        if found:
            frame = _frame(found[2], is_system=found[3].startswith(("[kernel", "[guest")))
            if frame is not None and (not frames or frames[-1] != frame):
                frames.append(frame)
        elif not line.strip() and is_inside:
            yield list(reversed(frames)), 1
            frames, is_inside = [], False
        elif line.strip():
            is_inside = True


# --- callgrind ---


def of_callgrind(lines: Iterable[str]) -> Iterator[Stack]:
    """Costs of a file written with --compress-strings=no --compress-pos=no --separate-callers=N.

    Lines of costs follow the line of their function. The one after `calls=` is what the call cost,
    which the called function tells itself.
    """
    frames: list[Frame] = []
    is_of_call = False
    for line in lines:
        if line.startswith("fn="):
            frames = _callers(line[3:].strip())
        elif line.startswith("calls="):
            is_of_call = True
        elif cost := _COST_LINE.fullmatch(line.strip()):
            if not is_of_call:
                yield frames, int(cost[1])
            is_of_call = False


def _callers(name: str) -> list[Frame]:
    """`inner'outer'outermost`, and `inner'2` for what calls itself."""
    found = [_frame(part, is_system=False) for part in reversed(name.split("'"))
             if not part.isdecimal()]
    return [frame for frame in found if frame is not None]


# --- Names ---


def _frame(symbol: str, *, is_system: bool) -> Optional[Frame]:
    if _AT_THE_EDGE.fullmatch(symbol):
        return None
    if is_system:
        call = _SYSTEM_CALL.fullmatch(symbol)
        return Frame(f"system call {call[1]}" if call else symbol, "system")
    return Frame(short_name(symbol), "own" if _is_own(symbol) else "other")


def _is_own(symbol: str) -> bool:
    return OWN in re.split(r"[<(]", symbol)[0] or symbol == "main"


def short_name(symbol: str) -> str:
    """`stagecraft::(anonymous namespace)::run_body(void*)` as `run_body`."""
    if symbol.startswith("std::_Function_handler<") or symbol.startswith("std::function<"):
        return "std::function"
    name = symbol.replace("(anonymous namespace)::", "").replace(OWN, "")
    if "operator" not in name:
        name = _without("<", ">", name)
    name = _without("(", ")", name).replace(" const", "").strip()
    if "operator" not in name:
        name = name.rpartition(" ")[2]  # a function made from a template tells its result first
    return re.sub(r"^__(libc_)?(?=[a-z])", "", name) or symbol


def _without(opening: str, closing: str, text: str) -> str:
    """`text` without what stands between these, the outermost pairs with all inside."""
    depth, kept = 0, []
    for letter in text:
        if letter == opening:
            depth += 1
        if depth == 0:
            kept.append(letter)
        if letter == closing:
            depth = max(0, depth - 1)
    return "".join(kept)
