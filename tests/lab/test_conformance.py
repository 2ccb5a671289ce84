"""Tests of `./lab conformance`: what becomes of the cases' verdicts."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import conformance  # noqa: E402
import conformance_page  # noqa: E402
import conformance_results as results  # noqa: E402
from conformance_results import FAIL, NOT_COVERED, NOT_JUDGED, PASS, Requirement  # noqa: E402

A = Requirement("9112-3.2-3", "9112", "3.2", "MUST", "Host is needed | always")
B = Requirement("9112-3-1", "9112", "3", "SHOULD", "A long method gets 501")
C = Requirement("9110-6.6.1-1", "9110", "6.6.1", "MUST", "There is a Date")
D = Requirement("9110-9.3.4-1", "9110", "9.3.4", "MUST", "PUT makes", "not offered: no PUT")
ALL = [A, B, C, D]


def case(name: str, verdict: str, tags: list[str], **more: Any) -> dict[str, Any]:
    judged = tags if verdict != NOT_JUDGED else []
    return {"case": name, "verdict": verdict, "tags": ["rfc9112-3", *tags], "judged": judged,
            "not_judged": [], "failures": [], "seconds": 0.25, **more}


def failure(text: str, *requirements: str) -> dict[str, Any]:
    return {"requirements": list(requirements), "text": text}


class Merging(unittest.TestCase):
    def verdicts(self, *cases: dict[str, Any]) -> dict[str, str]:
        merged = results.merge("x", list(cases), ALL)
        return {one: judgement.verdict for one, judgement in merged.judgements.items()}

    def test_what_no_case_has_judged_does_not_pass(self) -> None:
        self.assertEqual(
            self.verdicts(),
            {A.id: NOT_JUDGED, B.id: NOT_JUDGED, C.id: NOT_JUDGED, D.id: NOT_COVERED})

    def test_a_failure_counts_against_all_that_its_case_names(self) -> None:
        found = self.verdicts(case("one", FAIL, [A.id, B.id], failures=[failure("no")]),
                              case("two", PASS, [A.id]))
        self.assertEqual((found[A.id], found[B.id], found[C.id]), (FAIL, FAIL, NOT_JUDGED))

    def test_or_against_those_that_it_names_itself(self) -> None:
        found = self.verdicts(case("one", FAIL, [A.id], failures=[failure("no Date", C.id)]))
        self.assertEqual((found[A.id], found[C.id]), (PASS, FAIL))

    def test_a_reason_not_to_judge_is_told(self) -> None:
        unjudged = case("one", NOT_JUDGED, [A.id], not_judged=["no /echo"])
        merged = results.merge("x", [unjudged, unjudged], ALL)
        self.assertEqual(merged.judgements[A.id].reasons, ["no /echo"])
        merged = results.merge("x", [unjudged, case("two", PASS, [A.id])], ALL)
        self.assertEqual(merged.judgements[A.id], results.Judgement(PASS))

    def test_the_cases_that_failed_are_the_reasons(self) -> None:
        failed = case("one", FAIL, [A.id], failures=[failure("a"), failure("b")])
        merged = results.merge("x", [case("zero", PASS, [A.id]), failed], ALL)
        self.assertEqual(merged.judgements[A.id].reasons, ["one"])
        self.assertEqual(conformance.summary(merged, ALL),
                         "0 pass, 1 FAIL, 2 not judged, 1 not covered")


class Files(unittest.TestCase):
    def merged(self) -> results.Results:
        return results.merge("x", [
            case("good", PASS, [B.id]),
            case("bad <&>", FAIL, [A.id], failures=[failure("wrong\nexpected: \x01")]),
            case("unseen", NOT_JUDGED, [C.id], not_judged=["no route"]),
        ], ALL)

    def test_json_says_the_same_when_it_is_read(self) -> None:
        again = results.from_json(results.to_json([self.merged()], ALL))[0]
        self.assertEqual(again.judgements, self.merged().judgements)
        self.assertEqual([one["case"] for one in again.failed_cases()], ["bad <&>"])
        with self.assertRaises(conformance.LabError):
            results.from_json('{"servers": [{}]}')

    def test_junit_has_every_case(self) -> None:
        suite = ElementTree.fromstring(results.to_junit([self.merged()]))[0]
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("skipped")),
                         ("3", "1", "1"))
        self.assertEqual(suite[1].get("name"), "bad <&>")
        self.assertEqual(suite[1][0].text, "wrong\nexpected: ?")
        self.assertEqual(suite[2][0].get("message"), "no route")

    def test_the_page_has_every_requirement_and_what_failed(self) -> None:
        page = conformance_page.page_text([self.merged()], ALL)
        self.assertIn("| 9112-3.2-3 | MUST | Host is needed \\| always | FAIL |", page)
        self.assertIn("| 9110-9.3.4-1 | MUST | PUT makes | not offered: no PUT |", page)
        self.assertIn("- 9112-3.2-3 (MUST): Host is needed | always. Seen in: bad <&>", page)
        self.assertIn("| RFC 9112, section 3 | 2 | 1, 1 fail |", page)

    def test_a_report_that_was_cut_off_is_read_as_far_as_it_goes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report.jsonl")
            report.write_text('{"case": "one"}\n{"case": "tw')
            self.assertEqual(results.read_cases(report), [{"case": "one"}])

    def test_the_tables_of_the_suite_can_be_read(self) -> None:
        table = results.read_requirements()
        self.assertGreater(len(table), 190)
        self.assertTrue(any(one.uncovered.startswith("not observable: ") for one in table))


if __name__ == "__main__":
    unittest.main()
