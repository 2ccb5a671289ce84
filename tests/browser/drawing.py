"""Draws the picture of all stages from their recorded runs: a row for each stage, a column for each
question."""

WIDTH = 960
LABEL = 238          # where the stages' names end
COLUMN = 236         # one question
PIXELS_PER_S = 48
SECONDS = range(5)
HEAD = 76            # where the stages begin
ROW = 74             # one stage
BAR, STEP = 6, 8     # one client

# A question: its title, and what was asked.
QUESTIONS = (
    ("Handlers that block", {"handler": "block", "silent": False, "keepAlive": False}),
    ("Handlers that wait", {"handler": "slow", "silent": False, "keepAlive": False}),
    ("Blocking, and a silent client", {"handler": "block", "silent": True, "keepAlive": False}),
)

STYLE = """
    :root {
      --paper: #f7f5f0; --card: #ffffff; --ink: #1b2330; --quiet: #596273; --line: #8a8f9a;
      --hair: #e3dfd6;
      --a: #0072b2; --b: #e69f00; --c: #009e73; --d: #d55e00; --e: #56b4e9; --f: #cc79a7;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #12151a; --card: #1a1f27; --ink: #e7e9ee; --quiet: #9ea8b8; --line: #727c8c;
        --hair: #2b323d; --a: #3f9fe0;
      }
    }
    text { fill: var(--ink); font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    .paper { fill: var(--paper); } .card { fill: var(--card); stroke: var(--hair); }
    .head { font-weight: 620; } .note { fill: var(--quiet); font-size: 12px; }
    .number { font-size: 17px; font-weight: 700; } .name { font-size: 14px; font-weight: 600; }
    .last { font-size: 11.5px; } .tick { fill: var(--quiet); font-size: 11px; text-anchor: middle; }
    .grid { stroke: var(--hair); }
    .a { color: var(--a); } .b { color: var(--b); } .c { color: var(--c); } .d { color: var(--d); }
    .e { color: var(--e); } .f { color: var(--f); } .g { color: var(--line); }
    .served { fill: currentColor; } .wait { fill: currentColor; opacity: 0.25; }
    .promised { fill: var(--card); stroke: currentColor; stroke-width: 1.4; }
    .silent { stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 2 2.5; }
    .held { stroke: currentColor; stroke-width: 3.5; stroke-dasharray: 2 2; }
"""

IDEAS = {
    "01-blocking": "one after the other",
    "02-thread-per-connection": "a thread for each client",
    "03-thread-pool": "three threads and a queue",
    "04-poll-loop": "one loop, asks for all",
    "05-epoll-loop": "one loop, is told",
    "06-epoll-workers": "one loop, three workers",
    "07-epoll-multi-loop": "two loops, three workers",
}


def place(ms):
    """A moment as a place on the axis."""
    return round(PIXELS_PER_S * ms / 1000, 1)


def bar(kind, y, from_ms, to_ms):
    """A piece of a client's time."""
    width = round(max(place(to_ms) - place(from_ms), 0), 1)
    inset = 0.7 if kind == "promised" else 0
    return (f'<rect class="{kind}" x="{place(from_ms) + inset}" y="{y + inset}" '
            f'width="{round(max(width - 2 * inset, 0), 1)}" height="{BAR - 2 * inset}" rx="1"/>')


def line(kind, y, to_ms):
    """How long a client that says nothing is there, or is listened to."""
    return f'<path class="{kind}" d="M0 {y + BAR / 2}h{place(to_ms)}"/>'


def is_promised(probe, probes, question):
    """Whether its thread was in another handler before the answer was made."""
    return question["handler"] == "slow" and any(
        other is not probe and other["thread"] == probe["thread"]
        and other["enteredMs"] < probe["leftMs"] and probe["enteredMs"] < other["leftMs"]
        for other in probes)


def silent_client(probes, colours):
    """Its line: hatched where one thread took up nobody for a while, although clients waited."""
    first = {}
    for probe in sorted(probes, key=lambda p: p["enteredMs"]):
        first.setdefault(probe["thread"], probe)
    late = [p for p in first.values() if p["enteredMs"] - p["sentMs"] > 100]
    if len(late) != 1:
        return f'<g class="g">{line("silent", 0, 3000)}</g>'
    return f'<g class="{colours[late[0]["thread"]]}">{line("held", 0, late[0]["enteredMs"])}</g>'


def run(recorded):
    """The bars of one run, in the order in which the clients were served."""
    question = recorded["question"]
    probes = sorted(recorded["probes"], key=lambda p: (p["leftMs"], p["enteredMs"]))
    colours = {}
    for probe in probes:
        colours.setdefault(probe["thread"], "abcdef"[len(colours) % 6])
    parts = [silent_client(probes, colours)] if question["silent"] else []
    for row, probe in enumerate(probes, start=len(parts)):
        kind = "promised" if is_promised(probe, probes, question) else "served"
        parts.append(f'<g class="{colours[probe["thread"]]}">'
                     + bar("wait", STEP * row, probe["startedMs"], probe["enteredMs"])
                     + bar(kind, STEP * row, probe["enteredMs"], probe["leftMs"]) + "</g>")
    last_ms = max(probe["endedMs"] for probe in probes)
    parts.append(f'<text class="last" x="{place(last_ms) + 5}" '
                 f'y="{STEP * (len(parts) - 1) + BAR + 1}">{last_ms / 1000:.1f} s</text>')
    return "\n      ".join(parts)


def grid(height):
    """The seconds."""
    lines = "".join(f"M{place(1000 * second)} -12v{height}" for second in SECONDS)
    return f'<path class="grid" d="{lines}"/>'


def stage_row(index, recording):
    """A stage with its runs."""
    number, name = recording["stage"].split("-", 1)
    top = HEAD + index * ROW
    parts = [f'<text class="number" x="24" y="{top + 28}">{number}</text>',
             f'<text class="name" x="54" y="{top + 27}">{name.replace("-", " ")}</text>',
             f'<text class="note" x="54" y="{top + 45}">{IDEAS[recording["stage"]]}</text>']
    for column, (_, asked) in enumerate(QUESTIONS):
        found = next(r for r in recording["runs"] if r["question"] == asked)
        x = LABEL + column * COLUMN
        parts.append(f'<g transform="translate({x} {top + 12})">'
                     f'{grid(ROW)}\n      {run(found)}</g>')
    return "\n    ".join(parts)


def key():
    """What the tones mean."""
    kinds = (("a", '<rect class="wait" width="22" height="8"/>', "waits"),
             ("a", '<rect class="served" width="22" height="8"/>', "is served; a colour: a thread"),
             ("a", '<rect class="promised" x="1" y="1" width="20" height="7"/>',
              "has a promise, and no thread"),
             ("a", '<path class="held" d="M0 4h22"/>', "silent, holds a thread"),
             ("g", '<path class="silent" d="M0 4h22"/>', "silent, in nobody's way"))
    return "\n    ".join(
        f'<g transform="translate({x} 0)"><g class="{colour}">{shape}</g>'
        f'<text class="note" x="29" y="8">{text}</text></g>'
        for x, (colour, shape, text) in zip((0, 84, 296, 512, 700), kinds))


def picture(recordings):
    """The whole picture as SVG."""
    bottom = HEAD + ROW * len(recordings)
    heads = [f'<text class="head" x="{LABEL + i * COLUMN}" y="{HEAD - 12}">{title}</text>'
             for i, (title, _) in enumerate(QUESTIONS)]
    ticks = [f'<text class="tick" x="{LABEL + i * COLUMN + place(1000 * second)}" '
             f'y="{bottom + 16}">{second} s</text>'
             for i in range(len(QUESTIONS)) for second in SECONDS]
    rows = [stage_row(index, recording) for index, recording in enumerate(recordings)]
    body = "\n    ".join([*heads, *rows, *ticks])
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 62}"
  role="img" aria-labelledby="title description">
  <title id="title">Six clients, seven servers</title>
  <desc id="description">{DESCRIPTION}</desc>
  <!-- Drawn by tests/browser/drawing.py from measured times. -->
  <style>{STYLE}  </style>
  <rect class="paper" width="{WIDTH}" height="{bottom + 62}" rx="14"/>
  <rect class="card" x="10" y="{HEAD}" width="{WIDTH - 20}" height="{bottom - HEAD}" rx="10"/>
  <text class="name" x="24" y="30">{TITLE}</text>
    {body}
  <g transform="translate(24 {bottom + 40})">
    {key()}
  </g>
</svg>
"""


TITLE = "Six clients come at the same moment, and each asks for something that takes half a second"

DESCRIPTION = """When handlers block, stages 01, 04 and 05 serve one client after the other, 02
    all at once, 03, 06 and 07 in rows of as many as there are workers. When handlers wait, 01
    still serves one after the other and 03 in rows; all from 04 on answer everybody at once. A
    client that says nothing stops 01 for a second, holds one thread of 03, and is in nobody's way
    elsewhere."""
