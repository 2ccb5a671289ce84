"""The verb `conformance`: one suite for every stage, for known servers, and for any other."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Optional

from building import build, check_preset, program_path
from conformance_page import MARKS, page_text
from conformance_peers import PEERS, find_peer, running
from conformance_results import (
    FAIL, NOT_COVERED, NOT_JUDGED, PASS, Requirement, Results, from_json, merge, read_cases,
    read_requirements, to_json, to_junit,
)
from console import LabError, Progress, UsageError, say
from stages import ROOT, all_stages, find_stage

STORED = ROOT / "docs" / "conformance.json"
PAGE = ROOT / "docs" / "conformance.md"

# A server that never answers would hold up each of its cases for the ten seconds that ours get.
FOREIGN_TIME_SCALE = "0.15"
# The suite takes less than ten seconds, unless a server waits where it should answer.
SUITE_SECONDS = 1200.0
CANNOT_BE_JUDGED = 3
SHOWN_FAILURES = 3


def judge(server: str, preset: str, requirements: list[Requirement],
          environment: dict[str, str], options: Optional[list[str]] = None) -> Results:
    """Runs the suite against one server and merges what it says."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        report = Path(folder, "report.jsonl")
        command = [str(program_path("conformance", preset)), "~[suite]", "--report", str(report),
                   *(options or [])]
        try:
            ran = subprocess.run(
                command, env={**os.environ, **environment}, cwd=ROOT, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                timeout=SUITE_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise LabError(f"the suite did not come to an end on {server}") from None
        said = ran.stderr.strip()
        if not report.exists() or ran.returncode not in (0, 1, CANNOT_BE_JUDGED):
            raise LabError(f"the suite itself failed on {server}: {said or ran.returncode}")
        gave_up = said if ran.returncode == CANNOT_BE_JUDGED else ""
        return merge(server, read_cases(report), requirements, gave_up)


def judge_stage(stage: str, preset: str, requirements: list[Requirement]) -> Results:
    """Judges a stage, by our own profile."""
    return judge(stage, preset, requirements,
                 {"STAGECRAFT_PROGRAM": str(program_path(stage, preset))})


def judge_target(server: str, target: str, preset: str,
                 requirements: list[Requirement]) -> Results:
    """Judges a server that runs, by what the RFCs allow."""
    scale = {} if "STAGECRAFT_TIME_SCALE" in os.environ else {
        "STAGECRAFT_TIME_SCALE": FOREIGN_TIME_SCALE}
    return judge(server, preset, requirements, scale, ["--target", target])


def _print_requirements(all_results: list[Results], requirements: list[Requirement]) -> None:
    """A line for each requirement, a mark for each server, and a summary below each section."""
    width = max(len(mark) for mark in MARKS.values())
    if len(all_results) > 1:
        for number, results in enumerate(all_results):
            print(f"{' ' * number * (width + 1)}{results.server}")
    for part in dict.fromkeys(one.part() for one in requirements):
        of_part = [one for one in requirements if one.part() == part]
        print(f"\n{part}")
        for one in of_part:
            marks = " ".join(MARKS[results.judgements[one.id].verdict].ljust(width)
                             for results in all_results)
            print(f"{marks} {one.id:13} {one.level:6} {one.text}")
            if len(all_results) == 1 and all_results[0].judgements[one.id].verdict not in (
                    PASS, FAIL):
                for reason in all_results[0].judgements[one.id].reasons:
                    print(f"{' ' * width} {'':13} {reason}")
        for results in all_results:
            print(f"  {results.server}: {summary(results, of_part)}")


def summary(results: Results, requirements: list[Requirement]) -> str:
    """`12 pass, 1 FAIL, 3 not judged`."""
    count = results.count(requirements)
    names = {PASS: "pass", FAIL: "FAIL", NOT_JUDGED: "not judged", NOT_COVERED: "not covered"}
    return ", ".join(f"{count[verdict]} {name}" for verdict, name in names.items()
                     if count[verdict] or verdict == PASS)


def _print_failures(results: Results, every: bool) -> None:
    """What a failed case tells: of all that failed, or of the first few."""
    failed = results.failed_cases()
    for case in failed if every else failed[:SHOWN_FAILURES]:
        print(f"\n{'-' * 80}\n{results.server}: {case['case']}\n")
        print(case["failures"][0]["text"].rstrip())
        if len(case["failures"]) > 1:
            print(f"({len(case['failures']) - 1} more failures in this case)")
    left = [] if every else failed[SHOWN_FAILURES:]
    if left:
        print(f"\n{len(left)} more cases failed (--all shows what they tell):")
        for case in left:
            print(f"  {case['case']}")


def _print_all(all_results: list[Results], requirements: list[Requirement], every: bool) -> None:
    judged = [results for results in all_results if not results.gave_up]
    if judged:
        _print_requirements(judged, requirements)
    for results in all_results:
        _print_failures(results, every) if not results.gave_up else None
    print()
    for results in all_results:
        if results.gave_up:
            print(f"{results.server}: {results.gave_up}")
        else:
            failed = len(results.failed_cases())
            print(f"{results.server}: {summary(results, requirements)}; "
                  f"{failed} of {len(results.cases)} cases failed")


def _judge_all(chosen: argparse.Namespace, requirements: list[Requirement]) -> list[Results]:
    preset = check_preset(chosen.preset)
    stages = all_stages()
    asked = [find_stage(text, stages) for text in chosen.stages]
    peers = [find_peer(name) for name in chosen.peer]
    if chosen.peers or chosen.page:
        peers = [find_peer(peer.name) for peer in PEERS]
    if chosen.page or not (asked or chosen.target or peers):
        asked = stages
    build(preset, ["conformance", *asked], with_tests=True)
    progress = Progress()
    all_results = []
    for stage in asked:
        progress.update(f"judging {stage}")
        all_results.append(judge_stage(stage, preset, requirements))
    if chosen.target:
        progress.update(f"judging {chosen.target}")
        all_results.append(judge_target(chosen.target, chosen.target, preset, requirements))
    for peer in peers:
        progress.update(f"judging {peer.name}")
        with running(peer) as target:
            all_results.append(judge_target(peer.version_text(), target, preset, requirements))
    progress.clear()
    return all_results


def main(arguments: list[str]) -> int:
    """`lab conformance [STAGE... | --target HOST:PORT | --peers] [--json FILE] [--junit FILE]`"""
    parser = argparse.ArgumentParser("lab conformance", allow_abbrev=False)
    parser.add_argument("stages", nargs="*", metavar="STAGE")
    parser.add_argument("--target", metavar="HOST:PORT")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--junit", type=Path)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--preset", default="dev")
    chosen = parser.parse_args(arguments)
    if chosen.target and (chosen.stages or chosen.page):
        raise UsageError("--target is a server of yours: name no stage beside it")
    requirements = read_requirements()
    all_results = _judge_all(chosen, requirements)
    if chosen.page:
        STORED.write_text(to_json(all_results, requirements, with_texts=False),
                          encoding="utf-8")
        PAGE.write_text(page_text(from_json(STORED.read_text(encoding="utf-8")), requirements),
                        encoding="utf-8")
        say(f"written: {PAGE.relative_to(ROOT)}, {STORED.relative_to(ROOT)}")
    if chosen.json:
        chosen.json.write_text(to_json(all_results, requirements), encoding="utf-8")
    if chosen.junit:
        chosen.junit.write_text(to_junit(all_results), encoding="utf-8")
    _print_all(all_results, requirements, chosen.all)
    wrong = any(results.gave_up or results.failed_cases() for results in all_results
                if not results.server.startswith(tuple(f"{peer.name} " for peer in PEERS)))
    return 1 if wrong else 0
