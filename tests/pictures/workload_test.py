"""The eight clients of `./lab timeline` against one stage: `workload_test.py PROGRAM`.

What is asserted is the order of traced events, and which thread told them. B's handler waits at a
gate instead of sleeping, and the gate is opened by what has happened, so that no order depends on
time.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import timeline  # noqa: E402
import timeline_chrome  # noqa: E402
import timeline_page  # noqa: E402
import timeline_words  # noqa: E402
from timeline_model import Event, Request, Timeline  # noqa: E402
from timeline_workload import WORKLOAD  # noqa: E402

PROGRAM = Path(sys.argv[1]) if len(sys.argv) > 1 else None
ASKING = set("BCDEFGH")

# When B may go on. Where its handler stops nobody: when all others have their answers. On a loop
# that it stops: when all have asked. Where nobody else is let in meanwhile: at once.
OPENS = {"01": "at once", "04": "all have asked", "05": "all have asked"}


class Gate:
    """The gate `b`: the handler of /gate?name=b waits until it is opened."""

    def __init__(self, folder: str, opens: str) -> None:
        self._opens = opens
        self._asked: set[str] = set()
        self._answered: set[str] = set()
        self._way_out = os.path.join(folder, "b.go")
        for name in ("b.in", "b.go"):
            os.mkfifo(os.path.join(folder, name))
        # Both ends in one, which Linux allows: opening it waits for nobody.
        self._ends = [os.open(os.path.join(folder, "b.in"), os.O_RDWR)]
        if opens == "at once":
            self._open()

    def tell(self, what: str, name: str) -> None:
        """Hears what becomes of the clients."""
        {"asked": self._asked, "answered": self._answered}.get(what, set()).add(name)
        done = self._asked >= ASKING if self._opens == "all have asked" else \
            self._answered >= ASKING - {"B"}
        if done and len(self._ends) == 1:
            self._open()

    def _open(self) -> None:
        self._ends.append(os.open(self._way_out, os.O_RDWR))

    def close(self) -> None:
        """Frees the descriptors."""
        for end in self._ends:
            os.close(end)


@unittest.skipIf(PROGRAM is None, "needs a program")
class Workload(unittest.TestCase):
    """One run for all tests."""

    line: Timeline
    events: list[Event]

    @classmethod
    def setUpClass(cls) -> None:
        assert PROGRAM is not None
        stage = PROGRAM.name
        cls.stage = stage[:2]
        asks = [dataclasses.replace(ask, target="/gate?name=b") if ask.name == "B" else ask
                for ask in WORKLOAD]
        with tempfile.TemporaryDirectory() as folder:
            gate = Gate(folder, OPENS.get(cls.stage, "all are answered"))
            # On 01 nobody is let in until A's time is up; elsewhere A stays to the end.
            idle = [] if cls.stage == "01" else ["--idle-timeout", "60s"]
            try:
                cls.line, cls.events = timeline.record(
                    stage, PROGRAM, asks, ["--gates", folder, *idle], gate.tell)
            finally:
                gate.close()

    def of(self, stages: str) -> None:
        """Skips the test on other stages."""
        if self.stage not in stages.split():
            self.skipTest("of other stages")

    def request(self, name: str) -> Request:
        return next(visitor.requests[0] for visitor in self.line.visitors if visitor.name == name)

    def connection(self, name: str) -> int:
        return next(v.connection for v in self.line.visitors if v.name == name)

    def places(self, name: str) -> dict[str, int]:
        """Of one client: where in the trace each of its events stands first."""
        found: dict[str, int] = {}
        for place, event in enumerate(self.events):
            if event.get("id") == self.connection(name):
                found.setdefault(event["event"], place)
        return found

    def between(self, name: str, first: str, last: str) -> Iterator[Event]:
        """What the thread of this client's handler tells meanwhile."""
        places = self.places(name)
        thread = self.request(name).thread
        for event in self.events[places[first] + 1:places[last]]:
            if event["thread"] == thread:
                yield event

    # --- Every stage ---

    def test_everybody_comes_and_all_who_ask_are_answered(self) -> None:
        self.assertEqual([v.name for v in self.line.visitors], list("ABCDEFGH"))
        for visitor in self.line.visitors:
            self.assertEqual(len(visitor.requests), 1 if visitor.name in ASKING else 0)

    def test_the_events_of_a_request_stand_in_their_order(self) -> None:
        order = ["accept", "read_bytes", "read_request", "handler_enter", "handler_leave",
                 "response_ready", "write", "write_response", "close"]
        for name in ASKING:
            places = self.places(name)
            self.assertEqual(sorted(order, key=places.__getitem__), order, name)

    def test_clients_are_accepted_in_the_order_in_which_they_came(self) -> None:
        self.of("01 02 03 04 05 06")  # of several loops each tells of its own clients
        came = [ask.name for ask in WORKLOAD]
        self.assertEqual(sorted(came, key=lambda name: self.places(name)["accept"]), came)

    def test_what_is_drawn_can_be_read(self) -> None:
        page = timeline_page.page([self.line], {}, "", is_workload=True)
        for picture in page.split("<svg xmlns")[1:]:
            picture = "<svg xmlns" + picture.split("</svg>")[0] + "</svg>"
            self.assertTrue(xml.etree.ElementTree.fromstring(picture).findtext(
                "{http://www.w3.org/2000/svg}desc"))
        json.dumps(timeline_chrome.convert(self.line))

    # --- Who waits for one client, and who for all ---

    def test_a_silent_client_holds_a_thread(self) -> None:
        self.of("01 02 03")
        waits = [event for event in self.events if event.get("id") == self.connection("A")
                 and event["event"] == "wait"]
        self.assertEqual([event["for"] for event in waits], ["input"])

    def test_a_loop_waits_for_nobody_alone(self) -> None:
        self.of("04 05 06 07")
        self.assertEqual({event["for"] for event in self.events if event["event"] == "wait"},
                         {"anybody"})

    def test_a_promise_holds_a_thread(self) -> None:
        self.of("01 02 03")
        told = [(event["event"], event.get("for"))
                for event in self.between("G", "handler_leave", "response_ready")]
        self.assertEqual(told, [("wait", "answer")])

    def test_a_loop_goes_on_while_an_answer_is_promised(self) -> None:
        self.of("04 05 06 07")
        told = [event["event"] for event in self.between("G", "handler_leave", "response_ready")]
        self.assertIn("wait", told)
        self.assertIn("wake_up", told)

    # --- Who waits for whom ---

    def test_one_client_after_the_other(self) -> None:
        self.of("01")
        self.assertEqual(len(self.line.threads), 1)
        before = -1
        for ask in WORKLOAD:
            places = self.places(ask.name)
            self.assertGreater(places["accept"], before, ask.name)
            before = places["close"]
        self.assertEqual(timeline_words.waits(self.line)["A"], list("BCDEFGH"))

    def test_a_thread_for_each_client(self) -> None:
        self.of("02")
        accepting = {event["thread"] for event in self.events if event["event"] == "accept"}
        serving = [self.request(name).thread for name in sorted(ASKING)]
        self.assertEqual(len(accepting), 1)
        self.assertEqual(len(set(serving) - accepting), len(ASKING))

    def test_all_others_share_the_one_worker_that_is_left(self) -> None:
        self.of("03")  # of three: A has one, and B another
        a = next(event["thread"] for event in self.events
                 if event.get("id") == self.connection("A") and event["event"] == "wait")
        b = self.request("B").thread
        others = {self.request(name).thread for name in ASKING - {"B"}}
        self.assertEqual(len(others | {a, b}), 3)
        self.assertEqual(len(others), 1)

    def test_everybody_else_is_answered_while_a_handler_blocks(self) -> None:
        self.of("02 03 06 07")
        left = self.places("B")["handler_leave"]
        for name in ASKING - {"B"}:
            self.assertLess(self.places(name)["write_response"], left, name)

    def test_a_handler_that_blocks_stops_the_loop(self) -> None:
        self.of("04 05")
        self.assertEqual(list(self.between("B", "handler_enter", "handler_leave")), [])
        left = self.places("B")["handler_leave"]
        for name in ASKING - {"B"}:
            self.assertGreater(self.places(name)["handler_enter"], left, name)

    def test_a_handler_that_blocks_runs_on_a_thread_that_touches_no_socket(self) -> None:
        self.of("06 07")
        worker = self.request("B").thread
        self.assertEqual({event["event"] for event in self.events if event["thread"] == worker},
                         {"handler_enter", "handler_leave"})
        for name in ASKING - {"B"}:
            self.assertEqual(self.request(name).thread, self.request(name).reader, name)

    def test_clients_are_spread_over_the_loops(self) -> None:
        self.of("07")
        loops = {event["loop"] for event in self.events if event["event"] == "wake_up"}
        readers = {self.request(name).reader for name in ASKING}
        self.assertEqual(loops, {0, 1})
        self.assertEqual(len(readers), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
