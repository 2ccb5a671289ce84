"""Which system calls of a server fail when, and how: the other side of tests/faults/page.h."""

from __future__ import annotations

import errno
import mmap
import os
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from building import build_folder

# The numbers of the calls, as in page.h.
CALLS = {
    "accept": 1,
    "receive": 2,
    "send": 3,
    "send-file": 4,
    "poll": 5,
    "epoll-wait": 6,
    "epoll-add": 7,
    "epoll-change": 8,
    "wake-up": 9,
    "acknowledge": 10,
    "open": 11,
    "file-status": 12,
    "thread": 13,
    "memory": 14,
    "descriptor": 15,
    "log": 16,
}
SHORT = 1000

# What the manual lets happen to a running server: accept(2), recv(2), send(2), sendfile(2),
# poll(2), epoll_wait(2), epoll_ctl(2), write(2), read(2), open(2), openat2(2), fstat(2),
# pthread_create(3). What ip(7) and tcp(7) add to that is in the lists of the sockets.
#
# EAGAIN is not among what may happen to the listener of a server that waits in accept(), nor to a
# wake-up: there it would say that the counter of the eventfd is full.
RUNNING: dict[str, tuple[str, ...]] = {
    "accept": (
        *("EINTR", "ECONNABORTED", "EPERM", "EPROTO", "ENETDOWN"),
        *("EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"),
    ),
    "receive": ("SHORT", "EINTR", "EAGAIN", "ENOMEM", "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH"),
    "send": ("SHORT", "EINTR", "EAGAIN", "ENOBUFS", "ENOMEM", "EPIPE", "ECONNRESET", "ETIMEDOUT"),
    "send-file": ("SHORT", "EINTR", "EAGAIN", "EIO", "ENOMEM", "EPIPE", "ECONNRESET"),
    "poll": ("EINTR", "ENOMEM"),
    "epoll-wait": ("EINTR",),
    "epoll-add": ("ENOMEM", "ENOSPC"),
    "epoll-change": ("ENOMEM",),
    "wake-up": ("EINTR",),
    "acknowledge": ("EINTR",),
    "open": ("EINTR", "EAGAIN", "EMFILE", "ENFILE", "ENOMEM"),
    "file-status": ("ENOMEM",),
    "thread": ("EAGAIN",),
    "memory": ("ENOMEM",),
    "log": ("SHORT", "EINTR", "EAGAIN", "ENOSPC", "EIO"),
}
# And to one that starts.
STARTING: dict[str, tuple[str, ...]] = {
    "descriptor": ("EMFILE", "ENFILE", "ENOMEM"),
    "open": ("EMFILE", "ENFILE", "ENOMEM"),
    "epoll-add": ("ENOMEM", "ENOSPC"),
    "thread": ("EAGAIN",),
    "memory": ("ENOMEM",),
}
# And to one that has been told to stop.
STOPPING: dict[str, tuple[str, ...]] = {
    "accept": ("EINTR", "ECONNABORTED", "EPERM", "ENOBUFS", "EMFILE"),
    "receive": ("EINTR", "ECONNRESET"),
    "send": ("SHORT", "EINTR", "EPIPE"),
    "poll": ("EINTR", "ENOMEM"),
    "epoll-wait": ("EINTR",),
    "epoll-add": ("ENOMEM",),
    "epoll-change": ("ENOMEM",),
    "wake-up": ("EINTR",),
    "acknowledge": ("EINTR",),
    "memory": ("ENOMEM",),
}


@dataclass(frozen=True)
class Fault:
    """What happens to one kind of call."""

    call: str
    error: str  # EINTR, ..., or SHORT

    @property
    def name(self) -> str:
        """As in `receive EINTR`."""
        return f"{self.call} {self.error}"

    @property
    def number(self) -> int:
        """As it stands in the page."""
        return SHORT if self.error == "SHORT" else int(getattr(errno, self.error))


def faults_of(table: dict[str, tuple[str, ...]]) -> list[Fault]:
    """One by one."""
    return [Fault(call, error) for call, errors in table.items() for error in errors]


def library_path(preset: str) -> Path:
    """The library that stands between the server and the system."""
    return build_folder(preset) / "lib" / "libfaults.so"


class Page:
    """The memory that is shared with the server."""

    # Its words, in their order.
    _CALL, _WHAT, _FIRST, _TIMES, _SEEN, _STRUCK, _HELD, _RESULT, _CLOCK = range(9)

    def __init__(self, library: Path) -> None:
        self._library = library
        self._folder = tempfile.TemporaryDirectory(prefix="stagecraft-faults-")
        self._path = Path(self._folder.name) / "page"
        self._path.write_bytes(bytes(10 * 8))
        with self._path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 10 * 8)

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._memory.close()
        self._folder.cleanup()

    def environment(self, signals: bool = False) -> dict[str, str]:
        """With what a server has to be started; with `signals`, SIGUSR1 interrupts its calls."""
        found = {
            "STAGECRAFT_FAULTS": str(self._path),
            "LD_PRELOAD": str(self._library),
            # It wants to be the first library; but what comes to ours, ours passes on to it.
            "ASAN_OPTIONS": f"verify_asan_link_order=0:{os.environ.get('ASAN_OPTIONS', '')}",
        }
        if signals:
            found["STAGECRAFT_FAULTS_SIGNALS"] = "1"
        return found

    def _set(self, word: int, value: int) -> None:
        self._memory[8 * word : 8 * word + 8] = struct.pack("q", value)

    def _get(self, word: int) -> int:
        return int(struct.unpack_from("q", self._memory, 8 * word)[0])

    def arm(self, call: str, number: int, first: int, times: int = 1) -> None:
        """From now on this happens to the `first` call and the `times` - 1 behind it."""
        self.disarm()
        self._set(self._WHAT, number)
        self._set(self._FIRST, first)
        self._set(self._TIMES, times)
        self._set(self._SEEN, 0)
        self._set(self._STRUCK, 0)
        self._set(self._CALL, CALLS[call])

    def count(self, call: str) -> None:
        """Only counts these calls."""
        self.arm(call, 0, 1, 0)

    def disarm(self) -> None:
        """Nothing happens any more."""
        self._set(self._CALL, 0)

    def seen(self) -> int:
        """How many of these calls there have been since."""
        return self._get(self._SEEN)

    def struck(self) -> int:
        """To how many something has happened."""
        return self._get(self._STRUCK)

    def move_clock(self, seconds: int) -> None:
        """Puts the server's wall clock so far forward, or back."""
        self._set(self._CLOCK, seconds)


def find_fault(text: str) -> Optional[Fault]:
    """`receive EINTR` as a fault."""
    call, _, error = text.partition(" ")
    return Fault(call, error) if call in CALLS else None
