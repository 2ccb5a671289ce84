"""Running the tests of an exercise, each in a process of its own; believed is what is proved.

A test program gets a secret through its standard input, and a descriptor for its report. Every line
of the report begins with the secret (exercises/support/report.cpp). What ends without having told
how its test went has not passed, whatever its exit code says.
"""

from __future__ import annotations

import enum
import json
import os
import re
import secrets
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

SECRET_BYTES = 32
# What is kept of a program's output, and what it may write before it is stopped.
KEPT_BYTES = 32 << 10
MOST_OUTPUT_BYTES = 8 << 20
MOST_REPORT_BYTES = 4 << 20
# A program with a sanitizer reserves addresses by the terabyte, so the limit on addresses
# (RLIMIT_AS) is of no use: the memory that is really in use is looked at, ten times a second.
MOST_MEMORY_BYTES = 1 << 30
LOOK_SECONDS = 0.1
MOST_FILE_BYTES = 64 << 20

_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:exitcode=66:handle_abort=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=66",
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66",
}
_NO_TSAN = re.compile(r"FATAL: ThreadSanitizer: (unexpected memory mapping|.*CHECK failed)")
_SUMMARY = re.compile(r"^(?:SUMMARY: (.+)|.*: runtime error: (.+))$", re.MULTILINE)


class Status(enum.Enum):
    """What became of a test; the value says it in a sentence."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    HUNG = "did not end"
    FLOODED = "wrote too much"
    GREEDY = "took too much memory"
    SILENT = "ended before the test could tell"
    FORGED = "wrote a report that is not the test's"
    UNSTABLE = "unstable: passed and failed; see staff"
    NOT_JUDGED = "not judged"
    NOT_BUILT = "does not compile"

    @property
    def counts(self) -> bool:
        """Whether its points are part of the total."""
        return self not in (Status.NOT_JUDGED, Status.UNSTABLE)


@dataclass(frozen=True)
class Failure:
    """One failed check, as the test tells it."""

    did: str
    paste: str
    likely: str
    message: str
    file: str
    line: int
    events: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """What became of one test."""

    test: str
    status: Status
    reason: str = ""
    failures: Sequence[Failure] = ()
    output: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether it gives its points."""
        return self.status is Status.PASSED


@dataclass
class Limits:
    """What one test may use."""

    seconds: float = 20.0
    memory_bytes: int = MOST_MEMORY_BYTES
    output_bytes: int = MOST_OUTPUT_BYTES
    # Words that start the program: as another user, in a namespace of its own.
    launcher: Sequence[str] = field(default_factory=list)
    # The environment that it finds, instead of ours.
    environment: Optional[Mapping[str, str]] = None


def time_scale() -> float:
    """What STAGECRAFT_TIME_SCALE says, for slow machines; 1 unless it is a sensible number."""
    try:
        scale = float(os.environ.get("STAGECRAFT_TIME_SCALE", "1"))
    except ValueError:
        return 1.0
    return scale if 0.1 <= scale <= 1000 else 1.0


def run_test(
    program: Path, test: str, limits: Limits, environment: Optional[Mapping[str, str]] = None
) -> Outcome:
    """Runs one test case of a test program."""
    run = _Run(limits)
    began = time.monotonic()
    try:
        run.start(program, test, environment or {})
        run.listen(began + limits.seconds * time_scale())
    finally:
        run.end()
    return run.outcome(test, time.monotonic() - began)


class _Run:
    """One run of a program: its process group, what it writes and what it reports."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._secret = secrets.token_hex(SECRET_BYTES // 2).encode()
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._report_end = -1
        self._report = bytearray()
        self._output = bytearray()
        self._written = 0
        self._stopped_for: Optional[Status] = None

    def start(self, program: Path, test: str, environment: Mapping[str, str]) -> None:
        """Starts the program in a session of its own, with its secret already in the pipe."""
        inherited = self._limits.environment
        secret_read, secret_write = os.pipe()
        self._report_end, report_write = os.pipe()
        try:
            os.write(secret_write, self._secret)
            self._process = subprocess.Popen(
                [*_limited(self._limits), *self._limits.launcher, str(program), test],
                stdin=secret_read,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**(os.environ if inherited is None else inherited), **_OPTIONS, **environment,
                     "EXERCISE_REPORT": str(report_write),
                     "EXERCISE_PROGRAMS": str(program.parent)},
                pass_fds=[report_write],
                start_new_session=True,
            )  # fmt: skip
        finally:
            for descriptor in (secret_read, secret_write, report_write):
                os.close(descriptor)

    def listen(self, deadline: float) -> None:
        """Reads until the program ends or breaks a limit."""
        assert self._process is not None and self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            output = self._process.stdout.fileno()
            selector.register(output, selectors.EVENT_READ)
            selector.register(self._report_end, selectors.EVENT_READ)
            while self._stopped_for is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    self._stopped_for = Status.HUNG
                    return
                for key, _ in selector.select(min(left, LOOK_SECONDS)):
                    received = os.read(key.fd, 65536)
                    if received:
                        self._take(key.fd == output, received)
                    else:
                        selector.unregister(key.fd)
                if self._process.poll() is not None:
                    self._drain(selector, output)
                    return
                if memory_of_family(self._process.pid) > self._limits.memory_bytes:
                    self._stopped_for = Status.GREEDY

    def _drain(self, selector: selectors.BaseSelector, output: int) -> None:
        """What was written before the end. A child that lives on may keep the pipes open."""
        while self._stopped_for is None and selector.get_map():
            ready = selector.select(0)
            if not ready:
                return
            for key, _ in ready:
                received = os.read(key.fd, 65536)
                if received:
                    self._take(key.fd == output, received)
                else:
                    selector.unregister(key.fd)

    def _take(self, is_output: bool, received: bytes) -> None:
        if not is_output:
            self._report += received
            if len(self._report) > MOST_REPORT_BYTES:
                self._stopped_for = Status.FORGED
            return
        self._written += len(received)
        self._output += received[: max(0, KEPT_BYTES - len(self._output))]
        if self._written > self._limits.output_bytes:
            self._stopped_for = Status.FLOODED

    def end(self) -> None:
        """Ends the program and what it has started, and closes everything."""
        if self._process is not None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass  # the group is gone; or the launcher has changed the user, and kills its own
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
        if self._report_end >= 0:
            os.close(self._report_end)

    def outcome(self, test: str, seconds: float) -> Outcome:
        """What all of that says about the test."""
        assert self._process is not None
        output = self._output.decode(errors="replace")
        status, reason, failures = self._judge(test, output)
        return Outcome(test, status, reason, failures, output, seconds)

    def _judge(self, test: str, output: str) -> tuple[Status, str, list[Failure]]:
        assert self._process is not None
        if self._stopped_for is not None:
            return self._stopped_for, self._limit_text(), []
        ended: Optional[dict[str, Any]] = None
        for line in bytes(self._report).split(b"\n"):
            if not line:
                continue
            secret, _, text = line.partition(b" ")
            told = _object(text) if secrets.compare_digest(secret, self._secret) else None
            if told is None or (ended is not None and "ends" in told):
                return Status.FORGED, "a line of the report has not this run's secret", []
            if told.get("ends") == test:
                ended = told
        code = self._process.returncode
        if ended is None:
            if code not in (0, 1) or _SUMMARY.search(output):
                return self._crash(code, output)
            return Status.SILENT, f"the program ended with exit code {code}", []
        failures = [_failure(each) for each in ended.get("failures", [])]
        if ended.get("verdict") == "not judged":
            return Status.NOT_JUDGED, str(ended.get("reason", "")), []
        if ended.get("verdict") != "passed":
            return Status.FAILED, "", failures
        return (Status.PASSED, "", []) if code == 0 else self._crash(code, output)

    @staticmethod
    def _crash(code: int, output: str) -> tuple[Status, str, list[Failure]]:
        if _NO_TSAN.search(output):
            return Status.NOT_JUDGED, "ThreadSanitizer cannot start here (./lab doctor)", []
        found = _SUMMARY.search(output)
        if found:
            return Status.CRASHED, (found[1] or found[2]).strip(), []
        return Status.CRASHED, end_text(code), []

    def _limit_text(self) -> str:
        if self._stopped_for is Status.HUNG:
            return f"it was stopped after {self._limits.seconds * time_scale():.0f} s"
        if self._stopped_for is Status.FLOODED:
            return f"it was stopped after {self._limits.output_bytes >> 20} MiB of output"
        if self._stopped_for is Status.GREEDY:
            return f"it was stopped at {self._limits.memory_bytes >> 20} MiB"
        return "the report is too long"


def _limited(limits: Limits) -> list[str]:
    """Words that set what the kernel limits by itself; prlimit is part of every Linux."""
    cpu = int(limits.seconds * time_scale() * 4) + 10
    return ["prlimit", "--core=0", f"--fsize={MOST_FILE_BYTES}", f"--cpu={cpu}", "--"]


def _object(text: bytes) -> Optional[dict[str, Any]]:
    try:
        told = json.loads(text)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def _failure(told: Mapping[str, Any]) -> Failure:
    return Failure(
        did=str(told.get("did", "")),
        paste=str(told.get("paste", "")),
        likely=str(told.get("likely", "")),
        message=str(told.get("message", "")),
        file=str(told.get("file", "")),
        line=int(told.get("line", 0)),
        events=[str(event) for event in told.get("events", [])],
    )


def end_text(code: int) -> str:
    """How a program ended: `signal 11, segmentation fault`."""
    number = -code if code < 0 else code - 128 if code > 128 else 0
    if number <= 0:
        return f"it ended with exit code {code}"
    return f"signal {number}, {(signal.strsignal(number) or 'unknown').lower()}"


def memory_of_family(leader: int) -> int:
    """The memory in use by a process, all that descend from it and its group, in bytes; what is
    shared counts for each."""
    page = os.sysconf("SC_PAGESIZE")
    found: dict[int, tuple[int, int, int]] = {}  # process -> parent, group, pages
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            found[int(folder.name)] = (int(fields[1]), int(fields[2]), int(fields[21]))
        except (OSError, IndexError, ValueError):
            continue  # it has ended meanwhile
    family = {leader}
    while True:
        more = {process for process, (parent, group, _) in found.items()
                if process not in family and (parent in family or group == leader)}  # fmt: skip
        if not more:
            break
        family |= more
    return page * sum(found[process][2] for process in family if process in found)
