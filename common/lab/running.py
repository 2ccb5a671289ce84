"""The verb `run`: build one stage and become it."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import NoReturn

from building import build, program_path
from console import LabError
from stages import all_stages, split_stage


def main(arguments: list[str]) -> int:
    """`lab run [STAGE] [OPTIONS]`; does not return if all goes well."""
    stage, options = split_stage(arguments, all_stages())
    build("release", [stage], with_tests=False)
    become(program_path(stage, "release"), [stage, *options])


def become(program: Path, words: list[str]) -> NoReturn:
    """Lets the server take our place, so that Ctrl-C, signals and its exit code are its own."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and that would be inherited
    try:
        os.execv(program, words)
    except OSError as error:
        raise LabError(f"cannot start {program}: {error.strerror}") from error
