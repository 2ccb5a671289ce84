"""The verb `bench`: the same loads for every stage and any other server, by turns."""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional, Sequence

import bench_compare
import bench_machine
import bench_peers
import bench_report
import bench_run
from bench_figures import number, value
from bench_load import Client
from bench_scenarios import (SIZES, STORY, Catalogue, Point, Scenario, catalogue, only, room)
from bench_servers import PRESET, Server, end_all, floor_server, foreign_server, stage_server
from bench_stats import noise, summary
from building import build
from console import LabError, Progress, UsageError, say
from stages import ROOT, all_stages, find_stage

FORMAT = 1
RESULTS = ROOT / "build" / "bench-results"
STORY_FILE = ROOT / "docs" / "benchmarks" / "story.json"

# What starting, looking at and ending a server costs besides the load, as a first guess.
OVERHEAD_S = 2.0
HELD_PER_SECOND = 8000


@dataclass(frozen=True)
class Plan:
    """One point and who takes part in it."""

    scenario: Scenario
    point: Point
    servers: tuple[Server, ...]


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser("lab bench", allow_abbrev=False)
    parser.add_argument("stages", nargs="*")
    parser.add_argument("--scenario", action="append", default=[])
    parser.add_argument("--story", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--server", action="append", default=[])
    parser.add_argument("--peer", action="append", default=[], choices=sorted(bench_peers.PEERS))
    parser.add_argument("--client", default="")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--server-cpus")
    parser.add_argument("--client-cpus")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(list(arguments))
    chosen.runs = chosen.runs or (3 if chosen.quick else 5)
    chosen.seconds = chosen.seconds or (2.0 if chosen.quick else 5.0)
    return chosen


def share_cpus(servers: Optional[str], clients: Optional[str]) -> tuple[list[str], str]:
    """The CPUs for the server, one by one, and those for the generator as a list for taskset."""
    there = [str(cpu) for cpu in sorted(os.sched_getaffinity(0))]
    if len(there) == 1:
        return (servers or there[0]).split(","), clients or there[0]
    half = len(there) // 2
    return (servers.split(",") if servers else there[:half]), clients or ",".join(there[half:])


def listed(known: Catalogue) -> str:
    """The scenarios, one a line."""
    lines = []
    for scenario in known.scenarios.values():
        labels = ", ".join(point.label for point in scenario.points)
        lines.append(f"{scenario.name:12} {scenario.title} ({labels})")
    return "\n".join(lines)


def chosen_scenarios(chosen: argparse.Namespace, known: Catalogue) -> list[Scenario]:
    """The scenarios that are to be measured, each with its points."""
    if chosen.story:
        found = []
        for step in STORY:
            scenario = only(known.scenarios[step.scenario], step.points)
            found.append(replace(scenario, stages=(step.before, step.after)))
    else:
        found = []
        for name in chosen.scenario or ["plain"]:
            scenario = known.find(name)
            if scenario is None:
                raise UsageError(f"there is no scenario '{name}'; ./lab bench --list names all")
            found.append(scenario)
    if chosen.quick:
        found = [only(scenario, scenario.quick) for scenario in found]
    return found


def chosen_servers(chosen: argparse.Namespace, scenario: Scenario) -> list[Server]:
    """The floor, the stages, the others; and the last stage again, which is the A/A run."""
    stages = all_stages()
    wanted = chosen.stages or list(scenario.stages)
    servers = [stage_server(stage, chosen.host)
               for stage in dict.fromkeys(find_stage(name, stages) for name in wanted)]
    again = replace(servers[-1], name=f"{servers[-1].name} again", again=servers[-1].name)
    others = [bench_peers.peer(name) for name in chosen.peer]
    others += [foreign_server(text) for text in chosen.server]
    return [floor_server(), *others, *servers, again]


def plans(chosen: argparse.Namespace, scenarios: Sequence[Scenario]) -> list[Plan]:
    """All points, each with the servers that can serve it; says what is left out, and why."""
    made = []
    for scenario in scenarios:
        if (os.cpu_count() or 1) < scenario.least_cpus:
            say(f"{scenario.name} needs {scenario.least_cpus} CPUs and is left out: "
                f"{scenario.caution}")
            continue
        servers = chosen_servers(chosen, scenario)
        for point in scenario.points:
            able = [server for server in servers if bench_run.can(server, scenario, point)]
            if able:
                made.append(Plan(scenario, point, tuple(able)))
    if not made:
        raise LabError("nothing is left to measure")
    return made


def in_turn(servers: Sequence[Server], turn: int) -> list[Server]:
    """The order of a round: another server begins each time, and every other round runs back."""
    step = -1 if turn % 2 else 1
    return [servers[(turn + step * place) % len(servers)] for place in range(len(servers))]


def guess_s(plan: Plan, seconds: float) -> float:
    """How long a run will take."""
    measured = max(seconds, plan.scenario.least_seconds)
    return measured + bench_run.WARM_UP_S + OVERHEAD_S + plan.point.crowd.count / HELD_PER_SECOND


class Measuring:
    """The runs, one after another, and the file that they go into."""

    def __init__(self, bench: bench_run.Bench, todo: Sequence[Plan], runs: int,
                 result: dict[str, Any], out: Path) -> None:
        self._bench, self._todo, self._runs = bench, todo, runs
        self._result, self._out = result, out
        self._progress = Progress()
        self._guessed = [guess_s(plan, bench.seconds) * len(plan.servers) * runs for plan in todo]
        self._guessed_pass = [4.0 * len(plan.servers) for plan in todo]
        self._left_s = sum(self._guessed) + sum(self._guessed_pass)

    def run(self) -> None:
        """Measures all; what has been measured is in the file whenever this ends."""
        try:
            for plan in self._todo:
                entry = self._entry(plan)
                for turn in range(self._runs):
                    for server in in_turn(plan.servers, turn):
                        self._show(plan, server, f"run {turn + 1} of {self._runs}")
                        began = time.monotonic()
                        run = bench_run.measure(self._bench, server, plan.scenario, plan.point)
                        self._spent(guess_s(plan, self._bench.seconds), began)
                        entry["servers"][server.name]["runs"].append({"round": turn, **run})
                for server in plan.servers:
                    if not server.again:
                        self._show(plan, server, "checking every answer")
                        began = time.monotonic()
                        entry["servers"][server.name]["checked"] = bench_run.look_closely(
                            self._bench, server, plan.scenario, plan.point)
                        self._spent(4.0, began)
                self.save()
                self._progress.print("\n".join(table(entry)))
            self._result["complete"] = True
        finally:
            self._progress.clear()
            self.save()

    def _entry(self, plan: Plan) -> dict[str, Any]:
        """The place of a point in the result."""
        scenario, point = plan.scenario, plan.point
        entry = {
            "scenario": scenario.name, "title": scenario.title, "figure": scenario.figure,
            "axis": scenario.axis, "caution": scenario.caution, "label": point.label,
            "load": vars(point.load), "crowd": vars(point.crowd), "scaled": point.scaled,
            "servers": {server.name: {"again": server.again, "command": list(server.command),
                                      "runs": []} for server in plan.servers},
        }
        self._result["points"].append(entry)
        return entry

    def _show(self, plan: Plan, server: Server, what: str) -> None:
        minutes, seconds = divmod(round(max(1.0, self._left_s)), 60)
        left = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
        self._progress.update(f"{left} left  {plan.scenario.name} ({plan.point.label}) "
                              f"{server.name}, {what}")

    def _spent(self, guessed: float, began: float) -> None:
        """What is left shrinks by the guess, and is corrected by what the guess was off."""
        took = time.monotonic() - began
        self._left_s -= guessed
        self._left_s *= 1 + 0.05 * (min(4.0, took / guessed) - 1)

    def save(self) -> None:
        """Writes the file, whole or not at all."""
        self._out.parent.mkdir(parents=True, exist_ok=True)
        draft = self._out.with_suffix(".part")
        draft.write_text(json.dumps(self._result, indent=1) + "\n")
        draft.replace(self._out)


def table(entry: dict[str, Any]) -> list[str]:
    """A point as text: medians, and what the same program twice differs by."""
    key = entry["figure"]
    lines = [f"{entry['scenario']} ({entry['label']}): {entry['title']}"]
    if entry["scaled"]:
        lines.append(f"  scaled: {entry['scaled']}")
    for name, server in entry["servers"].items():
        middle = summary([v for v in (value(run, key) for run in server["runs"]) if v is not None])
        words = "-" if middle is None else (
            f"{number(middle.median)} ({number(middle.least)} to {number(middle.most)})")
        lines.append(f"  {name:32} {key} {words}{bench_report.served_words(server['runs'])}")
        lines += [f"    {text}" for text in bench_report.failures(server)]
        if server["again"]:
            first = entry["servers"][server["again"]]["runs"]
            apart = noise([v for v in (value(run, key) for run in first) if v is not None],
                          [v for v in (value(run, key) for run in server["runs"]) if v is not None])
            lines.append(f"  A/A: the same program twice differs by "
                         f"{'-' if apart is None else format(apart, '.1%')}")
    return lines


def measure(chosen: argparse.Namespace) -> int:
    """Measures what was chosen, and says where the figures are."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # the servers inherit it
    server_cpus, client_cpus = share_cpus(chosen.server_cpus, chosen.client_cpus)
    known = catalogue(room(len(client_cpus.split(","))))
    if chosen.list:
        print(listed(known))
        return 0
    scenarios = chosen_scenarios(chosen, known)
    if not chosen.no_build:
        build(PRESET, [*all_stages(), "floor", "paced"], with_tests=False)
    todo = plans(chosen, scenarios)
    facts = bench_machine.facts(PRESET)
    for doubt in bench_machine.warnings(facts):
        say(doubt)
    name = time.strftime("%Y-%m-%d-%H%M%S.json")
    out = chosen.out or (STORY_FILE if chosen.story else RESULTS / name)
    result = {"format": FORMAT, "complete": False, "machine": facts, "story": chosen.story,
              "runs": chosen.runs, "seconds": chosen.seconds, "server_cpus": server_cpus,
              "client_cpus": client_cpus, "client": chosen.client, "points": []}
    with tempfile.TemporaryDirectory(prefix="stagecraft-bench-") as folder:
        client = Client(shlex.split(chosen.client), "" if chosen.client else client_cpus)
        bench = bench_run.Bench(Path(folder), client, server_cpus, chosen.host, chosen.seconds)
        bench_run.make_files(Path(folder), list(SIZES.values()))
        try:
            Measuring(bench, todo, chosen.runs, result, out).run()
        finally:
            end_all()
            bench.forget_placed()
            say(f"the figures are in {os.path.relpath(out)}; "
                f"./lab bench report {shlex.quote(os.path.relpath(out))} draws them")
    failed = [text for point in result["points"] for server in point["servers"].values()
              for text in bench_report.failures(server)]
    if failed:
        say(f"{len(failed)} runs failed; the first: {failed[0]}")
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    """`lab bench [STAGES] [OPTIONS]`, `lab bench report [FILE]`, `lab bench compare A B`"""
    if arguments[:1] == ["report"]:
        return bench_report.main(arguments[1:])
    if arguments[:1] == ["compare"]:
        return bench_compare.main(arguments[1:])
    return measure(options(arguments))
