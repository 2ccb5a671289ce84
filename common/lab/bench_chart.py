"""Charts as plain SVG: bars, and lines over a count. 480 units wide, so that a phone can show them.

By hand, because a self-contained page needs no more than rectangles, lines and words, in colours
that follow the reader's light or dark (docs/decisions/0020-charts-by-hand.md).
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Optional, Sequence

from bench_figures import number
from bench_stats import Summary

WIDTH = 480
NAMES = 168  # the column of names
ROW = 24
TOP = 34
LETTER = 6  # about the width of one
COLOURS = 8

# Okabe and Ito's colours, which people with any colour vision can tell apart.
STYLE = """
:root { --paper: #fff; --ink: #1b2330; --quiet: #596273; --hair: #ddd8cd; --c0: #596273;
  --c1: #0072b2; --c2: #b36b00; --c3: #009e73; --c4: #d55e00; --c5: #3a8fc4; --c6: #b0568d;
  --c7: #1b2330; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #12151a; --ink: #e7e9ee; --quiet: #9ea8b8; --hair: #2b323d; --c0: #9ea8b8;
    --c1: #56b4e9; --c2: #e69f00; --c3: #2bc49a; --c4: #f08040; --c5: #8fcdf2; --c6: #e29bc4;
    --c7: #e7e9ee; } }
svg { background: var(--paper); } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .head { font-weight: 600; font-size: 13px; } svg .quiet { fill: var(--quiet); font-size: 11px; }
svg .hair { stroke: var(--hair); } svg .range { stroke: var(--ink); stroke-width: 1.5; }
svg .noise { fill: var(--quiet); opacity: .3; } svg .hatch { stroke: var(--ink); opacity: .7; }
""" + "".join(f"svg .c{i} {{ fill: var(--c{i}); }} svg .l{i} {{ stroke: var(--c{i}); fill: none; "
              f"stroke-width: 2; }}\n" for i in range(COLOURS))


@dataclass(frozen=True)
class Row:
    """A bar: a server and its figure; `note` stands where there is none, or behind it."""

    name: str
    figure: Optional[Summary]
    note: str = ""
    hatched: bool = False  # somebody was not served
    colour: int = 1


@dataclass(frozen=True)
class Series:
    """A line: a server's figures, one for each place on the axis."""

    name: str
    figures: Sequence[Optional[Summary]]
    colour: int = 1


class Scale:
    """From values to units of the drawing. With `log` every decade is as wide as the next."""

    def __init__(self, values: Sequence[float], begin: float, end: float, log: bool) -> None:
        self._log = log and bool(values) and min(values) > 0
        high = max(values, default=1.0) or 1.0
        low = min(values, default=0.0) if self._log else 0.0
        if self._log:
            self._low = math.floor(math.log10(low) + 1e-9)
            self._high = max(self._low + 1, math.ceil(math.log10(high) - 1e-9))
        else:
            self._low, self._high = 0.0, high * 1.02
        self._begin, self._end = begin, end

    def __call__(self, value: float) -> float:
        place = math.log10(value) if self._log else value
        share = (place - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)

    def ticks(self) -> list[float]:
        """Round values along the axis."""
        if self._log:
            return [10.0 ** power for power in range(int(self._low), int(self._high) + 1)]
        step = 10.0 ** math.floor(math.log10(self._high))
        parts = (step * part for part in (0.2, 0.5, 1))
        step = next((part for part in parts if self._high / part <= 5), step)
        return [step * count for count in range(int(self._high / step) + 1)]


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Words at a place."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">'
            f"{html.escape(words)}</text>")


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def picture(title: str, description: str, height: float, parts: Sequence[str],
            *, alone: bool) -> str:
    """An SVG; `alone` with its own style, for where no page has one."""
    style = f"<style>{STYLE}</style>" if alone else ""
    pattern = ('<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
               'patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" class="hatch"/>'
               "</pattern></defs>")
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
            f'role="img" aria-label="{html.escape(title, quote=True)}">\n<title>'
            f"{html.escape(title)}</title>\n<desc>{html.escape(description)}</desc>\n"
            f"{style}{pattern}\n{body}\n</svg>\n")


def bars(rows: Sequence[Row], y: float, *, log: bool, noise: Optional[float] = None) -> list[str]:
    """Bars from `y` on, one below the other, with the range of all runs as a thin line.

    On a logarithmic axis a bar's length means nothing, so there a dot stands for it. The noise is
    a grey band about the end of every bar: what the same program twice differs by.
    """
    values = [v for row in rows if row.figure for v in (row.figure.least, row.figure.most)]
    scale = Scale(values, NAMES, WIDTH - 78, log)
    bottom = y + ROW * len(rows)
    parts = [line(scale(tick), y - 2, scale(tick), bottom, "hair") for tick in scale.ticks()]
    parts += [text(scale(tick), bottom + 13, number(tick), "quiet", "middle")
              for tick in scale.ticks()]
    for place, row in enumerate(rows):
        top = y + ROW * place
        middle = top + ROW / 2
        parts.append(text(NAMES - 6, middle + 4, row.name, "", "end"))
        if row.figure is None:
            parts.append(text(NAMES + 4, middle + 4, row.note or "no figure", "quiet"))
            continue
        end = scale(row.figure.median)
        if log:
            parts.append(f'<circle cx="{end:.1f}" cy="{middle:.1f}" r="5" class="c{row.colour}"/>')
        else:
            parts += _bar(NAMES, top + 4, end - NAMES, ROW - 8, row)
            if noise:
                left = scale(row.figure.median * (1 - noise))
                right = scale(row.figure.median * (1 + noise))
                parts.append(f'<rect x="{left:.1f}" y="{top + 2:.1f}" '
                             f'width="{right - left:.1f}" height="{ROW - 4}" class="noise"/>')
        parts.append(line(scale(row.figure.least), middle, scale(row.figure.most), middle, "range"))
        right, left = max(end, scale(row.figure.most)) + 8, scale(row.figure.least) - 8
        parts += _words(row, number(row.figure.median), left, right, middle + 4)
    return parts


def _words(row: Row, amount: str, left: float, right: float, y: float) -> list[str]:
    """The figure and its note: behind the bar, before its end, or one here and one there."""
    words = f"{amount}, {row.note}" if row.note else amount
    if right + LETTER * len(words) < WIDTH:
        return [text(right, y, words, "quiet")]
    if left - LETTER * len(words) > NAMES or not row.note:
        return [text(left, y, words, "", "end")]
    return [text(right, y, amount, "quiet"), text(left, y, row.note, "", "end")]


def _bar(x: float, y: float, width: float, height: float, row: Row) -> list[str]:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(0.5, width):.1f}" height="{height:.1f}"'
    if not row.hatched:
        return [f'<rect {place} class="c{row.colour}"/>']
    return [f'<rect {place} class="c{row.colour}" opacity=".35"/>',
            f'<rect {place} fill="url(#hatch)"/>']


def bars_height(rows: Sequence[Row]) -> float:
    """What bars() takes, with its axis."""
    return ROW * len(rows) + 20


def lines(labels: Sequence[str], series: Sequence[Series], axis: str, y: float, *,
          log: bool) -> tuple[list[str], float]:
    """A chart of lines from `y` on, and its height. Places on the axis are equally far apart."""
    left, right, height = 66, WIDTH - 16, 220
    values = [v for one in series for s in one.figures if s for v in (s.least, s.most)]
    scale = Scale(values, y + height, y + 6, log)
    step = (right - left - 20) / max(1, len(labels) - 1)
    places = [left + 10 + step * i for i in range(len(labels))]
    parts = []
    for tick in scale.ticks():
        parts += [line(left, scale(tick), right, scale(tick), "hair"),
                  text(left - 6, scale(tick) + 4, number(tick), "quiet", "end")]
    parts += [text(x, y + height + 16, f"{int(label):,}" if label.isdecimal() else label, "quiet",
                   "middle") for x, label in zip(places, labels)]
    parts.append(text((left + right) / 2, y + height + 32, axis, "quiet", "middle"))
    for one in series:
        points = [(x, s) for x, s in zip(places, one.figures) if s]
        path = " ".join(f"{x:.1f},{scale(s.median):.1f}" for x, s in points)
        parts.append(f'<polyline points="{path}" class="l{one.colour}"/>')
        for x, s in points:
            parts += [line(x, scale(s.least), x, scale(s.most), "range"),
                      f'<circle cx="{x:.1f}" cy="{scale(s.median):.1f}" r="3.5" '
                      f'class="c{one.colour}"/>']
    below = y + height + 46
    for place, one in enumerate(series):  # two names in a row
        x, key_y = left + (place % 2) * 200, below + 18 * (place // 2)
        parts += [f'<rect x="{x}" y="{key_y}" width="12" height="12" class="c{one.colour}"/>',
                  text(x + 18, key_y + 10, one.name)]
    return parts, 46 + height + 18 * ((len(series) + 1) // 2) + 6
