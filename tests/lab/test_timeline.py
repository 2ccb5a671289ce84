"""Tests of what `./lab timeline` makes of a trace. The runs themselves: tests/pictures."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path
from typing import Any, Optional

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import timeline  # noqa: E402
import timeline_chrome  # noqa: E402
import timeline_draw  # noqa: E402
import timeline_model  # noqa: E402
import timeline_page  # noqa: E402
import timeline_words  # noqa: E402
from console import LabError, UsageError  # noqa: E402
from timeline_model import Event, Timeline  # noqa: E402
from timeline_workload import Client  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
START = 1_000_000


def event(at_ms: float, thread: int, name: str, connection: int = 0, **fields: Any) -> Event:
    """A line of a trace, so many milliseconds after the start."""
    told = {"time_us": START + round(at_ms * 1000), "thread": thread, "event": name, **fields}
    return {**told, "id": connection} if connection else told


def request(at_ms: float, connection: int, reader: int, runner: Optional[int] = None,
            lasts_ms: float = 1, promised_ms: float = 0) -> list[Event]:
    """The events of one request, from its bytes to its answer."""
    runner = runner or reader
    left = at_ms + 0.3 + lasts_ms
    return [event(at_ms + 0.1, reader, "read_bytes", connection, read_bytes=1, request_bytes=1),
            event(at_ms + 0.2, reader, "read_request", connection, request_bytes=1),
            event(at_ms + 0.3, runner, "handler_enter", connection, request=1, route="/x"),
            event(left, runner, "handler_leave", connection, request=1),
            event(left + promised_ms + 0.1, reader, "response_ready", connection, num_bytes=1),
            event(left + promised_ms + 0.2, reader, "write", connection, num_bytes=1),
            event(left + promised_ms + 0.3, reader, "write_response", connection, num_bytes=1)]


def accept(at_ms: float, thread: int, connection: int) -> Event:
    return event(at_ms, thread, "accept", connection, remote_address=f"127.0.0.1:{connection}")


def client(name: str, connection: int, connected_ms: float, done_ms: float = 0) -> Client:
    def moment(at_ms: float) -> int:
        return START + round(at_ms * 1000)
    asked = moment(connected_ms) if done_ms else 0
    return Client(name, f"client {name}", "asks", connection, moment(connected_ms), asked,
                  moment(done_ms) if done_ms else 0, moment(done_ms) if done_ms else 0,
                  moment(done_ms + 1), 200)


def one_after_the_other() -> Timeline:
    """One thread: A says nothing for 100 ms, B is served for 50, and C waits for both."""
    events = [event(0, 1, "wait", **{"for": "anybody"}), accept(0, 1, 1),
              event(0, 1, "wait", 1, **{"for": "input"}), event(100, 1, "close", 1),
              accept(100, 1, 2), *request(100, 2, 1, lasts_ms=50), event(152, 1, "close", 2),
              accept(152, 1, 3), *request(152, 3, 1), event(155, 1, "close", 3)]
    clients = [client("A", 1, 0), client("B", 2, 10, 151), client("C", 3, 20, 154)]
    clients[0].closed_us = START + 100_000
    return timeline_model.build("01-blocking", events, clients)


def loop_and_worker() -> Timeline:
    """A loop, and a worker that has B for 50 ms; C is answered meanwhile, D has to wait for B."""
    anybody = {"for": "anybody"}
    with_b = request(10, 2, 1, runner=2, lasts_ms=50)
    events = [event(0, 1, "wait", **anybody), event(9, 1, "wake_up", loop=0), accept(9, 1, 2),
              *with_b[:3], event(11, 1, "wait", **anybody),
              event(20, 1, "wake_up", loop=0), accept(20, 1, 3), *request(20, 3, 1),
              event(25, 1, "wait", **anybody), event(26, 1, "wake_up", loop=0), accept(26, 1, 4),
              *request(26, 4, 1, runner=2)[:2], event(27, 1, "wait", **anybody),
              with_b[3], event(60.35, 1, "wake_up", loop=0), *with_b[4:],
              *request(62, 4, 1, runner=2)[2:], event(70, 1, "wait", **anybody)]
    clients = [client("B", 2, 9, 61), client("C", 3, 20, 22), client("D", 4, 26, 64)]
    return timeline_model.build("06-epoll-workers", events, clients)


def kinds(spans: list[timeline_model.Span]) -> list[tuple[str, int, int]]:
    return [(span.kind, (span.begin_us - START) // 1000, (span.end_us - START) // 1000)
            for span in spans]


class Model(unittest.TestCase):
    def test_a_wait_ends_with_the_next_event_of_its_thread(self) -> None:
        thread = one_after_the_other().threads[0]
        self.assertEqual(kinds(thread.spans),
                         [("held", 0, 100), ("handler", 100, 150), ("handler", 152, 153)])
        self.assertEqual([span.client for span in thread.spans], ["A", "B", "C"])

    def test_a_client_waits_at_the_door_and_is_served(self) -> None:
        a, b, _ = one_after_the_other().visitors
        self.assertEqual(kinds(a.spans), [("silent", 0, 100)])
        self.assertEqual([kind for kind, _, _ in kinds(b.spans)],
                         ["door", "waiting", "handler", "promised", "sending"])
        self.assertEqual(kinds(b.spans)[0], ("door", 10, 100))

    def test_the_pieces_of_a_client_leave_no_gap_and_do_not_overlap(self) -> None:
        for line in (one_after_the_other(), loop_and_worker()):
            for visitor in line.visitors:
                for before, after in zip(visitor.spans, visitor.spans[1:]):
                    self.assertEqual(before.end_us, after.begin_us)

    def test_a_promise_lasts_until_the_answer_is_there(self) -> None:
        events = [accept(0, 1, 1), *request(0, 1, 1, promised_ms=300)]
        visitor = timeline_model.build("x", events).visitors[0]
        self.assertIn(("promised", 1, 301), kinds(visitor.spans))

    def test_threads_are_named_by_what_they_do(self) -> None:
        self.assertEqual([t.name for t in one_after_the_other().threads], ["the thread"])
        self.assertEqual([t.name for t in loop_and_worker().threads], ["loop", "worker 1"])

    def test_a_thread_that_only_accepts_has_no_colour(self) -> None:
        events = [accept(0, 1, 1), *request(0, 1, 2), accept(1, 1, 2), *request(5, 2, 3)]
        line = timeline_model.build("x", events)
        self.assertEqual([(t.name, t.colour) for t in line.threads],
                         [("accepts", 0), ("thread 1", 1), ("thread 2", 2)])

    def test_a_loop_works_between_two_waits_but_not_while_a_handler_runs(self) -> None:
        loop = loop_and_worker().threads[0]
        around_c = [span for span in loop.spans if 20 <= (span.begin_us - START) // 1000 < 25]
        self.assertEqual([span.kind for span in around_c], ["work", "handler", "work"])

    def test_a_loop_between_two_turns_is_held_by_nobody(self) -> None:
        loop = loop_and_worker().threads[0]
        self.assertEqual({span.kind for span in loop.spans}, {"ready", "work", "handler"})

    def test_a_worker_that_waits_for_work_does_nothing(self) -> None:
        self.assertEqual({span.kind for span in loop_and_worker().threads[1].spans}, {"handler"})

    def test_without_clients_the_connections_take_their_place(self) -> None:
        line = timeline_model.build("x", [accept(0, 1, 7), *request(0, 7, 1), *request(9, 7, 1)])
        self.assertEqual([visitor.words for visitor in line.visitors], ["connection 7"])
        self.assertEqual(len(line.visitors[0].requests), 2)

    def test_a_request_that_nobody_has_begun_waits_to_the_end(self) -> None:
        events = [accept(0, 1, 1), *request(0, 1, 1)[:2], event(50, 1, "close", 1)]
        self.assertEqual(kinds(timeline_model.build("x", events).visitors[0].spans)[-1],
                         ("waiting", 0, 50))


class TraceFiles(unittest.TestCase):
    def read(self, text: str) -> list[Event]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace"
            file.write_text(text)
            return timeline_model.read_trace(file)

    def test_a_line_that_is_being_written_is_left_out(self) -> None:
        whole = json.dumps(event(0, 1, "wait", **{"for": "anybody"})) + "\n"
        self.assertEqual(len(self.read(whole + whole[:20])), 1)

    def test_what_is_no_trace_is_said_with_its_line(self) -> None:
        for text in ("hello\n", '{"a":1}\n', "[]\n"):
            with self.assertRaisesRegex(LabError, "line 1: this is no line of a trace"):
                self.read(text)

    def test_an_empty_trace_is_said_clearly(self) -> None:
        with self.assertRaisesRegex(LabError, "empty"):
            timeline_model.build("x", [])


class Words(unittest.TestCase):
    def test_names_that_follow_each_other_are_a_range(self) -> None:
        for names, words in ((["B"], "B"), (["B", "C"], "B and C"), (["D", "B", "C"], "B to D"),
                             (["B", "C", "D", "H"], "B to D and H"), (["10", "9"], "9 and 10")):
            self.assertEqual(timeline_words.listed(names), words)

    def test_who_waits_does_so_for_whoever_has_its_thread(self) -> None:
        self.assertEqual(timeline_words.waits(one_after_the_other()), {"A": ["B", "C"], "B": ["C"]})
        self.assertEqual(timeline_words.waits(loop_and_worker()), {"B": ["D"]})

    def test_the_sentences(self) -> None:
        self.assertEqual(timeline_words.caption(one_after_the_other()),
                         "One thread did everything. A kept B and C waiting. B kept C waiting.")
        self.assertEqual(timeline_words.held(one_after_the_other()),
                         "The thread waited 0.10 s for A to speak.")
        self.assertEqual(timeline_words.caption(loop_and_worker()),
                         "One loop for the sockets, one worker for the handlers. "
                         "B kept D waiting.")
        self.assertEqual(timeline_words.held(loop_and_worker()),
                         "No thread waited for one client only.")

    def test_lengths_of_time(self) -> None:
        for us, words in ((1_234_567, "1.23 s"), (300_000, "0.30 s"), (99_600, "0.10 s"),
                          (42_000, "42 ms"), (900, "<1 ms")):
            self.assertEqual(timeline_words.seconds(us), words)


class Pictures(unittest.TestCase):
    def drawn(self, line: Timeline, shape: timeline_draw.Shape) -> xml.etree.ElementTree.Element:
        return xml.etree.ElementTree.fromstring(
            timeline_draw.picture(line, "the idea <&>", shape, alone=True))

    def test_it_says_in_words_what_it_shows(self) -> None:
        root = self.drawn(one_after_the_other(), timeline_draw.WIDE)
        self.assertEqual(root.get("role"), "img")
        self.assertEqual(root.findtext(SVG + "title"), "01-blocking: the idea <&>")
        self.assertIn("A kept B and C waiting.", root.findtext(SVG + "desc") or "")
        named = {element.get("id") for element in root.iter()}
        self.assertLessEqual(set((root.get("aria-labelledby") or "").split()), named)

    def test_every_bar_is_inside(self) -> None:
        for line in (one_after_the_other(), loop_and_worker()):
            for shape in (timeline_draw.WIDE, timeline_draw.NARROW):
                root = self.drawn(line, shape)
                height = float((root.get("viewBox") or "").split()[3])
                bars = list(root.iter(SVG + "rect"))
                self.assertGreater(len(bars), 5)
                for bar in bars:
                    x, y = float(bar.get("x", "")), float(bar.get("y", ""))
                    self.assertGreaterEqual(x, shape.names - 0.1)
                    self.assertLessEqual(x + float(bar.get("width", "")),
                                         shape.width - shape.after + timeline_draw.SHORTEST + 0.1)
                    self.assertTrue(0 < y < height)

    def test_a_client_has_the_colour_of_its_thread(self) -> None:
        root = self.drawn(loop_and_worker(), timeline_draw.WIDE)
        handlers = [bar for bar in root.iter(SVG + "rect") if "handler" in bar.get("class", "")]
        about = {bar.findtext(SVG + "title", "").split(",")[0]: bar.get("class", "").split()[1]
                 for bar in handlers}
        self.assertEqual(about["worker 1: runs a handler for B"], about["B: is served"])
        self.assertEqual(about["loop: runs a handler for C"], about["C: is served"])
        self.assertNotEqual(about["B: is served"], about["C: is served"])

    def test_a_page_needs_nothing_else_and_has_no_id_twice(self) -> None:
        page = timeline_page.page([one_after_the_other(), loop_and_worker()], {}, "made",
                                  is_workload=True)
        self.assertEqual(re.findall(r"""(?:src|href)=|@import|url\((?!#)|<script""", page), [])
        ids = re.findall(r'\bid="([^"]+)"', page)
        self.assertEqual(len(ids), len(set(ids)))
        for used in re.findall(r"url\(#([^)]+)\)", page):
            self.assertIn(used, ids)

    def test_text_that_a_trace_brings_is_escaped(self) -> None:
        events = [accept(0, 1, 1), *request(0, 1, 1)]
        page = timeline_page.page([timeline_model.build("<b>&", events)], {}, "", is_workload=False)
        self.assertNotIn("<b>&", page)

    def test_all_pictures_of_a_page_have_one_axis(self) -> None:
        lines = [one_after_the_other(), loop_and_worker()]
        self.assertGreaterEqual(timeline_draw.axis_us(lines), 154_000)

    def test_an_alternative_text_is_that_of_the_last_run(self) -> None:
        text = timeline.with_captions("![old](timelines/01-blocking.svg) ![x](other.svg)",
                                      [one_after_the_other()])
        self.assertIn("![One thread did everything. ", text)
        self.assertIn("![x](other.svg)", text)


class Chrome(unittest.TestCase):
    """The shape that Perfetto reads."""

    def setUp(self) -> None:
        self.trace = json.loads(json.dumps(timeline_chrome.convert(loop_and_worker())))
        self.events = self.trace["traceEvents"]

    def of(self, phase: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["ph"] == phase]

    def test_every_event_has_what_its_kind_needs(self) -> None:
        row = {"name", "pid", "tid"}
        needs = {"X": {*row, "cat", "ts", "dur"}, "M": {*row, "args"}, "i": {*row, "ts", "s"},
                 "s": {*row, "cat", "id", "ts"}, "f": {*row, "cat", "id", "ts", "bp"}}
        self.assertEqual({event["ph"] for event in self.events}, set(needs))
        for told in self.events:
            self.assertLessEqual(needs[told["ph"]], set(told))
            for number in ("ts", "dur"):
                if number in told:
                    self.assertIsInstance(told[number], int)
                    self.assertGreaterEqual(told[number], 0)

    def test_every_row_has_a_name(self) -> None:
        named = {(told["pid"], told["tid"]) for told in self.of("M")
                 if told["name"] == "thread_name"}
        self.assertLessEqual({(told["pid"], told["tid"]) for told in self.of("X")}, named)
        self.assertEqual({told["args"]["name"] for told in self.of("M")
                          if told["name"] == "process_name"}, {"06-epoll-workers", "clients"})

    def test_pieces_of_a_row_do_not_overlap(self) -> None:
        rows: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for told in self.of("X"):
            rows.setdefault((told["pid"], told["tid"]), []).append((told["ts"], told["dur"]))
        for pieces in rows.values():
            pieces.sort()
            for (begin, length), (following, _) in zip(pieces, pieces[1:]):
                self.assertLessEqual(begin + length, following)

    def test_each_arrow_has_two_ends_and_each_end_a_piece(self) -> None:
        starts, ends = self.of("s"), self.of("f")
        self.assertEqual(sorted(told["id"] for told in starts), sorted(told["id"] for told in ends))
        self.assertEqual(len(starts), 6)  # there and back for three clients
        for end in starts + ends:
            self.assertTrue(any(piece["pid"] == end["pid"] and piece["tid"] == end["tid"]
                                and piece["ts"] <= end["ts"] <= piece["ts"] + piece["dur"]
                                for piece in self.of("X")), end)

    def test_an_arrow_goes_from_a_client_to_a_thread_and_forward(self) -> None:
        ends = {told["id"]: told for told in self.of("f")}
        for start in self.of("s"):
            self.assertNotEqual(start["pid"], ends[start["id"]]["pid"])
            self.assertLessEqual(start["ts"], ends[start["id"]]["ts"])


class Usage(unittest.TestCase):
    def test_what_does_not_go_together(self) -> None:
        for words in (["--from", "x", "01"], ["--from", "x", "--book"], ["all", "--chrome", "f"],
                      ["99"]):
            with self.assertRaises(UsageError):
                timeline.main(words)

    def test_a_trace_of_ones_own_is_drawn(self) -> None:
        events = [accept(0, 1, 1), *request(0, 1, 1)]
        with tempfile.TemporaryDirectory() as folder, \
                contextlib.redirect_stdout(io.StringIO()):
            trace = Path(folder) / "mine.jsonl"
            trace.write_text("".join(json.dumps(told) + "\n" for told in events))
            self.assertEqual(timeline.main(["--from", str(trace), "--out", folder]), 0)
            self.assertTrue((Path(folder) / "mine.svg").exists())
            self.assertTrue((Path(folder) / "mine.html").exists())
            chrome = Path(folder) / "chrome.json"
            self.assertEqual(timeline.main(["--from", str(trace), "--chrome", str(chrome)]), 0)
            self.assertTrue(json.loads(chrome.read_text())["traceEvents"])

    def test_every_stage_has_an_idea(self) -> None:
        for stage in timeline.all_stages():
            self.assertTrue(timeline.idea_of(stage), stage)


if __name__ == "__main__":
    unittest.main()
