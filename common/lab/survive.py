"""The verb `survive`: do bad things to every stage, and see what must hold."""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

import survive_clients
import survive_load
import survive_network
from building import build, build_folder, check_preset, program_path
from console import LabError, Progress, UsageError, say
from stages import all_stages, find_stage
from survive_case import Case, Found, NotJudged
from survive_faults import library_path
from survive_sweep import Sweep, Swept, make_files

# A start for each of the thousands of allocations before a server listens would say nothing new.
STEP_OF_STARTS = 7

HELD, FAILED, NOT_JUDGED = "held", "FAILED", "NOT JUDGED"


@dataclass
class Result:
    """What has come of one experiment on one stage."""

    stage: str
    experiment: str
    verdict: str
    figures: str
    complaints: list[str]
    seconds: float


def _sweep(case: Case, step: int) -> Sweep:
    return Sweep(
        case.program,
        case.library,
        case.files,
        step=step,
        tell=case.tell,
        time_scale=4.0 if case.sanitized else 1.0,
    )


def _found(swept: list[Swept]) -> Found:
    right = sum(each.heard.right for each in swept)
    stated = sum(each.heard.stated for each in swept)
    cut = sum(each.heard.unanswered for each in swept)
    figures = f"{sum(each.struck for each in swept)} faults"
    if right:
        figures += f"; requests: {right} answered, {stated} told an error, {cut} cut off"
    return Found(figures, [text for each in swept for text in each.complaints])


def faults_running(case: Case) -> Found:
    """Each fault that the manual allows at every call that a server makes for twelve clients. Each
    client gets the right answers, an error that is stated, or the end; nothing is left behind."""
    return _found(_sweep(case, case.scaled(1, 5)).running())


def faults_starting(case: Case) -> Found:
    """The same while it starts: it serves, or says in one line what is missing and ends with 1."""
    return _found(_sweep(case, case.scaled(STEP_OF_STARTS, 151)).starting())


def faults_stopping(case: Case) -> Found:
    """The same from SIGTERM on, with clients in all states: it ends with 0, and they as above."""
    return _found(_sweep(case, case.scaled(1, 9)).stopping())


EXPERIMENTS: dict[str, Callable[[Case], Found]] = {
    "faults-running": faults_running,
    "faults-starting": faults_starting,
    "faults-stopping": faults_stopping,
    "slow-heads": survive_clients.slow_heads,
    "slow-bodies": survive_clients.slow_bodies,
    "silent-readers": survive_clients.silent_readers,
    "resets": survive_clients.resets,
    "half-closes": survive_clients.half_closes,
    "flood": survive_clients.flood,
    "connections": survive_load.connections,
    "requests": survive_load.requests,
    "descriptors": survive_load.descriptors,
    "memory-limit": survive_load.memory_limit,
    "clock-jumps": survive_load.clock_jumps,
    "signals": survive_load.signals,
    "slow-network": survive_network.slow_network,
    "cable": survive_network.cable,
}


def try_one(case: Case, name: str) -> Result:
    """Makes one experiment on one stage."""
    began = time.monotonic()
    found, verdict = Found(), HELD
    try:
        found = EXPERIMENTS[name](case)
        verdict = FAILED if found.complaints else HELD
    except NotJudged as reason:
        found, verdict = Found(str(reason)), NOT_JUDGED
    except (LabError, OSError, ValueError) as error:
        found, verdict = Found(complaints=[f"{type(error).__name__}: {error}"]), FAILED
    seconds = time.monotonic() - began
    return Result(case.program.name, name, verdict, found.figures, found.complaints, seconds)


def table_lines(results: list[Result]) -> list[str]:
    """Stage x experiment as text."""
    stages = sorted({result.stage for result in results})
    cells = {(r.experiment, r.stage): r.verdict for r in results}
    names = [name for name in EXPERIMENTS if any(name == r.experiment for r in results)]
    rows = [["", *(stage[:2] for stage in stages)]]
    rows += [[name, *(cells.get((name, stage), "") for stage in stages)] for name in names]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    ]


def _chosen(only: list[str]) -> list[str]:
    names = [name for name in EXPERIMENTS if not only or any(part in name for part in only)]
    if not names:
        raise UsageError(f"no experiment is called so; there are: {', '.join(EXPERIMENTS)}")
    return names


def _run_all(
    stages: list[str], names: list[str], preset: str, quick: bool, minutes: Optional[float]
) -> list[Result]:
    progress = Progress()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # for a flood of clients
    results: list[Result] = []
    deadline = time.monotonic() + 60 * minutes if minutes else None
    with tempfile.TemporaryDirectory(prefix="stagecraft-survive-") as folder:
        make_files(Path(folder))
        for name in names:
            for stage in stages:
                if deadline and time.monotonic() > deadline:
                    results.append(Result(stage, name, NOT_JUDGED, "the time was up", [], 0.0))
                    continue
                case = Case(
                    program_path(stage, preset),
                    library_path(preset),
                    Path(folder),
                    quick,
                    preset in ("asan", "tsan"),
                    lambda text, at=f"{stage} {name}": progress.update(f"{at}: {text}"),
                )
                progress.update(f"{stage} {name}")
                result = try_one(case, name)
                results.append(result)
                what = f"{result.verdict}, {result.seconds:.0f} s"
                reason = f": {result.figures}" if result.figures else ""
                progress.print(f"{stage[:2]} {name}: {what}{reason}")
                for complaint in result.complaints[:10]:
                    progress.print(f"   {complaint}")
    progress.clear()
    return results


def main(arguments: list[str]) -> int:
    """`lab survive [STAGE] [--only NAME] [--quick] [--minutes N] [--json FILE] [--preset NAME]`"""
    parser = argparse.ArgumentParser("lab survive", allow_abbrev=False)
    parser.add_argument("stage", nargs="?")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--json")
    parser.add_argument("--preset", default="dev")
    chosen = parser.parse_args(arguments)
    preset = check_preset(chosen.preset)
    stages = [find_stage(chosen.stage, all_stages())] if chosen.stage else all_stages()
    names = _chosen(chosen.only)
    build(preset, [*stages, "faults"], with_tests=True)
    results = _run_all(stages, names, preset, chosen.quick, chosen.minutes)
    print("\n".join(table_lines(results)))
    file = Path(chosen.json) if chosen.json else build_folder(preset) / "survive.json"
    file.write_text(json.dumps([vars(result) for result in results], indent=1) + "\n")
    say(f"the figures are in {os.path.relpath(file)}")
    failed = sum(result.verdict == FAILED for result in results)
    left = sum(result.verdict == NOT_JUDGED for result in results)
    print(f"survive: {len(results) - failed - left} held, {failed} failed, {left} not judged")
    return 1 if failed else 0
