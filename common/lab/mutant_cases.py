"""Running the cases of a Catch2 program, and learning what became of each."""

from __future__ import annotations

import enum
import html
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Mapping, Optional, Sequence

# Catch2's XML, read as far as it was written: a program that crashes or is ended leaves half of it.
_MARK = re.compile(r'<TestCase name="([^"]*)"|<OverallResult success="(true|false)"')

# A mutant may ask for all the memory there is. With 8 GiB of addresses a server has all it needs.
# And it may turn in circles, also when lab has been killed and nobody is left to end it: five
# minutes of processor time are far more than any program here takes.
_LIMITS = "ulimit -c 0; ulimit -v 8388608; ulimit -t 300; exec \"$@\""


class Verdict(enum.Enum):
    """What became of a case; the value says it in a sentence about a mutant."""

    PASSED = "passes"
    FAILED = "fails"
    CRASHED = "crashes"
    HUNG = "hangs"

    @property
    def caught(self) -> bool:
        """Whether a mutant is found out by it."""
        return self is not Verdict.PASSED


def list_cases(program: Path) -> list[str]:
    """The names of all cases of a program that are not hidden."""
    ran = subprocess.run(
        [str(program), "--list-test-names-only"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,  # Catch2 returns their number
    )
    return [line for line in ran.stdout.splitlines() if line.strip()]


def run_cases(
    program: Path,
    names: Sequence[str],
    environment: Mapping[str, str],
    *,
    case_seconds: float,
    all_seconds: float,
) -> dict[str, Verdict]:
    """Runs cases and returns the verdicts. Those that there was no time for are missing.

    A case that crashes, or that says nothing for `case_seconds`, ends its program; the program is
    started again for the others, as long as `all_seconds` are not over.
    """
    verdicts: dict[str, Verdict] = {}
    left = list(names)
    end = time.monotonic() + all_seconds
    while left and time.monotonic() < end:
        told = _run_once(program, left, environment, case_seconds, end)
        if not told:
            break  # there are no such cases, or the program does not even start
        verdicts.update(told)
        left = [name for name in left if name not in told]
        if all(verdict in (Verdict.PASSED, Verdict.FAILED) for verdict in told.values()):
            break
    return {name: verdict for name, verdict in verdicts.items() if name in names}


def _run_once(
    program: Path,
    names: Sequence[str],
    environment: Mapping[str, str],
    case_seconds: float,
    end: float,
) -> dict[str, Verdict]:
    """One run of the program: its verdicts up to the first crash."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        asked, report = Path(folder) / "names", Path(folder) / "report"
        asked.write_text("".join(f"{_quoted(name)}\n" for name in names))
        command = [str(program), "--input-file", str(asked), "-r", "xml", "-o", str(report)]
        process = subprocess.Popen(
            ["/bin/sh", "-c", _LIMITS, "sh", *command],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            ended = _await(process, report, case_seconds, end)
        finally:
            _end_group(process)
        told = read_report(_text(report), Verdict.HUNG if ended is None else Verdict.CRASHED)
    if ended is None and time.monotonic() >= end:
        # Stopped in the middle of a case, which is nobody's fault.
        told = {name: verdict for name, verdict in told.items() if verdict is not Verdict.HUNG}
    if ended and told and all(verdict is Verdict.PASSED for verdict in told.values()):
        # All was well until the end, and then the server did not stop as it should.
        told[list(told)[-1]] = Verdict.CRASHED if ended < 0 else Verdict.FAILED
    return told


def _await(
    process: subprocess.Popen[bytes], report: Path, case_seconds: float, end: float
) -> Optional[int]:
    """The exit code; None if the report does not grow any more, or the time is over."""
    size, grown_at = 0, time.monotonic()
    while True:
        try:
            return process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            now = time.monotonic()
            if len(_text(report)) != size:
                size, grown_at = len(_text(report)), now
            if now >= end or now - grown_at >= case_seconds:
                return None


def _text(report: Path) -> str:
    return report.read_text(errors="replace") if report.exists() else ""


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends the program and all that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _quoted(name: str) -> str:
    """A name as Catch2 takes it for a name and not for a pattern."""
    for special in "\\,[":
        name = name.replace(special, f"\\{special}")
    return name


def read_report(xml: str, unfinished: Verdict) -> dict[str, Verdict]:
    """The verdicts in what Catch2 has written; `unfinished` of a case that was only begun."""
    told: dict[str, Verdict] = {}
    running = ""
    for mark in _MARK.finditer(xml):
        if mark[2] is None:
            running = html.unescape(mark[1])
            told[running] = unfinished
        elif running:
            told[running] = Verdict.PASSED if mark[2] == "true" else Verdict.FAILED
    if "<FatalErrorCondition" in xml and running:
        told[running] = Verdict.CRASHED
    return told
