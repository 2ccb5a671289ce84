"""What strace has written: which thread made which system call, from when to when.

A line is `PID TIME NAME(ARGUMENTS) = RESULT <LENGTH>`, by `strace -f -ttt -T -o FILE`. A call
during which another thread makes one stands in two lines: `NAME(ARGUMENTS <unfinished ...>`, and
`<... NAME resumed>ARGUMENTS) = RESULT <LENGTH>` when it returns (man 1 strace).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Iterable, Optional, Sequence

_LINE = re.compile(r"(\d+) +(\d+\.\d+) (.*)")
_WHOLE = re.compile(r"(\w+)\((.*)\) += (.*?)(?: <(\d+\.\d+)>)?")
_BEGUN = re.compile(r"(\w+)\((.*?) *<unfinished \.\.\.>")
_STRUCTURE = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
_RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)\) += (.*?)(?: <(\d+\.\d+)>)?")


@dataclass(frozen=True)
class Call:
    """One system call. Times are seconds since the Unix epoch; `end` is None while it lasts."""

    thread: int
    name: str
    arguments: str
    begin: float
    end: Optional[float] = None
    result: str = ""

    def text(self) -> str:
        """`recvfrom(7, "GET /"..., 0) = 44`, as strace writes it, but structures only as `{..}`."""
        arguments = _STRUCTURE.sub("{..}", self.arguments)
        return f"{self.name}({arguments})" + (f" = {self.result}" if self.end else "")


def parse(lines: Iterable[str]) -> list[Call]:
    """All calls, in the order in which they began. What is no call (a signal, an exit) is left out.

    A call that never returned is among them, without an end: what its thread waits in.
    """
    calls: list[Call] = []
    begun: dict[int, int] = {}  # by thread: where in `calls` the one stands that lasts
    for line in lines:
        head = _LINE.fullmatch(line.rstrip("\n"))
        if not head:
            continue
        thread, time, said = int(head[1]), float(head[2]), head[3]
        if whole := _WHOLE.fullmatch(said):
            calls.append(Call(thread, whole[1], whole[2], time, time + float(whole[4] or 0),
                              whole[3]))
        elif unfinished := _BEGUN.fullmatch(said):
            begun[thread] = len(calls)
            calls.append(Call(thread, unfinished[1], unfinished[2], time))
        elif (resumed := _RESUMED.fullmatch(said)) and thread in begun:
            place = begun.pop(thread)
            before = calls[place]
            calls[place] = replace(before, arguments=before.arguments + resumed[2], end=time,
                                   result=resumed[3])
    return calls


def returned_between(calls: Sequence[Call], begin: float, end: float) -> list[Call]:
    """The calls that came back in this time: also one in which a thread has waited for long."""
    return [call for call in calls if call.end is not None and begin <= call.end < end]


def waiting_at(calls: Sequence[Call], moment: float) -> list[Call]:
    """The calls in which threads are at this moment, a thread at most one."""
    return [call for call in calls
            if call.begin < moment and (call.end is None or call.end > moment)]
