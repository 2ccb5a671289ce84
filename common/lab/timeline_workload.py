"""Eight clients, the same for every stage: who connects when, what each wants, and how it went.

One thread plays them all, in a loop of its own over a selector. So they connect in the order of the
list on every machine, and what is noted of one is not late because of another.
"""

from __future__ import annotations

import heapq
import itertools
import re
import selectors
import socket
import time
from dataclasses import dataclass, field
from typing import Callable, Optional, Sequence

from console import LabError

HOST = "127.0.0.1"
FILE_BYTES = 1 << 20
PIECE_BYTES = 64 << 10  # what the slow reader takes at a time
PIECE_PAUSE_S = 0.025
SECONDS_FOR_ALL = 30.0  # a stage that needs so long does not answer at all

# The slow reader is far away: its segments are as long as on a network, and not 64 KiB as between
# two programs on one machine, where the kernel would take a megabyte from the server at once.
NETWORK_SEGMENT_BYTES = 1400
SLOW_WINDOW_BYTES = 8 << 10

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)


@dataclass(frozen=True)
class Ask:
    """What one client does. Without a target it connects and says nothing."""

    name: str
    at_ms: int
    words: str
    short: str  # the same for a narrow column
    target: str = ""
    slowly: bool = False  # reads the answer piece by piece


WORKLOAD = (
    Ask("A", 0, "connects and says nothing", "says nothing"),
    Ask("B", 50, "asks for what blocks a thread for 300 ms", "blocks 300 ms", "/block?ms=300"),
    Ask("C", 100, "asks for something quick", "quick", "/whoami"),
    Ask("G", 125, "asks for what is promised, and comes 300 ms later", "promised, 300 ms",
        "/slow?ms=300"),
    Ask("D", 150, "asks for something quick", "quick", "/whoami"),
    Ask("H", 175, "fetches 1 MiB and reads it slowly", "1 MiB, reads slowly", "/files/large",
        slowly=True),
    Ask("E", 200, "asks for something quick", "quick", "/whoami"),
    Ask("F", 250, "asks for something quick", "quick", "/whoami"),
)


@dataclass
class Client:
    """What became of one: times in microseconds since the Unix epoch; 0: never."""

    name: str
    words: str
    short: str
    port: int = 0  # of its own end: the server's trace names it
    connected_us: int = 0
    asked_us: int = 0
    first_us: int = 0  # the first byte of the answer
    done_us: int = 0  # the last one
    closed_us: int = 0
    status: int = 0
    read_us: list[int] = field(default_factory=list)  # when it took a piece


def now_us() -> int:
    """By the clock that the server's trace has, too."""
    return time.time_ns() // 1000


class _Player:
    """Plays the clients of a list against one server."""

    def __init__(self, port: int, asks: Sequence[Ask], tell: Callable[[str, str], None]) -> None:
        self._port = port
        self._asks = {ask.name: ask for ask in asks}
        self._tell = tell
        self.clients = {ask.name: Client(ask.name, ask.words, ask.short) for ask in asks}
        self._sockets: dict[str, socket.socket] = {}
        self._received: dict[str, bytearray] = {}
        self._selector = selectors.DefaultSelector()
        self._numbers = itertools.count()  # who is due first of two at the same time
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    def play(self) -> None:
        """Returns when all who have asked are answered, and has closed all sockets then."""
        began = time.monotonic()
        for ask in self._asks.values():
            self._later(began + ask.at_ms / 1000, lambda ask=ask: self._begin(ask))
        try:
            while self._due or self._unanswered():
                if time.monotonic() > began + SECONDS_FOR_ALL:
                    raise LabError(f"not answered in {SECONDS_FOR_ALL:.0f} s: "
                                   + ", ".join(self._unanswered()))
                self._turn()
        finally:
            for name in list(self._sockets):
                self._close(name)
            self._selector.close()

    def _later(self, when: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._due, (when, next(self._numbers), action))

    def _turn(self) -> None:
        while self._due and self._due[0][0] <= time.monotonic():
            heapq.heappop(self._due)[2]()
        wait = min(1.0, self._due[0][0] - time.monotonic()) if self._due else 1.0
        if not self._selector.get_map():
            time.sleep(max(0.0, wait))
            return
        for key, _ in self._selector.select(max(0.0, wait)):
            self._read(key.data)

    def _unanswered(self) -> list[str]:
        return [name for name, client in self.clients.items()
                if self._asks[name].target and not client.done_us]

    def _begin(self, ask: Ask) -> None:
        client = self.clients[ask.name]
        connection = socket.socket()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if ask.slowly:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, NETWORK_SEGMENT_BYTES)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_WINDOW_BYTES)
        self._sockets[ask.name] = connection
        self._received[ask.name] = bytearray()
        connection.connect((HOST, self._port))  # the kernel answers, whatever the server does
        client.connected_us = now_us()
        client.port = connection.getsockname()[1]
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ, ask.name)
        if ask.target:
            request = f"GET {ask.target} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
            client.asked_us = now_us()
            connection.send(request)
        self._tell("asked" if ask.target else "connected", ask.name)

    def _read(self, name: str) -> None:
        client, ask = self.clients[name], self._asks[name]
        try:
            piece = self._sockets[name].recv(PIECE_BYTES)
        except BlockingIOError:
            return
        now = now_us()
        if not piece:
            return self._ended(name)
        client.first_us = client.first_us or now
        client.read_us.append(now)
        received = self._received[name]
        received += piece
        if _is_whole(received):
            client.done_us = now
            client.status = int(received[9:12])
            self._close(name)
            self._tell("answered", name)
        elif ask.slowly:  # and not before it is due again
            self._selector.unregister(self._sockets[name])
            pause = PIECE_PAUSE_S * len(piece) / PIECE_BYTES
            self._later(time.monotonic() + pause, lambda: self._resume(name))

    def _resume(self, name: str) -> None:
        self._selector.register(self._sockets[name], selectors.EVENT_READ, name)

    def _ended(self, name: str) -> None:
        if self._asks[name].target:
            raise LabError(f"client {name} got no whole answer")
        self._close(name)  # the server has had enough of its silence

    def _close(self, name: str) -> None:
        connection = self._sockets.pop(name)
        if connection.fileno() in self._selector.get_map():
            self._selector.unregister(connection)
        connection.close()
        self.clients[name].closed_us = now_us()
        self._tell("closed", name)


def _is_whole(received: bytes) -> bool:
    head = received.find(b"\r\n\r\n")
    if head < 0:
        return False
    length: Optional[re.Match[bytes]] = _LENGTH.search(received, 0, head + 2)
    if length is None:
        raise LabError("an answer has no length: " + bytes(received[:head]).decode("latin-1"))
    return len(received) >= head + 4 + int(length[1])


def play(port: int, asks: Sequence[Ask] = WORKLOAD,
         tell: Callable[[str, str], None] = lambda _what, _name: None) -> list[Client]:
    """Plays the workload against the server on `port`; the clients in the order of their names.

    `tell(what, name)` hears of it when a client has connected, asked, been answered or closed, so
    that a test can go on from there.
    """
    player = _Player(port, asks, tell)
    player.play()
    wrong = [client.name for client in player.clients.values()
             if client.asked_us and client.status != 200]
    if wrong:
        raise LabError("not answered by 200: " + ", ".join(wrong))
    return sorted(player.clients.values(), key=lambda client: client.name)
