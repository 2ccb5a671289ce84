"""The verb `similar`: which submissions of a class have more in common than the task explains?

Names and literals do not count, so renaming hides nothing; what the starter gave to everybody is
left out, and so is what a quarter of the class has written, since that is how it is done. A pair at
the top is a reason to read both, and no more than that.
"""

from __future__ import annotations

import argparse
import collections
import json
from itertools import combinations
from pathlib import Path
from typing import Mapping, Sequence

from console import say
from exercise_files import Exercise, all_exercises, files_in, find_exercise
from exercise_report import table
from grade_submissions import Submission, read_submissions
from similarity import covered, runs, tokens

# Longer than for equal names: without names more runs are equal by accident.
RUN = 16
# What so large a part of the class has, and at least so many, is common knowledge.
COMMON_SHARE = 0.25
COMMON_COUNT = 4
MOST_PAIRS = 20

Run = tuple[str, ...]


def main(arguments: list[str]) -> int:
    """`lab similar SUBMISSION... [--exercise NN] [--least PERCENT] [--json]`"""
    parser = argparse.ArgumentParser("lab similar", allow_abbrev=False)
    parser.add_argument("submissions", nargs="+", type=Path)
    parser.add_argument("--exercise", action="append", default=[])
    parser.add_argument("--least", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    there = all_exercises()
    exercises = [find_exercise(text, there) for text in chosen.exercise] or there
    found = [each for path in chosen.submissions for each in read_submissions(path, exercises)]
    pairs = []
    for exercise in exercises:
        mine = [each for each in found if each.exercise.name == exercise.name]
        pairs += [(exercise.name, *pair) for pair in similar_pairs(exercise, mine)]
    pairs = [pair for pair in pairs if round(100 * pair[3]) >= chosen.least]
    if chosen.json:
        print(json.dumps([{"exercise": name, "students": [one, other], "share": round(part, 3)}
                          for name, one, other, part in pairs], indent=1))  # fmt: skip
        return 0
    rows = [[f"{part:4.0%}", name, one, other] for name, one, other, part in pairs[:MOST_PAIRS]]
    if rows:
        print("\n".join(table(rows)))
    say(f"{len(pairs)} pairs with {chosen.least} % or more in common; a reason to read both")
    return 0


def similar_pairs(
    exercise: Exercise, submissions: Sequence[Submission]
) -> list[tuple[str, str, float]]:
    """Every two submissions of an exercise with what they have in common, the most first: the part
    of the smaller one that stands in the other."""
    given = runs(_tokens_of({n: (exercise.starter / n).read_bytes()
                             for n in files_in(exercise.starter)}), RUN)  # fmt: skip
    texts = {each.student: _tokens_of(each.files) for each in submissions}
    own = {student: runs(text, RUN) - given for student, text in texts.items()}
    count = collections.Counter(run for mine in own.values() for run in mine)
    common = max(COMMON_COUNT, COMMON_SHARE * len(own))
    rare = {
        student: {run for run in mine if count[run] < common} for student, mine in own.items()
    }
    pairs = []
    for one, other in combinations(sorted(rare), 2):
        small, large = sorted((one, other), key=lambda student: len(own[student]))
        pairs.append((one, other, _part(texts[small], own[small], rare[small] & rare[large])))
    return sorted(pairs, key=lambda pair: -pair[2])


def _part(text: Sequence[str], own: set[Run], shared: set[Run]) -> float:
    """How much of what is a student's own is shared."""
    total = sum(covered(text, own, RUN))
    return sum(covered(text, shared, RUN)) / total if total else 0.0


def _tokens_of(files: Mapping[str, bytes]) -> list[str]:
    found: list[str] = []
    for name in sorted(files):
        found += tokens(files[name].decode(errors="replace"), same_names=True)
    return found
