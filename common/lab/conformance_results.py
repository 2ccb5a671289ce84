"""What the conformance suite found out, case by case, made into requirement by requirement."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable
from xml.etree import ElementTree

from console import LabError
from stages import ROOT

FOLDER = ROOT / "tests" / "conformance"

PASS = "pass"
FAIL = "fail"
NOT_JUDGED = "not judged"
NOT_COVERED = "not covered"  # no case shows it: see not_covered.tsv


@dataclass(frozen=True)
class Requirement:
    """A row of requirements.tsv; `uncovered` says why no case shows it, if none does."""

    id: str
    rfc: str
    section: str
    level: str
    text: str
    uncovered: str = ""

    def part(self) -> str:
        """The chapter that it belongs to: `RFC 9112, section 3`."""
        return f"RFC {self.rfc}, section {self.section.split('.')[0]}"


@dataclass
class Judgement:
    """What became of one requirement on one server."""

    verdict: str = NOT_JUDGED
    reasons: list[str] = field(default_factory=list)  # why not judged, or which cases failed


@dataclass
class Results:
    """One server, judged."""

    server: str
    cases: list[dict[str, Any]]
    judgements: dict[str, Judgement]
    gave_up: str = ""  # why the rest was not tried; empty: all was

    def failed_cases(self) -> list[dict[str, Any]]:
        """Those that failed, in the order in which they ran."""
        return [case for case in self.cases if case["verdict"] == FAIL]

    def count(self, requirements: Iterable[Requirement]) -> Counter[str]:
        """How many of these passed, failed and were not judged."""
        return Counter(self.judgements[one.id].verdict for one in requirements)


def read_table(name: str) -> list[dict[str, str]]:
    """A table of the suite: tab-separated, the first line names the columns."""
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_requirements() -> list[Requirement]:
    """All of them, in the order of the RFCs' sections."""
    uncovered = {row["id"]: f"{row['kind']}: {row['reason']}"
                 for row in read_table("not_covered.tsv")}
    return [
        Requirement(row["id"], row["rfc"], row["section"], row["level"], row["requirement"],
                    uncovered.get(row["id"], ""))
        for row in read_table("requirements.tsv")
    ]


def read_cases(report: Path) -> list[dict[str, Any]]:
    """The lines that `conformance --report` has written; a line that was cut off is left out."""
    cases = []
    for line in report.read_text(encoding="utf-8").splitlines():
        try:
            cases.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return cases


def merge(server: str, cases: list[dict[str, Any]], requirements: list[Requirement],
          gave_up: str = "") -> Results:
    """What the cases say about each requirement.

    A failure counts against the requirements that it names itself, as those of the linter do, else
    against all that its case names. A requirement passes if a case has judged it and none fails it.
    """
    judgements = {one.id: Judgement() for one in requirements}
    for one in requirements:
        if one.uncovered:
            judgements[one.id] = Judgement(NOT_COVERED, [one.uncovered])
    for case in cases:
        named = [tag for tag in case["tags"] if tag in judgements]
        for identifier in case["judged"]:
            if identifier in judgements and judgements[identifier].verdict != FAIL:
                judgements[identifier] = Judgement(PASS)
        if case["verdict"] == NOT_JUDGED:
            for identifier in named:
                _note(judgements[identifier], NOT_JUDGED, case["not_judged"])
    for case in cases:
        named = [tag for tag in case["tags"] if tag in judgements]
        for failure in case["failures"]:
            for identifier in failure["requirements"] or named:
                if identifier in judgements:
                    _note(judgements[identifier], FAIL, [case["case"]])
    return Results(server, cases, judgements, gave_up)


def _note(judgement: Judgement, verdict: str, reasons: list[str]) -> None:
    """Adds reasons to a verdict; a failure takes the place of anything else."""
    if verdict == FAIL and judgement.verdict != FAIL:
        judgement.verdict, judgement.reasons = FAIL, []
    if judgement.verdict == verdict:
        judgement.reasons += [reason for reason in reasons if reason not in judgement.reasons]


def _texts(case: dict[str, Any]) -> list[str]:
    return [failure["text"] for failure in case["failures"]]


def to_json(all_results: list[Results], requirements: list[Requirement],
            *, with_texts: bool = True) -> str:
    """Every server's judgements and failed cases; with or without what these tell."""
    return json.dumps(
        {
            "requirements": [
                {"id": one.id, "rfc": one.rfc, "section": one.section, "level": one.level,
                 "text": one.text} for one in requirements
            ],
            "servers": [
                {
                    "server": results.server,
                    "gave_up": results.gave_up,
                    "judgements": {
                        identifier: {"verdict": one.verdict, "reasons": one.reasons}
                        for identifier, one in results.judgements.items()
                    },
                    "failed_cases": {case["case"]: _texts(case) if with_texts else []
                                     for case in results.failed_cases()},
                }
                for results in all_results
            ],
        },
        indent=1,
    ) + "\n"


def from_json(text: str) -> list[Results]:
    """What to_json() has written, without the cases that did not fail."""
    try:
        return [
            Results(
                server["server"],
                [{"case": name, "tags": [], "verdict": FAIL, "judged": [], "not_judged": [],
                  "failures": [{"requirements": [], "text": each} for each in texts],
                  "seconds": 0.0} for name, texts in server["failed_cases"].items()],
                {identifier: Judgement(one["verdict"], one["reasons"])
                 for identifier, one in server["judgements"].items()},
                server["gave_up"],
            )
            for server in json.loads(text)["servers"]
        ]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise LabError(f"these are no results of the conformance suite: {error!r}") from None


def _plain(text: str) -> str:
    """Text without the controls that XML cannot have."""
    return "".join(c if c >= " " or c in "\n\t" else "?" for c in text)


def to_junit(all_results: list[Results]) -> str:
    """JUnit's XML, a suite for each server and a test for each case."""
    suites = ElementTree.Element("testsuites")
    for results in all_results:
        verdicts = Counter(case["verdict"] for case in results.cases)
        suite = ElementTree.SubElement(
            suites, "testsuite", name=results.server, tests=str(len(results.cases)),
            failures=str(verdicts[FAIL]), skipped=str(verdicts[NOT_JUDGED]), errors="0")
        for case in results.cases:
            section = next((tag for tag in case["tags"] if tag.startswith("rfc")), "suite")
            test = ElementTree.SubElement(
                suite, "testcase", name=case["case"], time=f"{case['seconds']:.3f}",
                classname=f"{results.server}.{section}")
            if case["verdict"] == NOT_JUDGED:
                ElementTree.SubElement(test, "skipped", message="; ".join(case["not_judged"]))
            for failure in case["failures"]:
                first_line = failure["text"].split("\n", 1)[0]
                ElementTree.SubElement(test, "failure", message=_plain(first_line)).text = \
                    _plain(failure["text"])
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"
