"""A timeline as SVG: a row for each thread, a row for each client, hair lines between them.

The tones are those of the project's page (common/app/www): a client waits outside the server, or in
it, or is served, in the colour of the thread that has it. By hand, as the charts are
(docs/decisions/0020-charts-by-hand.md): it is rectangles, lines and words.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import Iterator, Optional, Sequence

import timeline_words
from timeline_model import Span, Thread, Timeline, Visitor

COLOURS = 8

# As in common/app/www/style.css. Okabe and Ito's colours, which people with any colour vision can
# tell apart.
_LIGHT = """--paper: #f7f5f0; --card: #fff; --ink: #1b2330; --quiet: #596273; --hair: #e3dfd6;
  --line: #8a8f9a; --accent: #0b5f97;
  --t1: #0072b2; --t2: #e69f00; --t3: #009e73; --t4: #d55e00; --t5: #56b4e9; --t6: #cc79a7;
  --t7: #e3d52e; --t8: #4d5563;
  --o1: #fff; --o2: #14181f; --o3: #0b1512; --o4: #14100c; --o5: #10171c; --o6: #1a1016;
  --o7: #18170a; --o8: #fff;"""
_DARK = """--paper: #12151a; --card: #1a1f27; --ink: #e7e9ee; --quiet: #9ea8b8; --hair: #2b323d;
  --line: #727c8c; --accent: #74b9ea; --t1: #3f9fe0; --t8: #a3adbb; --o1: #0a131a; --o8: #12161c;"""
COLOUR_STYLE = f"""
:root {{ color-scheme: light dark; {_LIGHT} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
"""
STYLE = """
svg.timeline { background: var(--card); print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }
.timeline text { fill: var(--ink); font: 13px system-ui, -apple-system, "Segoe UI", Roboto,
  "Noto Sans", sans-serif; }
.timeline .head { font-size: 15px; font-weight: 650; }
.timeline .quiet { fill: var(--quiet); font-size: 12px; }
.timeline .tick { fill: var(--quiet); font-size: 11px; stroke: var(--card); stroke-width: 3;
  paint-order: stroke; }
.timeline .name { font-weight: 650; }
.timeline .letter { font-size: 11px; font-weight: 650; text-anchor: middle; }
.timeline .grid { stroke: var(--hair); stroke-width: 1; }
.timeline .base { stroke: var(--line); stroke-width: 1; opacity: .55; }
.timeline .hairline { stroke: currentColor; stroke-width: .8; opacity: .75; }
.timeline .dot { fill: currentColor; }
.timeline .accepted { stroke: var(--ink); stroke-width: 1.6; }
.timeline .handler { fill: currentColor; }
.timeline .work { fill: currentColor; opacity: .55; }
.timeline .waiting { fill: currentColor; opacity: .26; }
.timeline .sending { fill: currentColor; opacity: .5; }
.timeline .promised { fill: var(--card); stroke: currentColor; stroke-width: 1.4; }
.timeline .silent { stroke: var(--line); stroke-width: 1.8; stroke-dasharray: .1 4;
  stroke-linecap: round; }
.timeline .stripe { stroke: currentColor; }
""" + "".join(f".timeline .c{i} {{ color: var(--t{i}); }}\n"
              f".timeline .on{i} {{ fill: var(--o{i}); }}\n"
              for i in range(1, COLOURS + 1)) + ".timeline .c0 { color: var(--line); }\n"

ROW = 22
BAR = 14
GAP = 30  # between threads and clients, where the hair lines are seen
SHORTEST = 2.0  # what takes no time has to be seen, too


@dataclass(frozen=True)
class Shape:
    """How wide a picture is, and how much of that is for words."""

    name: str
    width: int
    names: int  # the column before the bars
    after: int  # the column behind them


WIDE = Shape("wide", 720, 166, 52)
NARROW = Shape("narrow", 400, 86, 50)


class _Drawing:
    """Collects the elements of one picture."""

    def __init__(self, timeline: Timeline, shape: Shape, axis_us: int, key: str) -> None:
        self._timeline = timeline
        self._shape = shape
        self._key = key  # what ids begin with: several pictures may stand on one page
        self._axis_us = axis_us
        self._left = shape.names
        self._right = shape.width - shape.after
        self.lines: list[str] = []  # below everything
        self.bars: list[str] = []
        self.words: list[str] = []
        self._thread_y: dict[int, float] = {}

    def x(self, time_us: int) -> float:
        """Where a moment is."""
        share = (time_us - self._timeline.begin_us) / self._axis_us
        return self._left + share * (self._right - self._left)

    def draw(self, top: float) -> tuple[str, float]:
        """All elements from `top` on, and where they end."""
        y = top
        self._word(12, y - 8, "server", "quiet")
        for thread in self._timeline.threads:
            self._thread_row(thread, y)
            y += ROW
        y += GAP
        self._word(12, y - 8, "clients", "quiet")
        for visitor in self._timeline.visitors:
            self._client_row(visitor, y)
            y += ROW
        grid, y = self._axis(top, y + 4)
        return "\n".join([*grid, *self.lines, *self.bars, *self.words]), y

    # --- Rows ---

    def _thread_row(self, thread: Thread, y: float) -> None:
        self._thread_y[thread.number] = y + ROW / 2
        middle = y + ROW / 2
        self._word(12, middle + 4.5, thread.name)
        colour = f"c{thread.colour}"
        begin, end = self.x(thread.begin_us), self.x(thread.end_us)
        self.lines.append(f'<path class="base" d="M{begin:.1f} {middle}H{end:.1f}"/>')
        order = {"held": 0, "work": 1, "handler": 2}
        for span in sorted(_joined(thread.spans), key=lambda span: order.get(span.kind, 0)):
            if span.kind == "held":
                self._held(span, thread, middle)
            elif span.kind == "work":
                self._bar(span, middle, 5, f"work {colour}")
            elif span.kind == "handler":
                self._bar(span, middle, BAR, f"handler {colour}", self._about(span, thread.name))
                self._letter(span, middle, span.client, f"on{thread.colour}")

    def _held(self, span: Span, thread: Thread, middle: float) -> None:
        if self._is_tiny(span):
            return
        name = f"{self._key}-held-{thread.colour}"
        self._bar(span, middle, BAR, f"c{thread.colour}", self._about(span, thread.name),
                  f' fill="url(#{name})"')
        if self.x(span.end_us) - self.x(span.begin_us) >= 14:
            at = (self.x(span.begin_us) + self.x(span.end_us)) / 2
            self.words.append(f'<circle cx="{at:.1f}" cy="{middle}" r="7" fill="var(--card)"/>')
            self._letter(span, middle, span.client, "")

    def _client_row(self, visitor: Visitor, y: float) -> None:
        middle = y + ROW / 2
        self._visitor_name(visitor, middle + 4.5)
        last = visitor.begin_us
        for span in visitor.spans:
            colour = self._colour(span.thread or visitor.acceptor)
            self._client_span(span, visitor, middle, colour)
            last = max(last, span.end_us)
        if visitor.accepted_us <= self._timeline.end_us:
            # A client on the same machine may learn that it is connected after it is accepted.
            at = self.x(max(visitor.begin_us, visitor.accepted_us))
            self.bars.append(f'<path class="accepted" d="M{at:.1f} {middle - 9}v18"/>')
        self._links(visitor, middle)
        after = timeline_words.answered_after(visitor)
        if after and len(visitor.requests) == 1:
            self._word(self.x(last) + 6, middle + 4, after, "tick")

    def _visitor_name(self, visitor: Visitor, y: float) -> None:
        rest = visitor.short if self._shape is WIDE else ""
        if visitor.name in visitor.short:  # a connection, which has only a number
            self._word(12, y, visitor.short if self._shape is WIDE else f"no. {visitor.name}")
            return
        self.words.append(f'<text x="12" y="{y:g}"><tspan class="name">'
                          f"{html.escape(visitor.name)}</tspan>"
                          f'<tspan dx="7">{html.escape(rest)}</tspan></text>')

    def _client_span(self, span: Span, visitor: Visitor, middle: float, colour: int) -> None:
        if self._is_tiny(span) and span.kind != "handler":
            return
        about = self._about(span, visitor.name)
        if span.kind == "silent":
            self.bars.append(f'<path class="silent" d="M{self.x(span.begin_us) + 2:.1f} {middle}'
                             f'H{self.x(span.end_us):.1f}"><title>{about}</title></path>')
        elif span.kind == "door":
            # Whoever serves it in the end: the colour says for whom it waits.
            colour = self._colour(next((request.thread for request in visitor.requests),
                                       visitor.acceptor))
            self._bar(span, middle, BAR, f"c{colour}", about,
                      f' fill="url(#{self._key}-door-{colour})"')
        elif span.kind == "promised":
            self._bar(span, middle, BAR - 1.4, f"promised c{colour}", about)
        else:
            height = 6 if span.kind == "sending" else BAR
            self._bar(span, middle, height, f"{span.kind} c{colour}", about)
            if span.kind == "handler" and colour:
                self._letter(span, middle, str(self._timeline.thread(span.thread).name[-1])
                             if self._is_numbered(span.thread) else "", f"on{colour}")

    def _is_numbered(self, number: int) -> bool:
        return self._timeline.thread(number).name[-1].isdecimal()

    # --- Hair lines: a request goes to a thread, an answer comes from one ---

    def _links(self, visitor: Visitor, middle: float) -> None:
        for request in visitor.requests:
            if request.entered_us:
                self._link(request.entered_us, request.thread, middle, to_thread=True)
            if request.ready_us:
                self._link(request.ready_us, request.teller, middle, to_thread=False)
        if not visitor.requests:
            for thread in self._timeline.threads:
                first = next((span for span in thread.spans if span.client == visitor.name), None)
                if first is not None and first.length_us > self._axis_us // 100:
                    self._link(first.begin_us, thread.number, middle, to_thread=True)

    def _link(self, time_us: int, number: int, middle: float, *, to_thread: bool) -> None:
        if number not in self._thread_y or not self._in_sight(time_us):
            return
        x, y, colour = self.x(time_us), self._thread_y[number], self._colour(number)
        self.lines.append(f'<path class="hairline c{colour}" d="M{x:.1f} {y}V{middle}"/>')
        end = y + BAR / 2 if to_thread else middle - BAR / 2
        # The tip of an arrow: up into the thread's row, or down into the client's.
        tip = 4 if to_thread else -4
        self.words.append(f'<path class="dot c{colour}" d="M{x:.1f} {end}l-2.4 {tip}h4.8z"/>')

    def _in_sight(self, time_us: int) -> bool:
        return self._timeline.begin_us <= time_us <= self._timeline.end_us

    def _is_tiny(self, span: Span) -> bool:
        """Shorter than a unit of the drawing."""
        return span.length_us * (self._right - self._left) < self._axis_us

    # --- Elements ---

    def _bar(self, span: Span, middle: float, height: float, kind: str, about: str = "",
             more: str = "") -> None:
        begin = self.x(span.begin_us)
        width = max(SHORTEST, self.x(span.end_us) - begin)
        round_off = min(2.5, width / 2) if "handler" in kind or "promised" in kind else 0
        title = f"<title>{about}</title>" if about else ""
        self.bars.append(f'<rect class="{kind}" x="{begin:.1f}" y="{middle - height / 2:g}" '
                         f'width="{width:.1f}" height="{height:g}" rx="{round_off:g}"{more}>'
                         f'{title}</rect>')

    def _letter(self, span: Span, middle: float, letter: str, kind: str) -> None:
        begin, end = self.x(span.begin_us), self.x(span.end_us)
        if end - begin >= 6 + 6 * len(letter):
            self.words.append(f'<text class="letter {kind}" x="{(begin + end) / 2:.1f}" '
                              f'y="{middle + 4:g}">{html.escape(letter)}</text>')

    def _word(self, x: float, y: float, words: str, kind: str = "") -> None:
        mark = f' class="{kind}"' if kind else ""
        self.words.append(f'<text{mark} x="{x:.1f}" y="{y:g}">{html.escape(words)}</text>')

    def _about(self, span: Span, whose: str) -> str:
        begin = timeline_words.seconds(span.begin_us - self._timeline.begin_us)
        of_threads = {"held": f"waits for {span.client}",
                      "handler": f"runs a handler for {span.client}"}
        what = of_threads if span.client else timeline_words.OF_CLIENTS
        words = f"{whose}: {what.get(span.kind, span.kind)}"
        return html.escape(f"{words}, {timeline_words.seconds(span.length_us)} from {begin} on")

    def _colour(self, number: int) -> int:
        return next((thread.colour for thread in self._timeline.threads
                     if thread.number == number), 0)

    def _axis(self, top: float, y: float) -> tuple[list[str], float]:
        grid = []
        for tick_us, has_words in ticks(self._axis_us):
            x = self._left + tick_us / self._axis_us * (self._right - self._left)
            grid.append(f'<path class="grid" d="M{x:.1f} {top}V{y}"/>')
            if has_words:
                self.words.append(f'<text class="tick" text-anchor="middle" x="{x:.1f}" '
                                  f'y="{y + 14}">{tick_words(tick_us)}</text>')
        return grid, y + 24


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Waits for the same that follow each other, one for each send(2) say, as one."""
    joined: list[Span] = []
    for span in spans:
        before = joined[-1] if joined else None
        if (before and span.kind == before.kind == "held" and span.note == before.note
                and span.client == before.client and span.begin_us - before.end_us < 1000):
            joined[-1] = replace(before, end_us=span.end_us)
        else:
            joined.append(span)
    return joined


def ticks(axis_us: int) -> Iterator[tuple[int, bool]]:
    """Moments on an axis of this length, and whether one gets a number."""
    steps = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000)
    step = next((step * 1000 for step in steps if axis_us <= step * 1000 * 10), axis_us // 10 or 1)
    for place in range(axis_us // step + 1):
        yield place * step, place % 2 == 0


def tick_words(tick_us: int) -> str:
    """What stands at a moment of the axis."""
    return "0" if tick_us == 0 else f"{tick_us / 1e6:g} s"


def _patterns(key: str, timeline: Timeline) -> str:
    """Stripes: upright for who is outside, slanting for a thread that is held."""
    parts = []
    for colour in sorted({thread.colour for thread in timeline.threads} | {0}):
        parts.append(
            f'<pattern id="{key}-held-{colour}" class="c{colour}" width="5" height="5" '
            f'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            f'<path class="stripe" stroke-width="2.4" d="M1.2 0v5"/></pattern>'
            f'<pattern id="{key}-door-{colour}" class="c{colour}" width="5" height="5" '
            f'patternUnits="userSpaceOnUse">'
            f'<path class="stripe" stroke-width="1.2" d="M1 0v5"/></pattern>')
    return "<defs>" + "".join(parts) + "</defs>"


def axis_us(timelines: Sequence[Timeline]) -> int:
    """An axis on which all of them fit: what is shorter is seen to be shorter."""
    longest = max(timeline.end_us - timeline.begin_us for timeline in timelines)
    return max(1000, round(longest * 1.02))


def picture(timeline: Timeline, idea: str, shape: Shape = WIDE, axis: Optional[int] = None, *,
            alone: bool) -> str:
    """One timeline. `alone`: as a file, with its own style; else it is a part of a page."""
    key = f"s{timeline.stage[:2]}-{shape.name}" if timeline.stage[:2].isdecimal() else \
        f"trace-{shape.name}"
    drawing = _Drawing(timeline, shape, axis or axis_us([timeline]), key)
    body, height = drawing.draw(54 if alone else 26)
    title = f"{timeline.stage}: {idea}" if idea else timeline.stage
    described = f"{timeline_words.caption(timeline)} {timeline_words.held(timeline)}"
    head = foot = ""
    if alone:
        head = f'<text class="head" x="12" y="26">{html.escape(timeline.stage)}</text>'
        lines = _wrapped(timeline_words.caption(timeline), shape.width // 6 - 4)
        foot = "".join(f'<text class="quiet" x="12" y="{height + 12 + 16 * place:g}">'
                       f"{html.escape(line)}</text>" for place, line in enumerate(lines))
        height += 16 * len(lines) + 8
        if idea and shape is WIDE:
            head += (f'<text class="quiet" x="{30 + 8.4 * len(timeline.stage):g}" y="26">'
                     f"{html.escape(idea)}</text>")
    style = f"<style>{COLOUR_STYLE}{STYLE}</style>" if alone else ""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline {shape.name}" '
            f'viewBox="0 0 {shape.width} {height:g}" role="img" '
            f'aria-labelledby="{key}-title {key}-description">\n'
            f'<title id="{key}-title">{html.escape(title)}</title>\n'
            f'<desc id="{key}-description">{html.escape(described)}</desc>\n'
            f"{style}{_patterns(key, timeline)}\n"
            f"{head}\n{body}\n{foot}\n</svg>\n")


def _wrapped(words: str, width: int) -> list[str]:
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
