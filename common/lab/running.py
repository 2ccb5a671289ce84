"""The verb `run`: build one stage and become it."""

from __future__ import annotations

import os
import signal

from building import build, program_path
from console import LabError
from stages import all_stages, split_stage


def main(arguments: list[str]) -> int:
    """`lab run [STAGE] [OPTIONS]`; does not return if all goes well."""
    stage, options = split_stage(arguments, all_stages())
    build("release", [stage], with_tests=False)
    program = program_path(stage, "release")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and that would be inherited
    try:
        # The server takes our place, so that Ctrl-C, signals and its exit code are its own.
        os.execv(program, [stage, *options])
    except OSError as error:
        raise LabError(f"cannot start {program}: {error.strerror}") from error
