"""The verb `syscalls`: the system calls of one request, of a batch and of an idle second."""

from __future__ import annotations

import argparse
import collections
import re
import shutil
from pathlib import Path
from typing import Iterable, Sequence

import syscalls_run
from building import build, check_preset, program_path
from console import UsageError, say
from showing import STAGES_WITH_WORKERS
from stages import ROOT, all_stages, find_stage
from syscalls_run import SITUATIONS, Seen
from syscalls_trace import Call
from timeline import STAGES_WITH_LOOPS, TWO_LOOPS

BOOK = ROOT / "docs" / "syscalls.md"
NARROWEST = 60
MARKS = ("<!-- made by ./lab syscalls all --book -->", "<!-- end -->")

# Few threads: the calls of a request do not depend on how many others sleep.
_FEW_WORKERS = ["--workers", "2"]


def options_of(stage: str) -> list[str]:
    """What keeps the number of threads small."""
    return ([*_FEW_WORKERS] if stage in STAGES_WITH_WORKERS else []) + (
        [*TWO_LOOPS] if stage in STAGES_WITH_LOOPS else [])


def counted(calls: Sequence[Call]) -> str:
    """`recvfrom, sendto, futex x 2`, in the order in which they first came."""
    counts = collections.Counter(call.name for call in calls)
    return ", ".join(name if count == 1 else f"{name} x {count}" for name, count in counts.items())


def waits_in(waiting: Sequence[Call]) -> str:
    """Where the threads are afterwards: `epoll_wait x 2, futex x 8`."""
    return counted(sorted(waiting, key=lambda call: call.name)) or "nothing"


def one_by_one(stage: str, seen: Iterable[Seen], width: int) -> str:
    """Every call of every situation of one stage, with the thread that made it."""
    lines = [stage]
    for situation in seen:
        number = len(situation.calls)
        lines.append(f"\n  {situation.situation.title}: {number or 'no'} "
                     f"call{'' if number == 1 else 's'}")
        names = _thread_names(situation.calls)
        for call in situation.calls:
            lines.append(_cut(f"    {names[call.thread]}  {call.text()}", width))
        lines.append(_cut(f"    then waits in {waits_in(situation.waiting)}", width))
    return "\n".join(lines) + "\n"


def _thread_names(calls: Sequence[Call]) -> dict[int, str]:
    """a, b, c: the system's numbers say nothing, and differ each time."""
    numbers = list(dict.fromkeys(call.thread for call in calls))
    return {number: chr(ord("a") + place % 26) for place, number in enumerate(numbers)}


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[:width - 3] + "..."


def by_situation(found: dict[str, list[Seen]]) -> str:
    """Of several stages: how many calls and which, so that the stages stand below each other."""
    names = max(map(len, found))
    lines = []
    for place, situation in enumerate(SITUATIONS):
        lines.append(situation.title)
        for stage, seen in found.items():
            calls = seen[place].calls
            lines.append(f"  {stage.ljust(names)} {len(calls):3}  {counted(calls)}".rstrip())
        lines.append("")
    return "\n".join(lines)


def as_markdown(found: dict[str, list[Seen]]) -> str:
    """The same as tables, for the book."""
    parts = []
    for place, situation in enumerate(SITUATIONS):
        title = situation.title[0].upper() + situation.title[1:]
        parts.append(f"## {title}\n\n| stage | calls | which | then waits in |\n|---|---|---|---|")
        for stage, seen in found.items():
            calls, waiting = seen[place].calls, seen[place].waiting
            parts.append(f"| `{stage}` | {len(calls)} | {_times(counted(calls))} | "
                         f"{_times(waits_in(waiting))} |")
        parts.append("")
    return "\n".join(parts)


def _times(words: str) -> str:
    """With code marked as code, and a sign that a terminal may lack."""
    return re.sub(r"([a-z_]\w+)", r"`\1`", words.replace(" x ", " \u00d7 "), flags=re.ASCII)


def with_tables(text: str, tables: str) -> str:
    """`text` with these tables between its marks."""
    before, begin, rest = text.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not begin or not end:
        raise UsageError(f"{BOOK.relative_to(ROOT)} has no place for the tables any more")
    return f"{before}{begin}\n\n{tables}\n{end}{after}"


def main(arguments: list[str]) -> int:
    """`lab syscalls [STAGE... | all] [--book] [--preset PRESET]`"""
    parser = argparse.ArgumentParser("lab syscalls", allow_abbrev=False)
    parser.add_argument("stages", nargs="*", metavar="STAGE")
    parser.add_argument("--book", action="store_true")
    parser.add_argument("--preset", default="release")
    chosen = parser.parse_args(arguments)
    every = all_stages()
    is_all = chosen.stages in ([], ["all"])
    if chosen.book and not is_all:
        raise UsageError("--book writes the tables of all stages: name none")
    stages = every if is_all else [find_stage(word, every) for word in chosen.stages]
    build(check_preset(chosen.preset), stages, with_tests=False)
    found = {}
    for stage in stages:
        say(f"looks at {stage} with strace")
        found[stage] = syscalls_run.record(program_path(stage, chosen.preset), options_of(stage))
    if chosen.book:
        BOOK.write_text(with_tables(BOOK.read_text(), as_markdown(found)))
        print(Path(BOOK).relative_to(ROOT))
    elif len(found) == 1:
        width = max(NARROWEST, shutil.get_terminal_size().columns)
        print(one_by_one(stages[0], found[stages[0]], width), end="")
    else:
        print(by_situation(found), end="")
    return 0
