"""A timeline in letters, for a terminal that shows no pictures: over SSH, say.

A column is a moment, a row is a thread or a client, as in the picture. Plain ASCII, so that every
terminal, log and screen reader has it.
"""

from __future__ import annotations

import string
import textwrap
from typing import Sequence

import timeline_draw
import timeline_words
from timeline_model import Span, Thread, Timeline, Visitor

MOST_COLUMNS = 110
FEWEST_COLUMNS = 60
MOST_CLIENTS = 40  # of a trace of one's own; the picture has them all

KEY = """\
server   B runs a handler for B       b waits for B only    = works    - waits for anybody
clients  : at the door    | accepted    . waits in the server    # is served
         ~ is promised    = is sent its answer               - says nothing"""

# What is drawn last stays: short and important things over long ones.
_OF_THREADS = {"ready": "-", "work": "=", "held": "~", "handler": "#"}
_OF_CLIENTS = {"silent": "-", "door": ":", "waiting": ".", "promised": "~", "sending": "=",
               "handler": "#"}
_AFTER = 8  # the columns behind the bars, for the length of a wait


class _Row:
    """One line of letters that grows by pieces."""

    def __init__(self, timeline: Timeline, axis_us: int, columns: int) -> None:
        self._begin_us = timeline.begin_us
        self._end_us = timeline.end_us
        self._axis_us = axis_us
        self._letters = [" "] * columns

    def column(self, time_us: int) -> int:
        """Where a moment is; the last column for what comes later."""
        share = (time_us - self._begin_us) / self._axis_us
        return min(len(self._letters) - 1, max(0, int(share * len(self._letters))))

    def draw(self, begin_us: int, end_us: int, letter: str) -> None:
        """At least one column, also for what takes no time."""
        first = self.column(begin_us)
        last = max(first, self.column(end_us) - 1)
        self._letters[first:last + 1] = letter * (last + 1 - first)

    def mark(self, time_us: int, letter: str) -> None:
        """One column, where it is in sight and nothing more important stands there."""
        at = self.column(time_us)
        if time_us <= self._end_us and self._letters[at] != "#":
            self._letters[at] = letter

    def text(self) -> str:
        """The row as it is."""
        return "".join(self._letters)


def picture(timeline: Timeline, idea: str, axis_us: int, width: int) -> str:
    """One timeline, in lines of at most `width` columns where there is room, and what it shows."""
    names = max([len(thread.name) for thread in timeline.threads]
                + [len(_name(visitor)) for visitor in timeline.visitors]) + 2
    width = min(MOST_COLUMNS, max(FEWEST_COLUMNS, width))
    columns = width - names - _AFTER
    lines = [f"{timeline.stage}: {idea}" if idea else timeline.stage]
    lines.append(" " * names + _axis(axis_us, columns))
    for thread in timeline.threads:
        lines.append(thread.name.ljust(names) + _thread_row(thread, timeline, axis_us, columns))
    for visitor in timeline.visitors[:MOST_CLIENTS]:
        row = _client_row(visitor, timeline, axis_us, columns)
        after = timeline_words.answered_after(visitor)
        lines.append(_name(visitor).ljust(names) + f"{row} {after}")
    if len(timeline.visitors) > MOST_CLIENTS:
        lines.append(f"and {len(timeline.visitors) - MOST_CLIENTS} more")
    for words in (timeline_words.caption(timeline), timeline_words.held(timeline)):
        lines += textwrap.wrap(words, width)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _name(visitor: Visitor) -> str:
    return visitor.short if visitor.name in visitor.short else f"{visitor.name} {visitor.short}"


def _thread_row(thread: Thread, timeline: Timeline, axis_us: int, columns: int) -> str:
    row = _Row(timeline, axis_us, columns)
    for span in _important_last(thread.spans, _OF_THREADS):
        row.draw(span.begin_us, span.end_us, _letter(span))
    return row.text()


def _letter(span: Span) -> str:
    """The client's own, large where a handler runs for it; connections have only numbers."""
    if span.client in string.ascii_letters and span.client:
        return span.client.upper() if span.kind == "handler" else span.client.lower()
    return _OF_THREADS[span.kind]


def _client_row(visitor: Visitor, timeline: Timeline, axis_us: int, columns: int) -> str:
    row = _Row(timeline, axis_us, columns)
    for span in _important_last(visitor.spans, _OF_CLIENTS):
        if span.kind == "handler" or row.column(span.begin_us) < row.column(span.end_us):
            row.draw(span.begin_us, span.end_us, _OF_CLIENTS[span.kind])
    if visitor.accepted_us:
        row.mark(max(visitor.begin_us, visitor.accepted_us), "|")
    return row.text()


def _important_last(spans: Sequence[Span], kinds: dict[str, str]) -> list[Span]:
    order = list(kinds)
    return sorted(spans, key=lambda span: order.index(span.kind))


def _axis(axis_us: int, columns: int) -> str:
    """The moments that the picture names, each begins where its column is."""
    letters = ""
    for tick_us, has_words in timeline_draw.ticks(axis_us):
        at = tick_us * columns // axis_us
        if has_words and (at == 0 or at > len(letters)):
            letters = letters.ljust(at) + timeline_draw.tick_words(tick_us)
    return letters
