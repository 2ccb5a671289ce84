"""Clients of `lab survive`: what they ask, and what they may be told.

A server to which something bad happens may answer with an error that it states, or close. It may
never give a wrong answer, one twice, or one that belongs to somebody else; nor keep silent.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from dataclasses import dataclass, field
from typing import Callable, Optional, Union

Address = tuple[str, int]
# What a body must be: these bytes, or what this function says yes to.
Body = Union[bytes, Callable[[bytes], bool]]

# The errors by which a server may say that something has happened to it, and not to the client.
STATED = (408, 500, 503)
# For what must come. Nobody gets so far but by a server that hangs.
PATIENCE_S = 10.0
# RST instead of FIN: SO_LINGER on, for 0 seconds (man 7 socket).
_AT_ONCE = struct.pack("ii", 1, 0)


def request(method: str, target: str, body: bytes = b"", *fields: str) -> bytes:
    """A whole request."""
    lines = [f"{method} {target} HTTP/1.1", "Host: survive", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def get(target: str, *fields: str) -> bytes:
    """A GET."""
    return request("GET", target, b"", *fields)


CLOSE = "Connection: close"


@dataclass
class Ask:
    """One request and the answer that belongs to it."""

    sent: bytes
    body: Body = b""
    status: int = 200
    head: bool = False

    def is_right(self, status: int, body: bytes) -> bool:
        """Whether this is the answer."""
        if status != self.status:
            return False
        return self.body(body) if callable(self.body) else body == self.body

    def may_begin(self, body: bytes) -> bool:
        """Whether the answer may begin so."""
        return True if callable(self.body) else self.body.startswith(body)


@dataclass
class Heard:
    """What became of the requests of one connection."""

    right: int = 0
    stated: int = 0  # errors of STATED
    unanswered: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Heard) -> None:
        """Both together."""
        self.right += other.right
        self.stated += other.stated
        self.unanswered += other.unanswered
        self.wrong += other.wrong


@dataclass
class _Answer:
    status: int
    body: bytes
    whole: bool
    closes: bool
    rest: bytes


def _split_answer(text: bytes, head_only: bool) -> Optional[_Answer]:
    """Takes the first answer off; None if not even its head is whole."""
    head, separator, rest = text.partition(b"\r\n\r\n")
    if not separator:
        return None
    status = int(head[9:12])
    if 100 <= status < 200:
        return _split_answer(rest, head_only)
    fields = head.lower().split(b"\r\n")[1:]
    closes = b"connection: close" in fields
    if head_only or status in (204, 304):
        return _Answer(status, b"", True, closes, rest)
    if b"transfer-encoding: chunked" in fields:
        return _split_chunks(status, closes, rest)
    lengths = [line[15:] for line in fields if line.startswith(b"content-length:")]
    if not lengths:
        return _Answer(status, rest, False, closes, b"")
    length = int(lengths[0])
    return _Answer(status, rest[:length], len(rest) >= length, closes, rest[length:])


def _split_chunks(status: int, closes: bool, rest: bytes) -> _Answer:
    body = b""
    while True:
        line, separator, after = rest.partition(b"\r\n")
        size = int(line, 16) if separator else -1
        if size < 0 or len(after) < size + 2:
            return _Answer(status, body + (after[:size] if size > 0 else b""), False, closes, b"")
        if size == 0:
            return _Answer(status, body, after[:2] == b"\r\n", closes, after[2:])
        body += after[:size]
        rest = after[size + 2 :]


def judge(asks: list[Ask], received: bytes, ended: bool) -> Heard:
    """What a connection has brought, against what was asked, request by request."""
    heard = Heard()
    rest, over = received, False
    for number, ask in enumerate(asks, start=1):
        if over:  # it has said that this was the last
            heard.unanswered = len(asks) - number + 1
            break
        answer = _split_answer(rest, ask.head) if rest else None
        if answer is None or not answer.whole:
            if answer is not None and answer.status == ask.status:
                if not ask.may_begin(answer.body):
                    heard.wrong.append(f"answer {number} begins wrong: {answer.body[:60]!r}")
            heard.unanswered = len(asks) - number + 1
            rest = b""
            break
        rest, over = answer.rest, answer.closes
        if ask.is_right(answer.status, answer.body):
            heard.right += 1
        elif answer.status in STATED and ask.status not in STATED:
            heard.stated += 1
        else:
            what = f"{answer.status} {answer.body[:60]!r}"
            heard.wrong.append(f"answer {number} to {ask.sent[:40]!r} is wrong: {what}")
    if rest:
        heard.wrong.append(f"there is more than was asked for: {rest[:60]!r}")
    if not ended:
        heard.wrong.append(f"neither answer nor end came: {heard.right} of {len(asks)} answers")
    return heard


class Client:
    """One connection."""

    def __init__(self, address: Address, receive_buffer: int = 0) -> None:
        self.received = b""
        self.ended = False
        self.was_reset = False
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._socket.settimeout(PATIENCE_S)
        try:
            self._socket.connect(address)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except ConnectionResetError:
            self.ended = self.was_reset = True  # it was there, and has been thrown away already
        except OSError:
            self._socket.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fileno(self) -> int:
        """Its descriptor."""
        return self._socket.fileno()

    def local_port(self) -> int:
        """Its own port."""
        return int(self._socket.getsockname()[1])

    def send(self, data: bytes) -> None:
        """Sends all of it; a server that has closed, or takes no more, is no error."""
        try:
            self._socket.sendall(data)
        except (ConnectionError, TimeoutError):
            pass

    def finish_sending(self) -> None:
        """The server sees the end of what it receives."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def receive(self, until: float) -> bool:
        """Waits for more, or the end, until `until` of time.monotonic(); False: nothing came."""
        poll = select.poll()  # select() knows no descriptor beyond 1023
        poll.register(self._socket, select.POLLIN)
        if not poll.poll(1000 * max(0.0, until - time.monotonic())):
            return False
        try:
            data = self._socket.recv(1 << 18)
        except ConnectionError:
            data, self.was_reset = b"", True
        self.received += data
        self.ended = not data
        return True

    def read_to_end(self, patience_s: float = PATIENCE_S) -> bytes:
        """All that comes until the server closes, or nothing comes any more."""
        parts = [self.received]
        self.received = b""
        while not self.ended and self.receive(time.monotonic() + patience_s):
            parts.append(self.received)
            self.received = b""
        self.received = b"".join(parts)
        return self.received

    def read_answer(self, patience_s: float = PATIENCE_S) -> tuple[int, bytes]:
        """The next answer: (status, body). (0, what came) if there is none."""
        until = time.monotonic() + patience_s
        while True:
            answer = _split_answer(self.received, False)
            if answer is not None and answer.whole:
                self.received = answer.rest
                return answer.status, answer.body
            if self.ended or not self.receive(until):
                return 0, self.received

    def reset(self) -> None:
        """Throws the connection away, as a client that crashed."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self._socket.close()

    def close(self) -> None:
        """Ends it properly, if it has not ended."""
        self._socket.close()


def ask_once(address: Address, target: str, patience_s: float = PATIENCE_S) -> tuple[int, bytes]:
    """A new client that asks one thing: (status, body), or (0, what came instead)."""
    try:
        with Client(address) as client:
            client.send(get(target, CLOSE))
            return client.read_answer(patience_s)
    except OSError as error:
        return 0, str(error).encode()
