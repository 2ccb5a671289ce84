"""The timelines as one page that needs nothing else."""

from __future__ import annotations

import html
from typing import Optional, Sequence

import timeline_draw
import timeline_words
from timeline_draw import COLOUR_STYLE, NARROW, STYLE, WIDE
from timeline_model import Timeline
from timeline_workload import WORKLOAD

_PAGE_STYLE = """
*, *::before, *::after { box-sizing: border-box; }
body { max-width: 94rem; margin: 0 auto; padding: 1.25rem clamp(.8rem, 4vw, 2.5rem) 4rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1, h2, p, ul, dl, dd, figure { margin: 0; padding: 0; } ul { list-style: none; }
.brand { display: flex; align-items: center; gap: .5em; font-weight: 650; font-size: .92rem; }
.brand svg { width: 1.35em; fill: var(--accent); }
h1 { max-width: 24em; margin-top: 1.4rem; font-size: clamp(1.5rem, 1.1rem + 2vw, 2.2rem);
  line-height: 1.18; letter-spacing: -.018em; text-wrap: balance; }
.lead { max-width: 46rem; margin: .6rem 0 1.2rem; color: var(--quiet); }
.two { display: grid; gap: 1.2rem 2.4rem; margin-bottom: 1.6rem; }
@media (min-width: 54rem) { .two { grid-template-columns: 2fr 3fr; } }
h2 { font-size: 1.12rem; }
.two h2 { margin-bottom: .4rem; }
.workload li { display: grid; grid-template-columns: 1.4em 4.2em 1fr; font-size: .95rem; }
.workload span { color: var(--quiet); font-variant-numeric: tabular-nums; }
.legend { display: grid; gap: .45rem 1.6rem;
  grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); font-size: .92rem; }
.legend div { display: grid; grid-template-columns: 3rem 1fr; align-items: start; }
.legend dt { padding-top: .3rem; } .legend dd { color: var(--quiet); line-height: 1.4; }
.legend dd b { color: var(--ink); font-weight: 580; }
.legend svg { display: block; width: 2.2rem; background: none !important; }
.pictures { display: grid; gap: 1.1rem; }
@media (min-width: 80rem) { .pictures.several { grid-template-columns: 1fr 1fr; } }
figure { min-width: 0; padding: .9rem 1rem 1.1rem; border: 1px solid var(--hair);
  border-radius: 1rem; background: var(--card); break-inside: avoid; }
figure > svg { display: block; width: 100%; max-width: 60rem; height: auto; }
figure .idea { color: var(--quiet); font-size: .95rem; }
figcaption { margin-top: .5rem; font-weight: 600; }
figcaption p + p { margin-top: .25rem; color: var(--quiet); font-weight: 400; font-size: .92rem; }
svg.narrow { display: none !important; }
@media screen and (max-width: 40rem) {
  svg.wide { display: none !important; } svg.narrow { display: block !important; }
  figure { padding: .7rem .5rem .9rem; } figcaption, figure h2, .idea { padding: 0 .4rem; }
}
details { margin-top: .5rem; font-size: .92rem; } summary { color: var(--accent); cursor: pointer; }
.numbers { overflow-x: auto; } table { border-collapse: collapse; margin-top: .4rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--hair); text-align: right;
  white-space: nowrap; } th:first-child { text-align: left; }
footer { margin-top: 1.6rem; color: var(--quiet); font-size: .88rem; }
code { font: .95em ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media print { details { display: none; } body { padding: 0; } .pictures { gap: .6rem; } }
"""

_BRAND = ('<p class="brand"><svg viewBox="0 0 16 16" aria-hidden="true">'
          '<path d="M1 2h5v3H1zM5.5 6.5h5v3h-5zM10 11h5v3h-5z"/></svg>Stagecraft</p>')

_SWATCHES = (
    ('<rect class="c1" width="34" height="14" fill="url(#legend-held)"/>',
     "held", "the thread waits for this client, and for nobody else"),
    ('<rect class="handler c1" width="34" height="14" rx="2.5"/>',
     "being served", "a handler, the function that makes the answer, has the request. Colour and "
     "number tell the thread"),
    ('<rect class="work c1" y="4.5" width="34" height="5"/>',
     "the loop", "takes in, reads and sends, and waits for whoever comes first on the thin line"),
    ('<rect class="c1" width="34" height="14" fill="url(#legend-door)"/>',
     "at the door", "connected by the system, and the server has not accepted it yet"),
    ('<path class="accepted" d="M17 -1v16"/>', "accepted", "the server takes the connection up"),
    ('<rect class="waiting c1" width="34" height="14"/>',
     "waiting in the server", "the request is there, and nobody has begun to work on it"),
    ('<rect class="promised c1" x="1" y="1" width="32" height="12" rx="2.5"/>',
     "promised", "the handler has returned, and the answer is still to come"),
    ('<rect class="sending c1" y="4" width="34" height="6"/>',
     "being sent", "the answer is on its way, as fast as the client reads"),
    ('<path class="silent" d="M2 7H34"/>', "silent", "connected, and asks for nothing"),
    ('<path class="hairline c1" d="M11 2v12M23 0v12"/><path class="dot c1" d="M11 0l-2.4 4h4.8z'
     'M23 14l-2.4 -4h4.8z"/>', "hair lines", "up: a thread takes a request. Down: its answer is "
     "there"),
)


# Or a reader looks for a difference that is not in the picture.
_SAME = ('<p class="lead">04 and 05 look the same, and so do 06 and 07: what the later ones change '
         "is not who waits for whom, but what many clients cost and how many processors help.</p>")


def _legend() -> str:
    defs = ('<svg class="timeline" style="position:absolute;width:0;height:0" aria-hidden="true">'
            '<defs><pattern id="legend-held" class="c1" width="5" height="5" '
            'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            '<path class="stripe" stroke-width="2.4" d="M1.2 0v5"/></pattern>'
            '<pattern id="legend-door" class="c1" width="5" height="5" '
            'patternUnits="userSpaceOnUse"><path class="stripe" stroke-width="1.2" d="M1 0v5"/>'
            "</pattern></defs></svg>")
    items = "".join(f'<div><dt><svg class="timeline" viewBox="0 -1 34 16" aria-hidden="true">'
                    f"{drawn}</svg></dt><dd><b>{name}</b>: {words}.</dd></div>"
                    for drawn, name, words in _SWATCHES)
    return f'{defs}<dl class="legend">{items}</dl>'


def _workload() -> str:
    rows = sorted(WORKLOAD, key=lambda ask: ask.name)
    items = "".join(f"<li><b>{ask.name}</b><span>{ask.at_ms} ms</span>{html.escape(ask.words)}</li>"
                    for ask in rows)
    return f'<ul class="workload">{items}</ul>'


def _numbers(timeline: Timeline) -> str:
    rows = []
    for visitor in timeline.visitors:
        times = [visitor.begin_us, visitor.accepted_us]
        if visitor.requests:
            request = visitor.requests[-1]
            times += [request.entered_us, request.left_us, request.ready_us, request.done_us]
        times += [0] * (6 - len(times))
        cells = "".join(f"<td>{_milliseconds(time, timeline.begin_us)}</td>" for time in times)
        thread = timeline_words.thread_of(timeline, visitor)
        rows.append(f'<tr><th scope="row">{visitor.name}</th>{cells}<td>{thread}</td></tr>')
    heads = ("client", "connected", "accepted", "handler enters", "handler leaves",
             "answer is made", "answer is there", "thread")
    head = "".join(f'<th scope="col">{word}</th>' for word in heads)
    return ("<details><summary>The same in numbers (milliseconds)</summary>"
            f'<div class="numbers" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>'
            f"{''.join(rows)}</tbody></table></div></details>")


def _milliseconds(time_us: int, begin_us: int) -> str:
    return f"{(time_us - begin_us) / 1000:.1f}" if time_us else ""


def _figure(timeline: Timeline, idea: str, axis: Optional[int]) -> str:
    drawn = "".join(timeline_draw.picture(timeline, idea, shape, axis, alone=False)
                    for shape in (WIDE, NARROW))
    idea_line = f'<p class="idea">{html.escape(idea)}</p>' if idea else ""
    return (f"<figure><h2>{html.escape(timeline.stage)}</h2>{idea_line}{drawn}<figcaption>"
            f"<p>{html.escape(timeline_words.caption(timeline))}</p>"
            f"<p>{html.escape(timeline_words.held(timeline))}</p></figcaption>"
            f"{_numbers(timeline)}</figure>")


def page(timelines: Sequence[Timeline], ideas: dict[str, str], footer: str, *,
         is_workload: bool) -> str:
    """One page with all of them, on one axis. `footer` says how it was made."""
    axis = timeline_draw.axis_us(timelines)
    several = len(timelines) > 1
    figures = "\n".join(_figure(timeline, ideas.get(timeline.stage, ""), axis)
                        for timeline in timelines)
    if is_workload:
        servers = "the same eight clients, and one server after the other" if several else \
            f"eight clients of {timelines[0].stage}"
        title = "Who ran, and who waited for whom?"
        lead = (f'<p class="lead">You see {servers}: above who ran in the server, below how it '
                "went for each client. All pictures have the same axis. Measured times of one run, "
                "and drawn from a trace that slows the server down: they show order, not "
                "speed.</p>")
        if several:
            lead += _SAME
        first = f"<section><h2>The clients</h2>{_workload()}</section>"
    else:
        title = f"A trace of {timelines[0].stage}"
        lead = '<p class="lead">Above who ran in the server, below its connections.</p>'
        first = ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{html.escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>{COLOUR_STYLE}{STYLE}{_PAGE_STYLE}</style>
</head>
<body>
{_BRAND}
<main>
<h1>{html.escape(title)}</h1>
{lead}
<div class="two">{first}<section><h2>How to read it</h2>{_legend()}</section></div>
<div class="pictures{' several' if several else ''}">
{figures}
</div>
</main>
<footer><p>{footer}</p></footer>
</body>
</html>
"""
