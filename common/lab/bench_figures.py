"""The figures that a run yields: their names, units, and which direction is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

Run = dict[str, Any]  # one repetition, as the JSON has it


@dataclass(frozen=True)
class Figure:
    """How to read a figure."""

    key: str
    title: str
    short: str  # the head of a column
    better: str  # more or less
    log: bool = False  # its values range over decades
    is_latency: bool = False  # of no use when somebody starves


FIGURES = {
    figure.key: figure
    for figure in (
        Figure("per_cpu_s", "requests per CPU-second of the server", "req/CPU-s", "more"),
        Figure("rate", "requests per second", "req/s", "more"),
        Figure("p50", "microseconds that half of the requests waited at most", "p50 us", "less",
               True, True),
        Figure("p99", "microseconds that 99 of 100 requests waited at most", "p99 us", "less",
               True, True),
        Figure("served", "connections that got an answer", "served", "more"),
        Figure("threads", "threads of the server", "threads", "less", True),
        Figure("peak_kib", "memory of the server at its most, KiB", "peak KiB", "less"),
        Figure("per_idle_kib", "memory per idle connection, KiB", "KiB/idle", "less"),
        Figure("syscalls", "system calls per request", "calls/req", "less"),
        Figure("switches", "context switches per request", "switches/req", "less"),
    )
}


def value(run: Run, key: str) -> Optional[float]:
    """A figure of a run; None where it has none, or none that may be shown.

    When a connection got nothing there is no latency: those who were not served do not appear in
    it, and those who were had the server for themselves.
    """
    figure = FIGURES[key]
    if run.get("failure") or (figure.is_latency and starved(run)):
        return None
    found = run.get("figures", {}).get(key)
    return None if found is None else float(found)


def starved(run: Run) -> bool:
    """Whether a connection got no answer at all."""
    connections = run.get("connections")
    return bool(connections) and connections["answered"] < connections["asked"]


def number(amount: Optional[float]) -> str:
    """A figure for people: three digits that count, thousands apart."""
    if amount is None:
        return "-"
    if amount >= 100 or amount == int(amount):
        return f"{amount:,.0f}"
    return f"{amount:.1f}" if amount >= 10 else f"{amount:.2f}"
