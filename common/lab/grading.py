"""The verb `grade`: a whole class in one command."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Mapping, Sequence

from console import LabError, Progress, say
from exercise_files import Exercise, all_exercises, find_exercise
from exercise_origin import handout_seed, origin, seed_number
from exercise_report import coloured
from exercise_sandbox import best
from grade_reports import csv_text, gradescope_text, in_order, junit_text, not_judged, note
from grade_run import Grader, Journal, Terms
from grade_submissions import Submission, read_submissions, student_of
from stages import ROOT

OUT = ROOT / "build" / "grades"


def main(arguments: list[str]) -> int:
    """`lab grade SUBMISSION... [--exercise NN] [--out DIR] [--seed N] [--jobs N] [--again]`"""
    parser = argparse.ArgumentParser("lab grade", allow_abbrev=False)
    parser.add_argument("submissions", nargs="+", type=Path)
    parser.add_argument("--exercise", action="append", default=[])
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--seed", default=str(handout_seed()))
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    there = all_exercises()
    exercises = [find_exercise(text, there) for text in chosen.exercise] or there
    submissions, unreadable = _read_all(chosen.submissions, exercises)
    sandbox = best()
    say(f"submissions run in: {sandbox.name}")
    terms = Terms(origin(), seed_number(chosen.seed), sandbox)
    journal = Journal(chosen.out / "journal.jsonl", terms)
    records: list[Mapping[str, Any]] = []
    left = []
    for submission in submissions:
        known = None if chosen.again else journal.find(submission)
        if known is None:
            left.append(submission)
        else:
            records.append(known)
    if records:
        say(f"{len(records)} of {len(submissions)} are graded already; --again does them again")
    records += _grade(left, Grader(terms, chosen.jobs), journal)
    write_reports(records, chosen.out)
    if chosen.json:
        print(json.dumps(in_order(records), indent=1))
    else:
        print("\n".join(_summary(records, unreadable, chosen.out)))
    return 1 if unreadable else 0


def _read_all(
    paths: Sequence[Path], exercises: Sequence[Exercise]
) -> tuple[list[Submission], list[str]]:
    found: list[Submission] = []
    unreadable = []
    names = [student_of(path) for path in paths]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise LabError(f"there are two submissions of {', '.join(twice)}")
    for path in paths:
        try:
            read = read_submissions(path, exercises)
        except LabError as error:
            unreadable.append(str(error))
            continue
        if not read:
            unreadable.append(f"{path}: has no file of any exercise")
        found += read
    return found, unreadable


def _grade(
    submissions: Sequence[Submission], grader: Grader, journal: Journal
) -> list[Mapping[str, Any]]:
    if not submissions:
        return []
    progress = Progress()
    progress.update("our own solutions first")
    exercises = {each.exercise.name: each.exercise for each in submissions}
    for name, faults in grader.prepare(list(exercises.values())).items():
        for test, reason in faults.items():
            progress.print(f"lab: {name}: {test} is not judged: {reason}")
    began = progress.seconds()
    records = []
    for record in grader.grade(submissions):
        journal.add(record)
        records.append(record)
        left = len(submissions) - len(records)
        each = (progress.seconds() - began) / len(records)
        progress.update(f"[{len(records)}/{len(submissions)}] about {left * each:.0f} s left")
    progress.clear()
    return records


def write_reports(records: Sequence[Mapping[str, Any]], out: Path) -> None:
    """Writes results.csv, results.xml and gradescope/STUDENT.json."""
    (out / "gradescope").mkdir(parents=True, exist_ok=True)
    (out / "results.csv").write_text(csv_text(records))
    (out / "results.xml").write_text(junit_text(records))
    for student in sorted({record["student"] for record in records}):
        mine = [record for record in records if record["student"] == student]
        (out / "gradescope" / f"{student}.json").write_text(gradescope_text(mine))


def _summary(
    records: Sequence[Mapping[str, Any]], unreadable: Sequence[str], out: Path
) -> list[str]:
    """What could not be judged comes first: it needs somebody to look at it."""
    lines = [coloured("cannot be read", "red") + f"  {text}" for text in unreadable]
    for record in in_order(records):
        who = f"{record['student']} {record['exercise']}"
        lines += [coloured("NOT JUDGED", "yellow") + f"  {who} {text}"
                  for text in not_judged(record)]  # fmt: skip
    for record in in_order(records):
        why = f"  {note(record)}" if note(record) else ""
        lines.append(f"{record['points']:4} of {record['of']:3}  {record['student']}"
                     f"  {record['exercise']}{why}")  # fmt: skip
    return [*lines, f"{len(records)} results in {out}/results.csv, results.xml, gradescope/"]
