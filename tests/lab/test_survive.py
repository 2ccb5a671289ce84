"""Tests of `./lab survive`: what its clients must not take for survival."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import survive  # noqa: E402
from survive_client import STATED, Ask, get, judge  # noqa: E402
from survive_faults import CALLS, RUNNING, STARTING, STOPPING, faults_of  # noqa: E402

ASKS = [Ask(get("/a"), b"first"), Ask(get("/b"), b"second")]


def answer(body: bytes, status: int = 200, fields: str = "") -> bytes:
    return b"HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n%s" % (
        status, fields.encode(), len(body), body)


class Judging(unittest.TestCase):
    def test_right_answers_are_right(self) -> None:
        heard = judge(ASKS, answer(b"first") + answer(b"second"), True)
        self.assertEqual((heard.right, heard.wrong), (2, []))

    def test_stated_errors_and_ends_are_no_fault(self) -> None:
        for status in STATED:
            heard = judge(ASKS, answer(b"sorry", status, "Connection: close\r\n"), True)
            self.assertEqual((heard.stated, heard.unanswered, heard.wrong), (1, 1, []))
        for cut in (b"", b"HTTP/1.1 200", answer(b"first")[:-2]):
            self.assertEqual(judge(ASKS, cut, True).wrong, [])

    def test_what_is_wrong_is_found(self) -> None:
        for received, what in (
            (answer(b"second") + answer(b"first"), "is wrong"),
            (answer(b"first") * 2, "is wrong"),
            (answer(b"first") + answer(b"second") + answer(b"second"), "more than was asked"),
            (answer(b"first", 404), "is wrong"),
            (answer(b"fxrst")[:-1], "begins wrong"),
            (answer(b"first", 503, "Connection: close\r\n") + answer(b"second"), "more than"),
        ):
            heard = judge(ASKS, received, True)
            self.assertEqual(bool(heard.wrong), bool(what), received)
            self.assertIn(what, "".join(heard.wrong))

    def test_silence_is_found(self) -> None:
        self.assertIn("neither answer nor end", judge(ASKS, answer(b"first"), False).wrong[0])

    def test_a_stream_without_its_end_is_not_whole(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        asks = [Ask(get("/a"), b"first")]
        self.assertEqual(judge(asks, head + b"5\r\nfirst\r\n0\r\n\r\n", True).right, 1)
        self.assertEqual(judge(asks, head + b"5\r\nfirst\r\n", True).right, 0)


class Faults(unittest.TestCase):
    def test_each_is_one_that_the_library_knows(self) -> None:
        page = (ROOT / "tests" / "faults" / "page.h").read_text()
        for call, number in CALLS.items():
            self.assertIn(f"{call.replace('-', '_')} = {number},", page)
        for table in (RUNNING, STARTING, STOPPING):
            for fault in faults_of(table):
                self.assertIn(fault.call, CALLS)
                self.assertGreater(fault.number, 0)


class Table(unittest.TestCase):
    def test_it_has_a_row_for_each_experiment(self) -> None:
        results = [
            survive.Result("01-a", "cable", survive.HELD, "", [], 0.0),
            survive.Result("02-b", "cable", survive.NOT_JUDGED, "why", [], 0.0),
        ]
        self.assertEqual(survive.table_lines(results)[1], "cable  held  NOT JUDGED")

    def test_each_experiment_says_what_must_hold(self) -> None:
        text = (ROOT / "docs" / "survival.md").read_text()
        for name, experiment in survive.EXPERIMENTS.items():
            self.assertTrue(experiment.__doc__, name)
            self.assertIn(f"`{name}`", text)


if __name__ == "__main__":
    unittest.main()
