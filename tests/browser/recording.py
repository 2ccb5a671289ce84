"""The recorded runs that /?replay shows: every question, asked of each stage."""

import itertools
import json

COLUMNS = ["probe", "connection", "thread", "startedMs", "sentMs",
           "acceptedMs", "enteredMs", "leftMs", "endedMs"]
LINE_LENGTH = 98

HEAD = """"use strict";

// Recorded runs for ?replay: what was asked, and an array for each client. Written by
// tests/browser/run.py --record.

stagecraft.recordedColumns = [
  %s,
  %s,
];

stagecraft.recordings = [
"""


def record(visit):
    """Asks every question of a stage. Returns {stage, runs: [{question, probes}]}."""
    runs = []
    visit.open(visit.stage.base + "/")
    questions = itertools.product(("#run", "#run-keepalive"), ("block", "slow"), (False, True))
    for button, handler, silent in questions:
        visit.ask(silent, handler)
        visit.browser.click(button)
        if visit.ended(60) != "done":
            raise RuntimeError("a run to be recorded failed: " + visit.text(".said"))
        asked = {"handler": handler, "silent": silent, "keepAlive": button != "#run"}
        runs.append({"question": asked, "probes": visit.probes()})
    print(f"recorded {len(runs)} runs of {visit.stage.name}", flush=True)
    return {"stage": visit.stage.name, "runs": runs}


def script(recordings):
    """All recordings as the script that the page loads."""
    names = [json.dumps(part)[1:-1] for part in (COLUMNS[:5], COLUMNS[5:])]
    return HEAD % tuple(names) + ",\n".join(map(stage_text, recordings)) + ",\n];\n"


def stage_text(recording):
    """A stage's entry in the script."""
    runs = [f'{{ "question": {json.dumps(run["question"])},\n' + probe_lines(run["probes"])
            for run in recording["runs"]]
    return (f'  {{ "stage": "{recording["stage"]}", "runs": [\n    ' + ",\n    ".join(runs)
            + "\n  ] }")


def probe_lines(probes):
    """The probes of a run, as many as fit on each line."""
    lines = ['      "probes": [']
    for probe in probes:
        numbers = json.dumps([short(probe[key]) for key in COLUMNS])
        text = numbers + (", " if probe is not probes[-1] else "] }")
        if len(lines[-1]) + len(text) > LINE_LENGTH:
            lines.append("        ")
        lines[-1] += text
    return "\n".join(line.rstrip() for line in lines)


def short(number):
    """A time in so many digits as matter; of short ones also a tenth of a millisecond."""
    return round(number) if number >= 10 or number == int(number) else round(number, 1)
