"""Where submissions run: as far away from the grader as the machine allows.

The best is a namespace for processes, mounts and the network, and another user in it: a submission
then sees neither the grader nor other submissions, and what it starts ends with it. Where that is
not to be had, less is taken, and every result says how much it was.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from exercise_build import BUILD
from exercise_files import FOLDER
from stages import ROOT

_JAIL = Path(__file__).resolve().parent / "exercise_jail.py"
# Users that exist nowhere: one for each submission that runs at a time.
FIRST_UID = 61000
# Threads count as well, and the sanitizers have some of their own.
MOST_PROCESSES = 256

_NAMESPACES = ["unshare", "--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child",
               "--mount-proc"]  # fmt: skip
_OWN_USER = ["--user", "--map-root-user"]


@dataclass(frozen=True)
class Sandbox:
    """How submissions are started here."""

    name: str
    namespaces: Sequence[str]
    other_user: bool

    def launcher(self, slot: int) -> list[str]:
        """The words in front of a program; `slot` is different for each that runs at a time."""
        words = [*self.namespaces, sys.executable, "-I", "-S", str(_JAIL)]
        if self.namespaces:
            words += ["--loopback", "up", "--scratch", str(scratch())]
            for folder in hidden_folders():
                words += ["--hide", str(folder)]
        if self.other_user:
            words += ["--uid", str(FIRST_UID + slot), "--processes", str(MOST_PROCESSES)]
        elif os.geteuid() != 0:
            words += ["--processes", str(MOST_PROCESSES + _own_tasks())]
        return [*words, "--"]

    def environment(self) -> dict[str, str]:
        """All that a submission finds in its environment, besides what the tests need."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "/nonexistent",
            "LANG": "C.UTF-8",
            "TMPDIR": str(scratch()) if self.namespaces else "/tmp",
            "STAGECRAFT_TIME_SCALE": os.environ.get("STAGECRAFT_TIME_SCALE", "1"),
        }


def candidates() -> list[Sandbox]:
    """All there are, the best first."""
    if os.geteuid() == 0:
        return [
            Sandbox("namespaces and another user", _NAMESPACES, True),
            Sandbox("another user", [], True),
            Sandbox("namespaces", _NAMESPACES, False),
            Sandbox("a process group", [], False),
        ]
    return [
        Sandbox("namespaces", [_NAMESPACES[0], *_OWN_USER, *_NAMESPACES[1:]], False),
        Sandbox("a process group", [], False),
    ]


def best() -> Sandbox:
    """The best that works here, tried with a program that lies where those of submissions lie."""
    probe = BUILD / "probe" / "probe.sh"
    probe.parent.mkdir(parents=True, exist_ok=True)
    probe.write_text('#!/bin/sh\n: > "$TMPDIR/probe.$$" && rm "$TMPDIR/probe.$$"\n')
    probe.chmod(0o755)
    scratch().mkdir(parents=True, exist_ok=True)
    there = candidates()
    for sandbox in there[:-1]:
        if _works(sandbox, probe):
            return sandbox
    return there[-1]


def _works(sandbox: Sandbox, probe: Path) -> bool:
    try:
        ran = subprocess.run(
            [*sandbox.launcher(0), str(probe)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=sandbox.environment(),
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return ran.returncode == 0


def scratch() -> Path:
    """Where tests may write: in a sandbox each sees an empty folder of its own."""
    return BUILD / "scratch"


def hidden_folders() -> list[Path]:
    """What no submission has to read: solutions, tests, and what others have handed in."""
    folders = [FOLDER, BUILD / "sources", ROOT / ".git", ROOT / "work", ROOT / "build" / "grades"]
    return [folder for folder in folders if folder.is_dir()]


def _own_tasks() -> int:
    """How many tasks this user has, since the limit is on all of them together."""
    count = 0
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and folder.stat().st_uid == os.geteuid():
                count += len(list((folder / "task").iterdir()))
        except OSError:
            continue
    return count
