"""`lab bench compare A.json B.json`: what changed beyond noise, and what nobody can tell."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Sequence

from bench_figures import FIGURES, starved
from bench_report import load, noise_of, values
from bench_stats import Verdict, judge

REFERENCE = "floor"
COMPARED = ("per_cpu_s", "p99", "peak_kib", "syscalls")
# These depend on the machine's hour, so they are divided by the floor's of the same round.
RELATIVE = ("per_cpu_s",)


def samples(point: dict[str, Any], name: str, key: str, relative: bool) -> list[float]:
    """A server's figures at a point, run by run; relative: to the floor in the same round."""
    server = point["servers"][name]
    if not relative:
        return values(server, key)
    floors = {run["round"]: run["figures"].get(key) for run in
              point["servers"][REFERENCE]["runs"] if not run.get("failure")}
    return [run["figures"][key] / floors[run["round"]] for run in server["runs"]
            if not run.get("failure") and key in run["figures"] and floors.get(run["round"])]


def compare(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """The comparison, a line each."""
    lines = differences(first["machine"], second["machine"])
    before = {(point["scenario"], point["label"]): point for point in first["points"]}
    judged = changed = 0
    for point in second["points"]:
        old = before.get((point["scenario"], point["label"]))
        if old is None:
            continue
        if old["load"] != point["load"] or old["crowd"] != point["crowd"]:
            lines.append(f"{point['scenario']} ({point['label']}): the loads differ; not compared")
            continue
        for name, server in point["servers"].items():
            if name not in old["servers"] or server["again"]:
                continue
            for line, verdict in of_server(old, point, name):
                lines.append(line)
                judged += 1
                changed += verdict.kind == "changed"
    if not judged:
        return [*lines, "the two files have nothing in common to compare"]
    lines.append(f"{changed} of {judged} comparisons changed beyond noise; by chance alone up to "
                 f"{max(1, round(judged * 0.05))} would look so")
    return lines


def of_server(old: dict[str, Any], new: dict[str, Any], name: str) -> list[tuple[str, Verdict]]:
    """The comparisons of one server at one point."""
    found = []
    has_floor = REFERENCE in old["servers"] and REFERENCE in new["servers"]
    for key in COMPARED:
        if key == "syscalls":
            continue  # counted once: there is no spread to judge it by
        relative = key in RELATIVE and has_floor
        if relative and name == REFERENCE:
            continue  # it is what the others are measured by
        one, two = samples(old, name, key, relative), samples(new, name, key, relative)
        if not one or not two:
            continue
        noises = [share for share in (noise_of(old, key), noise_of(new, key)) if share is not None]
        verdict = judge(one, two, max(noises, default=0.0))
        figure = FIGURES[key]
        what = f"{figure.short}{' to the floor' if relative else ''}"
        where = f"{new['scenario']} ({new['label']}) {name}, {what}"
        found.append((f"{where}: {words(verdict, figure.better)}", verdict))
    served = [sum(starved(run) for run in point["servers"][name]["runs"]) for point in (old, new)]
    if any(served):
        text = f"{new['scenario']} ({new['label']}) {name}: starved somebody in {served[0]} runs " \
               f"before, in {served[1]} now"
        found.append((text, Verdict("unknown", 1, 1, 1, 0, "")))
    return found


def words(verdict: Verdict, better: str) -> str:
    """A verdict as a sentence."""
    interval = f"{verdict.ratio - 1:+.1%} ({verdict.low - 1:+.1%} to {verdict.high - 1:+.1%})"
    noise = f"A/A {verdict.noise:.1%}"
    if verdict.kind == "changed":
        is_better = (verdict.ratio > 1) == (better == "more")
        return f"{'better' if is_better else 'WORSE'} by {interval}, {noise}, {verdict.reason}"
    if verdict.kind == "same":
        return f"the same {verdict.reason}: {interval}, {noise}"
    return f"cannot tell: {interval}, {noise}; {verdict.reason}"


def differences(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """Warns where the two files were not measured alike."""
    lines = []
    for key in ("processor", "cpus", "kernel", "governor", "turbo", "compiler", "flags"):
        if first[key] != second[key]:
            lines.append(f"not the same {key}: {first[key]} and {second[key]}; "
                         "a difference may be of that alone")
    if first["commit"] == second["commit"] and not (first["changed"] or second["changed"]):
        lines.append(f"both are of commit {first['commit']}: what differs is noise")
    return lines


def main(arguments: Sequence[str]) -> int:
    """`lab bench compare A.json B.json`"""
    parser = argparse.ArgumentParser("lab bench compare", allow_abbrev=False)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    chosen = parser.parse_args(list(arguments))
    print("\n".join(compare(load(chosen.first), load(chosen.second))))
    return 0
