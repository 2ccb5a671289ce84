"""What the kernel knows of a server that is being measured. Reading it costs the server nothing."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Optional

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_BYTES_SENT = re.compile(r"\bbytes_sent:(\d+)")


def stat_fields(text: str) -> list[str]:
    """/proc/PID/stat from its third field on: the second, a name, may hold blanks and brackets."""
    return text.rpartition(")")[2].split()


def processes_of(session: int) -> list[int]:
    """The living processes of a session: a server that we started, and what it started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            fields = stat_fields(_read(folder / "stat"))
            if len(fields) > 3 and int(fields[3]) == session and fields[0] != "Z":
                found.append(int(folder.name))
    return found


def cpu_seconds(processes: Iterable[int]) -> float:
    """User and system time of all threads, and of children that have ended and were waited for."""
    ticks = 0
    for process in processes:
        fields = stat_fields(_read(Path(f"/proc/{process}/stat")))
        ticks += sum(int(field) for field in fields[11:15])
    return ticks / _TICKS_PER_SECOND


@dataclass(frozen=True)
class Memory:
    """In KiB. `anonymous` is what the program itself has asked for; `peak` is all, at its most."""

    peak: int
    anonymous: int
    threads: int


def memory(processes: Iterable[int]) -> Memory:
    """The sums over the processes."""
    peak = anonymous = threads = 0
    for process in processes:
        status = _status(Path(f"/proc/{process}/status"))
        peak += status.get("VmHWM", 0)
        anonymous += status.get("RssAnon", 0)
        threads += status.get("Threads", 0)
    return Memory(peak, anonymous, threads)


def context_switches(processes: Iterable[int]) -> dict[int, int]:
    """For each thread how often it has left its CPU, of its own accord or not."""
    switches = {}
    for process in processes:
        try:
            threads = list(Path(f"/proc/{process}/task").iterdir())
        except OSError:
            continue
        for thread in threads:
            status = _status(thread / "status")
            switches[int(thread.name)] = sum(
                status.get(name, 0)
                for name in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
            )
    return switches


def switches_since(before: dict[int, int], now: dict[int, int]) -> int:
    """Switches of the threads that live now; one that began meanwhile counts from its start."""
    return sum(count - before.get(thread, 0) for thread, count in now.items())


def bytes_sent(port: int) -> list[int]:
    """What the kernel has sent for the server on each connection to its port that is open now.

    Those that the server never accepted are among them, with 0: the kernel has shaken hands for it.
    """
    command = ["ss", "-tinHO", "state", "established", f"sport = :{port}"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return parse_ss(ran.stdout)


def parse_ss(text: str) -> list[int]:
    """The bytes sent on each connection that `ss -tinHO` lists, one a line."""
    found = (_BYTES_SENT.search(line) for line in text.splitlines() if line.strip())
    return [int(sent[1]) if sent else 0 for sent in found]


def parse_strace(text: str) -> dict[str, int]:
    """The calls by name that `strace -c` counted; without what strace itself causes."""
    calls = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 5 and words[3].isdecimal() and words[-1] not in ("total", "syscall"):
            calls[words[-1]] = int(words[3])
    calls.pop("restart_syscall", None)
    return calls


def steal_ticks() -> tuple[int, int]:
    """(stolen, all) ticks of this machine's CPUs: what a hypervisor gave to somebody else."""
    first = _read(Path("/proc/stat")).partition("\n")[0].split()[1:]
    ticks = [int(field) for field in first[:8]]
    return (ticks[7] if len(ticks) > 7 else 0, sum(ticks))


def steal_share(before: tuple[int, int], after: tuple[int, int]) -> Optional[float]:
    """The stolen share of the time between two readings, or None if none has passed."""
    passed = after[1] - before[1]
    return (after[0] - before[0]) / passed if passed > 0 else None


def _status(path: Path) -> dict[str, int]:
    """The numbers of a status file by their names."""
    numbers = {}
    for line in _read(path).splitlines():
        name, _, value = line.partition(":")
        words = value.split()
        if words and words[0].isdecimal():
            numbers[name] = int(words[0])
    return numbers


def _read(path: Path) -> str:
    """The text, or nothing when the process has gone."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
