#!/usr/bin/env python3
"""coverage.py [--list]

Compares the table of requirements with the cases of this folder. Every id of requirements.tsv must
be named by a case (as a tag, `[9112-3.2-3]`) or by a row of traps.tsv, or stand in not_covered.tsv
with its kind, "not observable" from outside or "not offered" by our applications, and the reason;
no id may be unknown, and none both named by a case and listed as not covered.
Prints a summary; with --list also which file names each id. Exit status 1 if something is wrong.
"""

import csv
import pathlib
import re
import sys
from collections import Counter, defaultdict

KINDS = ("not observable", "not offered")
FOLDER = pathlib.Path(__file__).resolve().parent
TAG = re.compile(r"\[(911[02]-[0-9.]+-[0-9]+)\]")


def read_table(name):
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def ids_named_by_cases():
    """Id to the names of the files that have a case for it."""
    named = defaultdict(set)
    for source in sorted(FOLDER.glob("*.cpp")):
        for identifier in TAG.findall(source.read_text(encoding="utf-8")):
            named[identifier].add(source.name)
    return named


def faults(requirements, by_case, by_trap, not_covered):
    """What is wrong, a sentence each."""
    known = {row["id"] for row in requirements}
    listed = Counter(row["id"] for row in not_covered)
    for identifier in sorted(known - by_case.keys() - by_trap - listed.keys()):
        yield f"{identifier} is shown by no case and is not in not_covered.tsv"
    for identifier in sorted(by_case.keys() - known):
        yield f"{identifier} is named in {', '.join(by_case[identifier])}, but not a requirement"
    for identifier in sorted(by_trap - known):
        yield f"{identifier} is named in traps.tsv, but not a requirement"
    for identifier in sorted(listed.keys() - known):
        yield f"{identifier} is in not_covered.tsv, but not a requirement"
    for identifier in sorted(listed.keys() & by_case.keys()):
        cases = ", ".join(by_case[identifier])
        yield f"{identifier} has a case in {cases}, and is listed as not covered"
    for identifier, count in listed.items():
        if count > 1:
            yield f"{identifier} is listed twice in not_covered.tsv"
    for row in not_covered:
        if not row["reason"]:
            yield f"{row['id']} is not covered for no reason"
        if row["kind"] not in KINDS:
            yield f"{row['id']} is not covered because it is neither of {', '.join(KINDS)}"


def main():
    requirements = read_table("requirements.tsv")
    not_covered = read_table("not_covered.tsv")
    by_case = ids_named_by_cases()
    by_trap = {row["requirement"] for row in read_table("traps.tsv")}
    for level in ("MUST", "SHOULD"):
        of_level = {row["id"] for row in requirements if row["level"] == level}
        covered = of_level & (by_case.keys() | by_trap)
        kinds = Counter(row["kind"] for row in not_covered if row["id"] in of_level)
        rest = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS)
        print(f"{level}: {len(covered)} of {len(of_level)} covered, {rest}")
    for (kind, reason), count in Counter((row["kind"], row["reason"])
                                         for row in not_covered).most_common():
        print(f"  {count:3} {kind}: {reason}")
    if "--list" in sys.argv[1:]:
        for row in requirements:
            print(row["id"], *sorted(by_case.get(row["id"], {"-"})))
    wrong = list(faults(requirements, by_case, by_trap, not_covered))
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
