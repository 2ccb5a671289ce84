"""Programs that lab starts and listens to."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

from stages import ROOT

SECONDS_PER_TICK = 1.0


def follow(
    command: Sequence[str],
    on_line: Callable[[Optional[str]], None],
    environment: Optional[Mapping[str, str]] = None,
) -> int:
    """Runs `command` in the checkout, calls `on_line` with each line it prints, returns its code.

    Standard error is among the lines. `on_line` gets None when a second passes without a line, so
    that it can show that time goes on. If we leave early, by Ctrl-C say, the program is ended too.
    """
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        for line in _lines(process.stdout.fileno()):
            on_line(line)
        return process.wait()
    finally:
        end([process])
        process.stdout.close()


def _lines(descriptor: int) -> Iterator[Optional[str]]:
    """The lines that come out of a pipe; None for each second without one."""
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            if not selector.select(SECONDS_PER_TICK):
                yield None
                continue
            received = os.read(descriptor, 65536)
            if not received:
                break
            *lines, rest = (rest + received).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")
    if rest:
        yield rest.decode(errors="replace")


def end(processes: Sequence[subprocess.Popen[Any]], grace_s: float = 6.0) -> None:
    """Ends programs that we started: asks all of them, asks again, then insists.

    Another Ctrl-C goes on to the next, less polite, round.
    """
    for ask in (subprocess.Popen.terminate, subprocess.Popen.terminate, subprocess.Popen.kill):
        running = [process for process in processes if process.poll() is None]
        deadline = time.monotonic() + grace_s
        try:
            for process in running:
                ask(process)
            for process in running:
                process.wait(timeout=max(0.0, deadline - time.monotonic()))
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            continue
