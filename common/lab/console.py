"""What lab says: one updating line on a terminal, a line every few seconds elsewhere.

Everything here goes to standard error. Standard output belongs to the programs that lab runs: the
ready line of a server, the report of a test run.
"""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

# In a log nobody wants a line per file, but nobody should wonder whether it hangs either.
SECONDS_BETWEEN_LINES = 4.0


class LabError(Exception):
    """Something the user can understand and mend; printed as one line, without a traceback."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class UsageError(LabError):
    """Wrong arguments: exit code 2."""

    def __init__(self, message: str) -> None:
        super().__init__(message, exit_code=2)


def say(message: str) -> None:
    """Prints one line of lab's own."""
    print(f"lab: {message}", file=sys.stderr, flush=True)


class Progress:
    """The state of something that takes a while. `update` as often as you like."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._line_is_open = False
        self._started_at = time.monotonic()
        self._last_line_at = self._started_at

    def update(self, text: str) -> None:
        """Shows `text` as the current state, behind the seconds that have passed."""
        now = time.monotonic()
        text = f"{now - self._started_at:4.0f} s  {text}"
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r{text[:width]}\x1b[K")
            self._stream.flush()
            self._line_is_open = True
        elif now - self._last_line_at >= SECONDS_BETWEEN_LINES:
            print(text, file=self._stream, flush=True)
            self._last_line_at = now

    def clear(self) -> None:
        """Takes the updating line away, so that something else can be printed."""
        if self._line_is_open:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._line_is_open = False

    def print(self, text: str) -> None:
        """Prints a line that stays."""
        self.clear()
        print(text, file=self._stream, flush=True)
        self._last_line_at = time.monotonic()

    def seconds(self) -> float:
        """The time since this began."""
        return time.monotonic() - self._started_at
