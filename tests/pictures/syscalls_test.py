"""The system calls of one stage: `syscalls_test.py PROGRAM`. Exit 77 where strace may not be used.

What is asserted are calls and their order on each thread, and no times.
"""

from __future__ import annotations

import collections
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import syscalls  # noqa: E402
import syscalls_run  # noqa: E402
from console import LabError  # noqa: E402
from syscalls_run import Seen  # noqa: E402

PROGRAM = Path(sys.argv[1]) if len(sys.argv) > 1 else None
SKIPPED = 77
ON_SOCKETS = {"accept4", "recvfrom", "recvmsg", "sendto", "sendmsg", "sendfile", "close",
              "epoll_ctl", "poll", "epoll_wait", "shutdown"}


@unittest.skipIf(PROGRAM is None, "needs a program")
class Calls(unittest.TestCase):
    """One run for all tests."""

    seen: dict[str, Seen]

    @classmethod
    def setUpClass(cls) -> None:
        assert PROGRAM is not None
        cls.stage = PROGRAM.name[:2]
        found = syscalls_run.record(PROGRAM, syscalls.options_of(PROGRAM.name))
        cls.seen = {one.situation.key: one for one in found}

    def counts(self, key: str) -> dict[str, int]:
        """How often each call on sockets was made."""
        return dict(collections.Counter(call.name for call in self.seen[key].calls
                                        if call.name in ON_SOCKETS))

    def waiting(self) -> dict[str, int]:
        """How often a loop waits for a request and for a batch."""
        return {"04": {"poll": 1}}.get(self.stage, {"epoll_wait": 1} if self.stage > "04" else {})

    def test_a_request_and_a_batch_cost_one_receive_and_one_send(self) -> None:
        for key in ("request", "batch"):
            self.assertEqual(self.counts(key), {"recvfrom": 1, "sendto": 1, **self.waiting()}, key)

    def test_they_stand_in_their_order(self) -> None:
        order = [call.name for call in self.seen["request"].calls if call.name in ON_SOCKETS]
        self.assertEqual(order, [*self.waiting(), "recvfrom", "sendto"])

    def test_a_visitor_is_accepted_first_and_closed_last(self) -> None:
        calls = [call.name for call in self.seen["visit"].calls if call.name in ON_SOCKETS]
        if calls[0] in ("poll", "epoll_wait"):
            del calls[0]
        self.assertEqual((calls[0], calls[-1]), ("accept4", "close"))

    def test_a_handler_that_may_block_is_handed_over_from_06_on(self) -> None:
        names = [call.name for call in self.seen["block"].calls]
        threads = {call.thread for call in self.seen["block"].calls if call.name in
                   ("recvfrom", "write")}
        self.assertEqual(("write" in names and "read" in names, len(threads)),
                         (True, 2) if self.stage >= "06" else (False, 1))

    def test_nobody_wakes_up_while_nobody_speaks(self) -> None:
        self.assertEqual(self.counts("idle"), {})  # a sanitizer has a thread that wakes up
        self.assertTrue(self.seen["idle"].waiting)


if __name__ == "__main__":
    if not syscalls_run.is_allowed():
        print("strace may not be used here")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
