"""Tests of the eight clients of `./lab timeline`, against a server of a few lines."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import unittest
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import timeline_workload  # noqa: E402
from console import LabError  # noqa: E402
from timeline_workload import Ask  # noqa: E402


class Clients(unittest.TestCase):
    """The eight clients against a server of a few lines."""

    ASKS = (Ask("A", 0, "says nothing", ""), Ask("B", 5, "asks", "", "/quick"),
            Ask("C", 10, "reads slowly", "", "/large", slowly=True))

    def serve(self, answer: bytes, *, stays: bool = True) -> int:
        """A server that reads a little of everybody and gives all who speak the same answer."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def talk(connection: socket.socket) -> None:
            with connection:
                if connection.recv(4096):
                    connection.sendall(answer)
                    if stays:
                        connection.recv(1)

        def accept_all() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection = listener.accept()[0]
                    threading.Thread(target=talk, args=[connection], daemon=True).start()

        threading.Thread(target=accept_all, daemon=True).start()
        return int(listener.getsockname()[1])

    def test_all_who_ask_are_answered_and_the_silent_one_stays_to_the_end(self) -> None:
        body = b"x" * 100_000
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + body
        told: list[tuple[str, str]] = []
        port = self.serve(answer)
        resume = timeline_workload._Player._resume
        with patch.object(timeline_workload._Player, "_resume", autospec=True,
                          side_effect=resume) as pauses:
            a, b, c = timeline_workload.play(port, self.ASKS, lambda *what: told.append(what))
        self.assertEqual((a.status, b.status, c.status), (0, 200, 200))
        self.assertTrue(b.connected_us <= b.asked_us <= b.first_us <= b.done_us <= b.closed_us)
        self.assertGreaterEqual(a.closed_us, c.done_us)
        self.assertEqual({call.args[1] for call in pauses.call_args_list}, {"C"})
        self.assertEqual(pauses.call_count, len(c.read_us) - 1)
        self.assertEqual([name for what, name in told if what in ("connected", "asked")],
                         ["A", "B", "C"])

    def test_another_status_than_200_is_no_picture(self) -> None:
        port = self.serve(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        with self.assertRaisesRegex(LabError, "not answered by 200: B, C"):
            timeline_workload.play(port, self.ASKS)

    def test_an_answer_that_breaks_off_is_no_picture(self) -> None:
        port = self.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", stays=False)
        with self.assertRaisesRegex(LabError, "no whole answer"):
            timeline_workload.play(port, self.ASKS[:2])


if __name__ == "__main__":
    unittest.main()
