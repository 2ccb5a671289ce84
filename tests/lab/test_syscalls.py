"""Tests of what `./lab syscalls` makes of strace's lines. The runs themselves: tests/pictures."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import syscalls  # noqa: E402
import syscalls_trace  # noqa: E402
from console import LabError, UsageError  # noqa: E402
from syscalls_run import SITUATIONS, Seen, record  # noqa: E402
from syscalls_trace import Call  # noqa: E402

# A request for /block?ms=0 of 06, from 0.361357 on; the client leaves at 1.701838.
STORED = Path(__file__).parent / "traces" / "06-epoll-workers.strace"
SECOND = 1796100919
LOOP, WORKER, OTHER_WORKER = 24167, 24165, 24164


def stored() -> list[Call]:
    return syscalls_trace.parse(STORED.read_text().splitlines())


def named(calls: list[Call]) -> list[tuple[int, str]]:
    return [(call.thread, call.name) for call in calls]


class Lines(unittest.TestCase):
    def parse(self, *lines: str) -> list[Call]:
        return syscalls_trace.parse(lines)

    def test_a_call_in_one_line(self) -> None:
        (call,) = self.parse('7 10.5 sendto(5, "a) = 1", 8, 0, NULL, 0) = 8 <0.25>')
        self.assertEqual((call.thread, call.name, call.begin, call.end, call.result),
                         (7, "sendto", 10.5, 10.75, "8"))
        self.assertEqual(call.arguments, '5, "a) = 1", 8, 0, NULL, 0')

    def test_a_call_in_two_lines_ends_when_it_is_resumed(self) -> None:
        one, other = self.parse("1 10.0 read(5,  <unfinished ...>", "2 10.1 close(3) = 0 <0.1>",
                                '1 10.5 <... read resumed>"x", 8) = 1 <0.5>')
        self.assertEqual((one.name, one.arguments, one.end), ("read", '5,"x", 8', 10.5))
        self.assertEqual(other.name, "close")

    def test_a_call_that_never_returns_has_no_end(self) -> None:
        (call,) = self.parse("1 10.0 accept4(4,  <unfinished ...>")
        self.assertIsNone(call.end)

    def test_a_failure_is_a_result(self) -> None:
        (call,) = self.parse("1 10.0 accept4(4, 0x1, [128], 0) = -1 EAGAIN (Try again) <0.1>")
        self.assertEqual(call.result, "-1 EAGAIN (Try again)")

    def test_what_is_no_call_is_left_out(self) -> None:
        self.assertEqual(self.parse("1 10.0 --- SIGTERM {si_signo=SIGTERM} ---",
                                    "1 10.1 +++ exited with 0 +++", "nonsense", ""), [])

    def test_structures_are_not_shown(self) -> None:
        (call,) = self.parse("1 10.0 epoll_ctl(6, EPOLL_CTL_ADD, 7, "
                             "{events=EPOLLIN, data={u32=1, u64=1}}) = 0 <0.1>")
        self.assertEqual(call.text(), "epoll_ctl(6, EPOLL_CTL_ADD, 7, {..}) = 0")


class Stored(unittest.TestCase):
    def test_the_calls_of_a_request_are_those_that_return_meanwhile(self) -> None:
        calls = syscalls_trace.returned_between(stored(), SECOND + 0.30, SECOND + 0.45)
        self.assertEqual([name for thread, name in named(calls) if thread == LOOP],
                         ["epoll_wait", "recvfrom", "futex", "epoll_wait", "read", "sendto"])
        self.assertEqual([name for thread, name in named(calls) if thread == WORKER],
                         ["futex", "write"])

    def test_what_a_thread_waits_in_does_not_count(self) -> None:
        waiting = syscalls_trace.waiting_at(stored(), SECOND + 0.5)
        self.assertEqual(sorted(named(waiting)), [(OTHER_WORKER, "futex"), (WORKER, "futex"),
                                                  (LOOP, "epoll_wait")])

    def test_nothing_returns_while_nobody_speaks(self) -> None:
        self.assertEqual(syscalls_trace.returned_between(stored(), SECOND + 0.45, SECOND + 1.7), [])


class Words(unittest.TestCase):
    def seen(self) -> list[Seen]:
        calls = stored()
        return [Seen(situation,
                     syscalls_trace.returned_between(calls, SECOND + 0.30, SECOND + 0.45)
                     if situation.key == "block" else [],
                     syscalls_trace.waiting_at(calls, SECOND + 0.5)) for situation in SITUATIONS]

    def test_calls_are_counted_in_the_order_in_which_they_came(self) -> None:
        calls = [Call(1, name, "", 0, 1) for name in ("recvfrom", "futex", "sendto", "futex")]
        self.assertEqual(syscalls.counted(calls), "recvfrom, futex x 2, sendto")

    def test_one_stage_is_shown_call_by_call_within_the_width(self) -> None:
        text = syscalls.one_by_one("06-epoll-workers", self.seen(), 60)
        self.assertIn("a second in which the client says nothing: no calls", text)
        self.assertIn('recvfrom(7, "GET /block?ms=0', text)
        self.assertIn("then waits in epoll_wait, futex", text)
        self.assertLessEqual(max(map(len, text.splitlines()[2:])), 80)  # a title is never cut

    def test_several_stages_stand_below_each_other(self) -> None:
        text = syscalls.by_situation({"06-epoll-workers": self.seen(), "07": self.seen()})
        self.assertEqual(text.count("8  epoll_wait x 2, recvfrom, futex x 2, write"), 2)
        self.assertEqual(len(text.splitlines()), len(SITUATIONS) * 4 - 1)

    def test_the_book_gets_its_tables_between_the_marks(self) -> None:
        tables = syscalls.as_markdown({"06-epoll-workers": self.seen()})
        self.assertIn("| `06-epoll-workers` | 8 | `epoll_wait` \u00d7 2, `recvfrom`, ", tables)
        text = "a\n" + syscalls.MARKS[0] + "\nold\n" + syscalls.MARKS[1] + "\nb\n"
        self.assertEqual(syscalls.with_tables(text, "new"),
                         f"a\n{syscalls.MARKS[0]}\n\nnew\n{syscalls.MARKS[1]}\nb\n")
        with self.assertRaises(UsageError):
            syscalls.with_tables("no marks", "new")

    def test_the_book_has_its_marks(self) -> None:
        syscalls.with_tables(syscalls.BOOK.read_text(), "")


class Failures(unittest.TestCase):
    def test_a_machine_without_strace(self) -> None:
        with patch.dict("os.environ", {"PATH": "/nowhere"}), \
                self.assertRaisesRegex(LabError, "strace is not installed"):
            record(Path("/bin/true"), [])

    def test_the_book_has_all_stages_or_none(self) -> None:
        with self.assertRaises(UsageError):
            syscalls.main(["01", "--book"])


if __name__ == "__main__":
    unittest.main()
