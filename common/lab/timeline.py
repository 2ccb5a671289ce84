"""The verb `timeline`: eight clients ask a stage, and one sees who ran and who waited for whom."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from datetime import date
from pathlib import Path
from typing import Callable, Optional, Sequence

import timeline_chrome
import timeline_draw
import timeline_model
import timeline_page
import timeline_text
import timeline_words
import timeline_workload
from building import build, check_preset, program_path
from console import LabError, UsageError, say
from processes import end
from showing import FEW_WORKERS, STAGES_WITH_WORKERS, Server, wait_until_ready
from stages import ROOT, all_stages, find_stage
from timeline_model import Timeline
from timeline_workload import WORKLOAD, Ask

RESULTS = ROOT / "build" / "timelines"
SECONDS_TO_START = 30.0  # tests run on busy machines
BOOK = ROOT / "docs" / "timelines"

# Two loops also on a machine with many processors: fewer rows than clients.
TWO_LOOPS = ["--concurrency", "2"]
STAGES_WITH_LOOPS = ("07-epoll-multi-loop",)


def own_options(stage: str) -> list[str]:
    """What makes the limits of a stage visible with eight clients."""
    return ([*FEW_WORKERS] if stage in STAGES_WITH_WORKERS else []) + (
        [*TWO_LOOPS] if stage in STAGES_WITH_LOOPS else [])


def idea_of(stage: str) -> str:
    """What stands behind the stage's name in the first line of its README."""
    first = (ROOT / "stages" / stage / "README.md").read_text().splitlines()[0]
    return first.partition(": ")[2]


def record(stage: str, program: Path, asks: Sequence[Ask] = WORKLOAD,
           options: Sequence[str] = (),
           tell: Callable[[str, str], None] = lambda _what, _name: None,
           ) -> tuple[Timeline, list[timeline_model.Event]]:
    """Starts the server, plays the clients, ends the server: what happened."""
    with tempfile.TemporaryDirectory(prefix="stagecraft-") as folder:
        (Path(folder) / "large").write_bytes(b"x" * timeline_workload.FILE_BYTES)
        trace = Path(folder) / "trace.jsonl"
        command = [str(program), "--port", "0", "--root", folder, "--trace", str(trace),
                   *own_options(stage), *options]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   start_new_session=True)
        try:
            server = Server(stage, 0, process)
            port = int(wait_until_ready(server, SECONDS_TO_START).rpartition(":")[2])
            clients = timeline_workload.play(port, asks, tell)
        finally:
            end([process])
            assert process.stdout is not None
            process.stdout.close()
        events = timeline_model.read_trace(trace)
    return timeline_model.build(stage, events, clients), events


def write(file: Path, content: str) -> None:
    """Writes a file, its folder too if it is not there, and says where."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    except OSError as error:
        raise LabError(f"cannot write {file}: {error.strerror}") from error
    print(os.path.relpath(file), flush=True)


def _chosen(words: Sequence[str]) -> list[str]:
    stages = all_stages()
    if not words or list(words) == ["all"]:
        return stages
    return [find_stage(word, stages) for word in words]


def _command(words: Sequence[str]) -> str:
    return " ".join(["./lab timeline", *(words or ["all"])])


def _from_trace(file: Path) -> tuple[list[Timeline], bool]:
    try:
        events = timeline_model.read_trace(file)
    except OSError as error:
        raise LabError(f"cannot read {file}: {error.strerror}") from error
    return [timeline_model.build(file.stem, events)], False


def _play_all(stages: Sequence[str], preset: Optional[str]) -> tuple[list[Timeline], bool]:
    build(preset or "release", list(stages), with_tests=False)
    timelines = []
    for stage in stages:
        say(f"eight clients ask {stage}")
        timelines.append(record(stage, program_path(stage, preset or "release"))[0])
    return timelines, True


def _print_pictures(timelines: Sequence[Timeline], ideas: dict[str, str]) -> None:
    """The same in letters: who works over SSH sees it at once."""
    axis = timeline_draw.axis_us(timelines)
    width = shutil.get_terminal_size().columns
    for timeline in timelines:
        print(timeline_text.picture(timeline, ideas.get(timeline.stage, ""), axis, width))
    print(timeline_text.KEY + "\n", flush=True)


def _write_pictures(timelines: Sequence[Timeline], ideas: dict[str, str], folder: Path,
                    command: str) -> None:
    axis = timeline_draw.axis_us(timelines)
    for timeline in timelines:
        picture = timeline_draw.picture(timeline, ideas.get(timeline.stage, ""), axis=axis,
                                        alone=True)
        write(folder / f"{timeline.stage}.svg", picture)
    name = "all" if len(timelines) > 1 else timelines[0].stage
    footer = f"Made by <code>{command}</code>, {date.today().isoformat()}."
    write(folder / f"{name}.html",
          timeline_page.page(timelines, ideas, footer, is_workload=bool(ideas)))


def main(arguments: list[str]) -> int:
    """`lab timeline [STAGE...] [--chrome FILE] [--from TRACE] [--out FOLDER] [--book]`"""
    parser = argparse.ArgumentParser("lab timeline", allow_abbrev=False)
    parser.add_argument("stages", nargs="*", metavar="STAGE")
    parser.add_argument("--chrome", type=Path, metavar="FILE")
    parser.add_argument("--from", dest="trace", type=Path, metavar="TRACE")
    parser.add_argument("--out", type=Path, metavar="FOLDER")
    parser.add_argument("--book", action="store_true")
    parser.add_argument("--preset")
    chosen = parser.parse_args(arguments)
    if chosen.preset:
        check_preset(chosen.preset)
    if chosen.trace and (chosen.stages or chosen.book):
        raise UsageError("--from draws a trace that is there: it takes no stage and no --book")
    stages = [] if chosen.trace else _chosen(chosen.stages)
    if chosen.chrome and len(stages) > 1:
        raise UsageError("--chrome writes one stage: name it")
    timelines, is_workload = _from_trace(chosen.trace) if chosen.trace else \
        _play_all(stages, chosen.preset)
    ideas = {line.stage: idea_of(line.stage) for line in timelines} if is_workload else {}
    folder = chosen.out or (BOOK if chosen.book else RESULTS)
    command = _command([f"--from {chosen.trace.name}"] if chosen.trace else chosen.stages)
    if not chosen.book:
        _print_pictures(timelines, ideas)
    if chosen.chrome:
        write(chosen.chrome, json.dumps(timeline_chrome.convert(timelines[0])) + "\n")
    elif chosen.book:
        _write_book(timelines, folder)
    else:
        _write_pictures(timelines, ideas, folder, command)
    return 0


def _write_book(timelines: Sequence[Timeline], folder: Path) -> None:
    """The pictures that the documentation shows, and the sentences of docs/timelines.md."""
    axis = timeline_draw.axis_us(timelines)
    for timeline in timelines:
        write(folder / f"{timeline.stage}.svg",
              timeline_draw.picture(timeline, idea_of(timeline.stage), axis=axis, alone=True))
    text = folder.with_suffix(".md")
    if text.exists():
        write(text, with_captions(text.read_text(), timelines))


def with_captions(text: str, timelines: Sequence[Timeline]) -> str:
    """`text` with the alternative text of each picture as this run has it."""
    for timeline in timelines:
        words = f"{timeline_words.caption(timeline)} {timeline_words.held(timeline)}"
        text = re.sub(rf"!\[[^\]]*\]\((timelines/{timeline.stage}\.svg)\)",
                      lambda match, words=words: f"![{words}]({match[1]})", text)
    return text
