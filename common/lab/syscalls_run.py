"""Runs a stage under strace and puts it into one situation after the other."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence

import syscalls_trace
from console import LabError
from processes import end
from syscalls_trace import Call

HOST = "127.0.0.1"
PIPELINED = 16
IDLE_SECONDS = 1.0
SECONDS_TO_ANSWER = 30.0
SECONDS_TO_REST = 30.0
_WARM_UPS = 8  # enough for each of a few workers to have had its turn
_REST_CHECKS = 20  # all threads asleep so many times in a row, and nothing is on its way any more
_SECONDS_BETWEEN_CHECKS = 0.005


@dataclass(frozen=True)
class Situation:
    """What a client does while we look."""

    key: str
    title: str
    act: Callable[[Player], None] = field(compare=False)
    is_warm: bool = True  # made a few times before, so that nothing is made for the first time


@dataclass
class Seen:
    """The calls of one situation."""

    situation: Situation
    calls: list[Call]
    waiting: list[Call]  # what the threads wait in afterwards


class Player:
    """The only client of a server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._kept: Optional[socket.socket] = None

    def _connect(self) -> socket.socket:
        return socket.create_connection((HOST, self._port), timeout=SECONDS_TO_ANSWER)

    def ask(self, target: str, requests: int = 1) -> None:
        """So many requests in one go on the connection that is kept, and all their answers."""
        if self._kept is None:  # and not before: on some stages nobody else would be served
            self._kept = self._connect()
        _ask(self._kept, target, requests)

    def visit(self) -> None:
        """A connection for one request, which says that it is the last."""
        with self._connect() as connection:
            _ask(connection, "/plaintext", 1, "Connection: close\r\n")
            while connection.recv(4096):
                pass

    def close(self) -> None:
        """Leaves."""
        if self._kept is not None:
            self._kept.close()


def _ask(connection: socket.socket, target: str, requests: int, field_lines: str = "") -> None:
    request = f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{field_lines}\r\n".encode()
    connection.sendall(request * requests)
    received = b""
    while received.count(b"\r\n\r\n") < requests or not _is_whole(received):
        piece = connection.recv(65536)
        if not piece:
            raise LabError("the server closed the connection before it had answered")
        received += piece
    if received.count(b"HTTP/1.1 200 ") != requests:
        raise LabError(f"{target} was not answered by 200")


def _is_whole(received: bytes) -> bool:
    """Whether the last answer has its body, whose length its head tells."""
    head, _, body = received[received.rfind(b"HTTP/1.1 "):].partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
    raise LabError("an answer has no length")


SITUATIONS = (
    Situation("visit", "a client comes, asks once, is answered and goes", Player.visit),
    Situation("request", "a request on a connection that is kept",
              lambda player: player.ask("/plaintext")),
    Situation("batch", f"{PIPELINED} requests in one go, pipelined",
              lambda player: player.ask("/plaintext", PIPELINED)),
    Situation("block", "a request whose handler may block (/block?ms=0)",
              lambda player: player.ask("/block?ms=0")),
    Situation("idle", "a second in which the client says nothing",
              lambda _player: time.sleep(IDLE_SECONDS), is_warm=False),
)


def is_allowed() -> bool:
    """Whether strace is here and may watch a program that it has started."""
    try:
        return subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False,
                              capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def record(program: Path, options: Sequence[str]) -> list[Seen]:
    """All situations, one after the other, each when the server has come to rest."""
    with tempfile.TemporaryDirectory(prefix="stagecraft-") as folder:
        file = Path(folder) / "strace"
        # Nobody's patience ends while we look, on any stage.
        command = ["strace", "-f", "-qq", "-ttt", "-T", "-s", "24", "-o", str(file), str(program),
                   "--port", "0", "--idle-timeout", "1h", "--request-timeout", "0", *options]
        windows = []
        with _started(command) as (port, threads):
            player = Player(port)
            for situation in SITUATIONS:
                for _ in range(_WARM_UPS if situation.is_warm else 0):
                    situation.act(player)
                _await_rest(threads)
                begin = time.time()
                situation.act(player)
                _await_rest(threads)
                windows.append((situation, begin, time.time()))
            player.close()
        calls = syscalls_trace.parse(file.read_text().splitlines())
    return [Seen(situation, syscalls_trace.returned_between(calls, begin, until),
                 syscalls_trace.waiting_at(calls, until)) for situation, begin, until in windows]


@contextlib.contextmanager
def _started(command: Sequence[str]) -> Iterator[tuple[int, Path]]:
    """The server's port, and the folder in which the system lists its threads."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
    except FileNotFoundError as error:
        raise LabError("strace is not installed; the Debian package is strace") from error
    assert process.stdout is not None and process.stderr is not None
    server: list[int] = []
    try:
        said = process.stdout.readline().decode()
        if not said.startswith("listening on "):
            why = process.stderr.read().decode(errors="replace").strip()
            raise LabError(f"strace could not run the server: {why or 'it said nothing'}")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        server = [int(children.split()[0])]
        yield int(said.rpartition(":")[2]), Path(f"/proc/{server[0]}/task")
    finally:
        _end(process, server)


def _end(process: subprocess.Popen[bytes], server: Sequence[int]) -> None:
    """Ends the server, and strace with it: strace alone would only let it go."""
    for pid in server:
        with contextlib.suppress(OSError):
            subprocess.run(["kill", str(pid)], check=False)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=SECONDS_TO_REST)
    end([process])
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _await_rest(threads: Path) -> None:
    """Returns when all threads of the server sleep, and go on sleeping."""
    deadline = time.monotonic() + SECONDS_TO_REST
    at_rest = 0
    while at_rest < _REST_CHECKS:
        if time.monotonic() > deadline:
            raise LabError("the server does not come to rest")
        at_rest = at_rest + 1 if _all_sleep(threads) else 0
        time.sleep(_SECONDS_BETWEEN_CHECKS)


def _all_sleep(threads: Path) -> bool:
    states = []
    for thread in threads.iterdir():
        with contextlib.suppress(OSError):  # it may just have ended
            states.append((thread / "stat").read_text().rpartition(") ")[2][0])
    return set(states) == {"S"}  # t would be: stopped by strace, at a system call
