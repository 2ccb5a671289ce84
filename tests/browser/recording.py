"""Writes the recordings that /?replay shows: every question, asked of a running stage."""

import itertools
import json

COLUMNS = ["probe", "connection", "thread", "startedMs", "sentMs",
           "acceptedMs", "enteredMs", "leftMs", "endedMs"]

HEAD = """"use strict";

// Recorded runs for ?replay, a line for each client. Written by tests/browser/run.py --record.

stagecraft.recordedColumns = [
  %s,
  %s,
];

stagecraft.recordings = [
  { "stage": "%s", "runs": [
"""
TAIL = "\n  ] },\n];\n"


def record(visit, path):
    """Runs every question in the browser and writes the answers' times to a script."""
    runs = []
    visit.open(visit.stage.base + "/")
    questions = itertools.product(("#run", "#run-keepalive"), ("block", "slow"), (False, True))
    for button, handler, silent in questions:
        visit.ask(silent, handler)
        visit.browser.click(button)
        if visit.ended(60) != "done":
            raise RuntimeError("a run to be recorded failed: " + visit.text(".said"))
        asked = {"handler": handler, "silent": silent, "keepAlive": button != "#run"}
        lines = ",\n".join("      " + json.dumps([round(probe[key], 1) for key in COLUMNS])
                           for probe in visit.probes())
        runs.append(f'    {{ "question": {json.dumps(asked)}, "probes": [\n{lines}\n    ] }}')
    names = [json.dumps(part)[1:-1] for part in (COLUMNS[:5], COLUMNS[5:])]
    path.write_text(HEAD % (*names, visit.stage.name) + ",\n".join(runs) + TAIL, encoding="ascii")
    print(f"recorded {len(runs)} runs in {path}")
