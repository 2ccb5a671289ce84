"""Tests of `./lab timeline` with traces that two stages have really written, kept in traces/.

They were made by the workload of `./lab timeline`. Without the clients' own times a connection goes
by its number: 1 is A, who says nothing, 2 is B, who blocks, 3 is C, 4 is G, who is promised an
answer, 5 is D, 6 is H, who reads slowly, 7 is E, 8 is F.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import timeline  # noqa: E402
import timeline_chrome  # noqa: E402
import timeline_draw  # noqa: E402
import timeline_model  # noqa: E402
import timeline_text  # noqa: E402
import timeline_words  # noqa: E402
from timeline_model import Thread, Timeline, Visitor  # noqa: E402

TRACES = Path(__file__).parent / "traces"


def stored(stage: str) -> Timeline:
    return timeline_model.build(stage, timeline_model.read_trace(TRACES / f"{stage}.jsonl"))


def kinds(visitor: Visitor) -> list[str]:
    return [span.kind for span in visitor.spans]


class ThreadPool(unittest.TestCase):
    def setUp(self) -> None:
        self.line = stored("03-thread-pool")

    def visitor(self, name: str) -> Visitor:
        return next(visitor for visitor in self.line.visitors if visitor.name == name)

    def thread(self, name: str) -> Thread:
        return next(thread for thread in self.line.threads if thread.name == name)

    def test_the_threads_are_named_and_one_only_accepts(self) -> None:
        self.assertEqual([(thread.name, thread.colour) for thread in self.line.threads],
                         [("accepts", 0), ("worker 1", 1), ("worker 2", 2), ("worker 3", 3)])

    def test_a_silent_client_holds_its_worker_to_the_end(self) -> None:
        held = self.thread("worker 1").spans
        self.assertEqual({(span.kind, span.client, span.note) for span in held},
                         {("held", "1", "input")})
        self.assertEqual(len(held), 1)
        others = [span.end_us for thread in self.line.threads for span in thread.spans
                  if span.kind == "handler"]
        self.assertGreater(held[0].end_us, max(others))

    def test_who_waits_for_a_worker_is_seen_to_wait(self) -> None:
        self.assertNotIn("waiting", kinds(self.visitor("1")))
        self.assertIn("promised", kinds(self.visitor("4")))
        self.assertEqual(kinds(self.visitor("1")), ["silent"])

    def test_the_sentences_tell_the_story(self) -> None:
        self.assertTrue(timeline_words.caption(self.line).startswith(
            "One thread accepted, three threads served."))
        self.assertIn("for what 4 was promised", timeline_words.held(self.line))

    def test_every_piece_of_a_thread_is_a_piece_of_the_trace_for_perfetto(self) -> None:
        pieces = [told for told in timeline_chrome.convert(self.line)["traceEvents"]
                  if told["ph"] == "X" and told["pid"] == timeline_chrome.SERVER]
        self.assertEqual(len(pieces), sum(len(thread.spans) for thread in self.line.threads))
        blocked = next(told for told in pieces
                       if told["cat"] == "handler" and told["args"]["client"] == "2")
        span = next(span for thread in self.line.threads for span in thread.spans
                    if span.kind == "handler" and span.client == "2")
        self.assertEqual((blocked["ts"], blocked["dur"]),
                         (span.begin_us - self.line.begin_us, span.length_us))


class Loops(unittest.TestCase):
    def setUp(self) -> None:
        self.line = stored("07-epoll-multi-loop")

    def test_two_loops_and_a_worker(self) -> None:
        self.assertEqual([thread.name for thread in self.line.threads],
                         ["loop 0", "loop 1", "worker 1"])

    def test_no_thread_waits_for_one_client_only(self) -> None:
        spans = [span for thread in self.line.threads for span in thread.spans]
        self.assertEqual({span.kind for span in spans}, {"ready", "work", "handler"})

    def test_the_worker_has_the_handler_that_blocks_and_nothing_else(self) -> None:
        worker = next(thread for thread in self.line.threads if thread.name == "worker 1")
        self.assertEqual([(span.kind, span.client) for span in worker.spans], [("handler", "2")])


class Letters(unittest.TestCase):
    """The picture for a terminal."""

    def rows(self, line: Timeline, width: int = 80) -> list[str]:
        text = timeline_text.picture(line, "", timeline_draw.axis_us([line]), width)
        return text.splitlines()

    def test_no_line_is_wider_than_the_terminal(self) -> None:
        for stage in ("03-thread-pool", "07-epoll-multi-loop"):
            for width in (60, 80, 100):
                self.assertLessEqual(max(map(len, self.rows(stored(stage), width))), width)

    def test_it_is_plain_ascii(self) -> None:
        text = "".join(self.rows(stored("03-thread-pool"))) + timeline_text.KEY
        self.assertTrue(text.isascii())

    def test_each_thread_and_each_client_has_its_row(self) -> None:
        line = stored("03-thread-pool")
        rows = self.rows(line)
        for place, thread in enumerate(line.threads, 2):
            self.assertTrue(rows[place].startswith(thread.name), rows[place])
        for place, visitor in enumerate(line.visitors, 2 + len(line.threads)):
            self.assertTrue(rows[place].startswith(visitor.short), rows[place])

    def test_a_client_of_the_workload_is_its_letter(self) -> None:
        span = timeline_model.Span
        thread = timeline_model.Thread(1, "the thread", 0, 100,
                                       [span("held", 0, 50, "A"), span("handler", 50, 100, "B")])
        line = Timeline("x", 0, 100, [thread], [])
        row = timeline_text.picture(line, "", 100, 60).splitlines()[2]
        self.assertRegex(row, "^the thread  a+B+$")
        letters = row.split()[-1]
        self.assertLessEqual(abs(letters.count("a") - letters.count("B")), 1)

    def test_a_handler_that_takes_no_time_is_seen(self) -> None:
        span = timeline_model.Span
        visitor = Visitor("C", "asks", "asks", 0, accepted_us=10)
        visitor.spans = [span("door", 0, 10), span("waiting", 10, 500_000),
                         span("handler", 500_000, 500_001), span("sending", 500_001, 500_002)]
        line = Timeline("x", 0, 1_000_000, [], [visitor])
        row = timeline_text.picture(line, "", 1_000_000, 80).splitlines()[2]
        self.assertRegex(row, r"^C asks  \|\.+#$")

    def test_the_verb_prints_it_before_it_says_what_it_has_written(self) -> None:
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
            timeline.main(["--from", str(TRACES / "03-thread-pool.jsonl"), "--out", folder])
        self.assertLess(out.getvalue().index("worker 1  "), out.getvalue().index(".svg"))


if __name__ == "__main__":
    unittest.main()
