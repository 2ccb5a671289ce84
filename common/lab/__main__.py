"""The program behind ./lab. Each verb is the `main` of one module: arguments in, exit code out."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Callable, Optional

import bench
import building
import conformance
import docs
import doctor
import exercise_verify
import gradescope
import grading
import handout
import flame
import mutants
import running
import serving
import showing
import similar
import student
import student_files
import student_watch
import survive
import syscalls
import table
import testing
import timeline
from console import LabError, say

# The pages in help/ have the same names.
VERBS: dict[str, Callable[[list[str]], int]] = {
    "run": running.main,
    "serve": serving.main,
    "show": showing.main,
    "test": testing.main,
    "build": building.main,
    "bench": bench.main,
    "stages": table.main,
    "timeline": timeline.main,
    "syscalls": syscalls.main,
    "flame": flame.main,
    "conformance": conformance.main,
    "mutants": mutants.main,
    "survive": survive.main,
    "docs": docs.main,
    "book": docs.book,
    "list": student.list_main,
    "start": student.start_main,
    "check": student.check_main,
    "hint": student.hint_main,
    "watch": student_watch.main,
    "reset": student_files.reset_main,
    "diff": student_files.diff_main,
    "progress": student_files.progress_main,
    "submit": student_files.submit_main,
    "exercises": exercise_verify.main,
    "grade": grading.main,
    "similar": similar.main,
    "handout": handout.main,
    "gradescope": gradescope.main,
    "release": handout.release_main,
    "doctor": doctor.main,
}

INTERRUPTED = 130  # what a shell calls a program that Ctrl-C ended


def _interrupt(_signal: int, _frame: Optional[FrameType]) -> None:
    raise KeyboardInterrupt


def main(arguments: list[str]) -> int:
    """Runs the verb, and turns what can go wrong every day into one line."""
    # A closed terminal and a polite kill end what we started, as Ctrl-C does.
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    verb = arguments[0] if arguments else ""
    if verb not in VERBS:
        say(f"there is no verb '{verb}'; ./lab help lists them all")
        return 2
    try:
        return VERBS[verb](arguments[1:])
    except LabError as error:
        say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone, as in `./lab doctor | head -1`: nobody to complain to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
