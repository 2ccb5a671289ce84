"""A tree of functions as a flame graph: a bar for each, as wide as what it costs, on its caller.

By hand, as the charts are (docs/decisions/0020-charts-by-hand.md). The tones are the project's.
"""

from __future__ import annotations

import html
from dataclasses import dataclass

from flame_fold import Node
from timeline_draw import COLOUR_STYLE

ROW = 17
LETTER = 6.7  # the width of one, in the type of the bars
EDGE = 8


@dataclass(frozen=True)
class Shape:
    """How wide a picture is, and the least width that is drawn."""

    name: str
    width: int
    narrowest: float = 1.2


WIDE = Shape("wide", 1000)
NARROW = Shape("narrow", 400)

STYLE = """
svg.flame { background: var(--card); }
.flame text { font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  pointer-events: none; }
.flame rect { stroke: var(--card); stroke-width: .8; }
.flame .head { font: 650 15px system-ui, sans-serif; fill: var(--ink); }
.flame .quiet { font: 12px system-ui, sans-serif; fill: var(--quiet); }
.flame .own { fill: var(--t1); } .flame .on-own { fill: var(--o1); }
.flame .other { fill: var(--t2); } .flame .on-other { fill: var(--o2); }
.flame .system { fill: var(--hair); } .flame .on-system { fill: var(--ink); }
.flame .root { fill: var(--line); } .flame .on-root { fill: var(--card); }
"""
KINDS = (("own", "the project's"), ("other", "libraries'"), ("system", "the system's"))


class _Drawing:
    """Collects the bars of one picture, from the bottom up."""

    def __init__(self, top: Node, shape: Shape) -> None:
        self._top = top
        self._shape = shape
        self._scale = (shape.width - 2 * EDGE) / top.weight
        self._depth = self._depth_of(top, 0)
        self.bars: list[str] = []

    def draw(self, from_y: float) -> float:
        """All bars below `from_y`; returns where they end."""
        end = from_y + (self._depth + 1) * ROW
        self._bar(self._top, EDGE, end - ROW)
        return end

    def _is_drawn(self, node: Node) -> bool:
        return node.weight * self._scale >= self._shape.narrowest

    def _depth_of(self, node: Node, depth: int) -> int:
        return max([depth] + [self._depth_of(child, depth + 1)
                              for child in node.children.values() if self._is_drawn(child)])

    def _bar(self, node: Node, x: float, y: float) -> None:
        width = node.weight * self._scale
        kind = node.frame.kind
        share = f"{100 * node.weight / self._top.weight:.1f} %"
        about = html.escape(f"{node.frame.name}: {share}, by itself "
                            f"{100 * node.own_weight / self._top.weight:.1f} %")
        self.bars.append(f'<rect class="{kind}" x="{x:.1f}" y="{y:g}" width="{width:.1f}" '
                         f'height="{ROW}" rx="1.5"><title>{about}</title></rect>')
        room = int((width - 6) / LETTER)
        if room >= 3:
            name = node.frame.name
            words = name if len(name) <= room else name[:room - 1] + "\u2026"
            self.bars.append(f'<text class="on-{kind}" x="{x + 3:.1f}" y="{y + 12.5:g}">'
                             f"{html.escape(words)}</text>")
        for child in node.biggest_first():
            if self._is_drawn(child):
                self._bar(child, x, y - ROW)
            x += child.weight * self._scale


def picture(top: Node, title: str, about: str, shape: Shape, *, alone: bool) -> str:
    """The flame graph. `alone`: as a file, with its own style and words; else a part of a page."""
    drawing = _Drawing(top, shape)
    height = drawing.draw(64 if alone else EDGE) + EDGE
    style = f"<style>{COLOUR_STYLE}{STYLE}</style>" if alone else ""
    head = (f'<text class="head" x="{EDGE}" y="24">{html.escape(title)}</text>'
            f'<text class="quiet" x="{EDGE}" y="44">{html.escape(about)}</text>') if alone else ""
    key = f"flame-{shape.name}"
    bars = "\n".join(drawing.bars)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="flame {shape.name}" '
            f'viewBox="0 0 {shape.width} {height:g}" role="img" '
            f'aria-labelledby="{key}-title {key}-description">\n'
            f'<title id="{key}-title">{html.escape(title)}</title>\n'
            f'<desc id="{key}-description">{html.escape(about)}</desc>\n'
            f"{style}{head}\n{bars}\n</svg>\n")


def page(top: Node, title: str, about: str, words: str) -> str:
    """The picture wide and narrow, and the same in words."""
    legend = "".join(f'<li><svg class="flame" viewBox="0 0 24 12" aria-hidden="true">'
                     f'<rect class="{kind}" width="24" height="12"/></svg> {name}</li>'
                     for kind, name in KINDS)
    drawn = "".join(picture(top, title, about, shape, alone=False) for shape in (WIDE, NARROW))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{html.escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>{COLOUR_STYLE}{STYLE}
body {{ max-width: 80rem; margin: 0 auto; padding: 1rem clamp(.6rem, 3vw, 2rem) 3rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }}
h1 {{ margin: .5rem 0; font-size: 1.6rem; }} p, ul {{ color: var(--quiet); margin: .4rem 0; }}
ul {{ display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; padding: 0; list-style: none; }}
ul svg {{ width: 1.6rem; vertical-align: -.1em; background: none !important; }}
.drawn > svg {{ display: block; width: 100%; height: auto; border-radius: .6rem; }}
svg.narrow {{ display: none !important; }}
@media (max-width: 44rem) {{ svg.wide {{ display: none !important; }}
  svg.narrow {{ display: block !important; }} }}
pre {{ overflow-x: auto; font: .85rem/1.45 ui-monospace, Menlo, Consolas, monospace; }}
</style>
</head>
<body>
<h1>{html.escape(title)}</h1>
<p>{html.escape(about)}</p>
<p>A bar is a function, as wide as what it costs with all that it calls; it stands on its caller.
Left and right mean nothing. Point at a bar for its whole name and its share.
Whose function it is:</p>
<ul>{legend}</ul>
<div class="drawn">{drawn}</div>
<h2>In words</h2>
<pre tabindex="0">{html.escape(words)}</pre>
</body>
</html>
"""
