"""Telling a student what became of the tests."""

from __future__ import annotations

import os
import sys
from typing import Any, Sequence

from exercise_build import Variant
from exercise_check import Result
from exercise_run import Failure, Outcome, Status
from stages import ROOT

MOST_EVENTS = 24
MOST_OUTPUT_LINES = 30
_INDENT = "      "

_COLOURS = {"green": "32", "red": "31", "yellow": "33", "bold": "1", "dim": "2"}


def coloured(text: str, colour: str) -> str:
    """The text in colour on a terminal, as it is elsewhere and with NO_COLOR."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if colour else text


def mark(outcome: Outcome) -> str:
    """`pass`, `FAIL` or what else a test can come to, in colour."""
    if outcome.passed:
        return coloured("pass", "green")
    if outcome.status is Status.NOT_JUDGED:
        return coloured("NOT JUDGED", "yellow")
    if outcome.status is Status.UNSTABLE:
        return coloured("UNSTABLE", "yellow")
    return coloured("FAIL", "red")


def result_lines(result: Result, variant: Variant) -> list[str]:
    """The whole report: a line for each test, and for the first that failed all there is to say."""
    exercise = result.exercise
    lines = []
    if result.compiler:
        lines += [*_shortened(_named(result.compiler, variant), MOST_OUTPUT_LINES), ""]
        lines.append(coloured("it does not compile", "red") + ": what the compiler says is above")
        return lines
    width = max(len(each.test) for each in result.outcomes)
    for outcome in result.outcomes:
        points = exercise.test(outcome.test).points
        got = points if outcome.passed else 0
        worth = f"{got} of {points}" if outcome.status.counts else "-"
        lines.append(f"  {outcome.test:{width}}  {worth:>7}  {mark(outcome)}{_why(outcome)}")
    for test in exercise.tests:
        if test.kept_back:
            worth = f"? of {test.points}"
            lines.append(f"  {test.name:{width}}  {worth:>7}  hidden: {test.requirement}")
    first = next((each for each in result.outcomes if each.status.counts and not each.passed), None)
    if first is not None:
        lines += ["", *_outcome_lines(first, result, variant)]
    lines += ["", f"{exercise.title}: {result.points} of {result.judged_points} points"]
    return lines


def _why(outcome: Outcome) -> str:
    if outcome.passed or outcome.status is Status.FAILED:
        return ""
    if outcome.status in (Status.NOT_JUDGED, Status.UNSTABLE):
        return f": {outcome.reason}"
    return f": {outcome.status.value}" + (f", {outcome.reason}" if outcome.reason else "")


def _outcome_lines(outcome: Outcome, result: Result, variant: Variant) -> list[str]:
    """What there is to say about a test that failed."""
    test = result.exercise.test(outcome.test)
    lines = [f"  {coloured(test.name, 'bold')}: {test.requirement}"]
    for failure in outcome.failures[:1]:
        lines += failure_lines(failure)
    if not outcome.failures:
        reason = f": {outcome.reason}" if outcome.reason else ""
        lines.append(_INDENT + outcome.status.value + reason)
        said = _named(outcome.output, variant)
        lines += [_INDENT + line for line in _shortened(said, MOST_OUTPUT_LINES)]
    lines.append(f"{_INDENT}stuck?        ./lab hint {result.exercise.number}")
    return lines


def failure_lines(failure: Failure) -> list[str]:
    """What was done, what came of it, the transcript, the likely cause, and a line to paste."""
    lines = _field("what was done", failure.did)
    lines += _field("what came", failure.message)
    events = list(failure.events)
    if len(events) > MOST_EVENTS:
        left_out = len(events) - MOST_EVENTS
        events = [f"({left_out} earlier ones)", *events[-MOST_EVENTS:]]
    lines += _field("what happened", "\n".join(events))
    lines += _field("likely", failure.likely)
    lines += _field("to try it", failure.paste)
    return lines + _field("the test", f"{os.path.relpath(failure.file, ROOT)}:{failure.line}")


def _field(name: str, text: str) -> list[str]:
    if not text:
        return []
    first, *rest = text.rstrip("\n").split("\n")
    return [f"{_INDENT}{name:13} {first}", *(f"{_INDENT}{'':13} {line}" for line in rest)]


def _shortened(text: str, most: int) -> list[str]:
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= most:
        return lines
    return [*lines[:most], f"({len(lines) - most} more lines)"]


def _named(text: str, variant: Variant) -> str:
    """The text with the student's own file names instead of those of copies."""
    copies = os.path.relpath(variant.sources(), ROOT)
    own = os.path.relpath(variant.folders[0], ROOT) if variant.folders else copies
    return text.replace(copies, own)


def result_json(result: Result) -> dict[str, Any]:
    """The same for programs."""
    return {
        "exercise": result.exercise.name,
        "points": result.points,
        "of": result.judged_points,
        "passed": result.passed,
        "compiler": result.compiler,
        "tests": [outcome_json(result, outcome) for outcome in result.outcomes],
    }


def outcome_json(result: Result, outcome: Outcome) -> dict[str, Any]:
    """One test."""
    test = result.exercise.test(outcome.test)
    return {
        "name": test.name,
        "requirement": test.requirement,
        "points": test.points if outcome.passed else 0,
        "of": test.points,
        "status": outcome.status.name.lower(),
        "reason": outcome.reason,
        "failures": [vars(failure) for failure in outcome.failures],
    }


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths)).rstrip() for row in rows
    ]
