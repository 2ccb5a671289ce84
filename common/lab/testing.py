"""The verb `test`: build everything and run CTest, or the browser test."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from typing import Optional

from building import build, check_preset, program_path
from console import Progress, say
from processes import follow
from stages import ROOT, all_stages, find_stage

_STARTED = re.compile(r" *Start +\d+: (.*)")
_FINISHED = re.compile(r" *(\d+)/(\d+) Test +#\d+: (.+?) \.{3,}(.*) sec ?")
_NOISE = re.compile(r"Test project .*|Internal ctest changing into directory: .*")
_SUMMARY = re.compile(r"\d+% tests passed, .*|No tests were found.*")

BROWSER_TESTS = [ROOT / "tests" / "browser" / name for name in ("run.py", "guestbook.py")]


class CtestReport:
    """Shows CTest's tests as progress; lets through failed ones and the closing summary."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._count = ""
        self._test = "starting"
        self._failed = 0
        self._in_failure = False
        self._in_summary = False

    def on_line(self, line: Optional[str]) -> None:
        """Takes the next line that CTest printed; None if a second has passed without one."""
        if line is None:
            self._show()
            return
        started = _STARTED.fullmatch(line)
        finished = _FINISHED.fullmatch(line)
        if _SUMMARY.fullmatch(line):
            self._in_summary = True
        if self._in_summary:
            self._progress.clear()
            print(line, flush=True)
        elif finished:
            self._finish(finished, line)
        elif started:
            self._in_failure = False
            self._test = started[1]
            self._show()
        elif self._in_failure or (line and not _NOISE.fullmatch(line)):
            self._progress.print(line)

    def _finish(self, finished: re.Match[str], line: str) -> None:
        """One test has ended; if it failed, what it printed follows, up to the next one."""
        verdict = finished[4]
        self._in_failure = not any(word in verdict for word in ("Passed", "Skipped", "Disabled"))
        if self._in_failure:
            self._failed += 1
            self._progress.print(line)
        failed = f", {self._failed} failed" if self._failed else ""
        self._count = f"[{finished[1]}/{finished[2]}{failed}] "
        self._show()

    def _show(self) -> None:
        self._progress.update(self._count + self._test)


def run_ctest(preset: str, labels: list[str]) -> int:
    """Runs the tests that have all of `labels`; returns 0, or 1 if one failed."""
    command = ["ctest", "--preset", preset, "--no-tests=error"]
    for label in labels:
        command += ["--label-regex", f"^{re.escape(label)}$"]
    what = f"the tests labelled {' and '.join(labels)}" if labels else "all tests"
    say(f"running {what} (preset {preset})")
    progress = Progress()
    code = follow(command, CtestReport(progress).on_line)
    progress.clear()
    return 0 if code == 0 else 1


def run_browser_test(preset: str, stages: list[str]) -> int:
    """Visits page and guestbook of each stage in a headless Chromium; 1 if a check failed."""
    programs = [str(program_path(stage, preset)) for stage in stages]
    say(f"browser test of {', '.join(stages)}")
    code = 0
    for test in BROWSER_TESTS:
        command = [sys.executable, "-B", str(test), "--program", *programs]
        ran = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
        code = code or ran.returncode
    return 0 if code == 0 else 1


def main(arguments: list[str]) -> int:
    """`lab test [STAGE] [--label LABEL] [--preset PRESET] [--browser]`"""
    parser = argparse.ArgumentParser("lab test", allow_abbrev=False)
    parser.add_argument("stage", nargs="?")
    parser.add_argument("--label", action="append", default=[])
    parser.add_argument("--preset", default="dev")
    parser.add_argument("--browser", action="store_true")
    chosen = parser.parse_args(arguments)
    preset = check_preset(chosen.preset)
    stages = all_stages()
    stage = find_stage(chosen.stage, stages) if chosen.stage else None
    if chosen.browser:
        targets = [stage] if stage else stages
        build(preset, targets, with_tests=False)
        return run_browser_test(preset, targets)
    build(preset, [], with_tests=True)
    return run_ctest(preset, ([stage] if stage else []) + chosen.label)
