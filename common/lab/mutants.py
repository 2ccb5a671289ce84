"""The verb `mutants`: break the servers in one place at a time, and see the tests find out."""

from __future__ import annotations

import argparse
import json
import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

import machine
from building import build, build_folder, check_preset, program_path
from console import LabError, Progress, UsageError, say
from mutant_cases import Verdict, list_cases, run_cases
from mutant_files import BLACK_BOXES, FOLDER, Mutant, MutantError, all_mutants, stale_mutants
from mutant_programs import BuildTree, Workbench
from mutant_table import table_text

# Nothing said for so long means that a program hangs. No test waits for longer.
CASE_SECONDS = 45.0
# What a whole program gets where all its cases run; most need a tenth of it.
PROGRAM_SECONDS = 150.0

TABLE = FOLDER / "TABLE.md"


@dataclass
class Findings:
    """What has been found out about one mutant."""

    mutant: Mutant
    error: str = ""
    # program -> case -> what became of it. Programs are those that ran, with all their cases or
    # only the named one.
    verdicts: dict[str, dict[str, Verdict]] = field(default_factory=dict)

    def named(self) -> Optional[Verdict]:
        """What became of the test that the description names; None if it never ran."""
        return self.verdicts.get(self.mutant.program, {}).get(self.mutant.test)

    def complaint(self) -> str:
        """Why this is not as it should be; empty if it is."""
        if self.error:
            return self.error
        named = self.named()
        where = f"{self.mutant.program}: {self.mutant.test}"
        if named is None:
            return f"{self.mutant.name}: there is no verdict of the test it names, {where}"
        return "" if named.caught else f"{self.mutant.name} survives the test it names, {where}"


class Laboratory:
    """Builds mutants and runs cases against them, several at a time."""

    def __init__(self, preset: str) -> None:
        self._preset = preset
        self._tree = BuildTree(build_folder(preset))
        self._jobs = 2 * machine.build_jobs()  # since tests wait more than they work
        self._benches: queue.Queue[Workbench] = queue.Queue()
        for number in range(self._jobs):
            folder = build_folder(preset) / "mutants" / str(number)
            self._benches.put(Workbench(self._tree, folder))
        self._lock = threading.Lock()
        self._sound: dict[tuple[str, str], Future[list[str]]] = {}

    def each(self, work: Callable[[Mutant], Findings], mutants: list[Mutant]) -> list[Findings]:
        """Does the work for all mutants and reports what is found; in the order of `mutants`."""
        progress = Progress()
        found: dict[str, Findings] = {}
        with ThreadPoolExecutor(self._jobs) as pool:
            running: dict[Future[Findings], Mutant] = {
                pool.submit(work, mutant): mutant for mutant in mutants
            }
            try:
                for done in as_completed(running):
                    findings = done.result()
                    found[findings.mutant.name] = findings
                    if findings.complaint():
                        progress.print(f"lab: {findings.complaint()}")
                    progress.update(f"[{len(found)}/{len(mutants)}] {findings.mutant.name}")
            finally:
                for future in running:
                    future.cancel()
        progress.clear()
        return [found[mutant.name] for mutant in mutants]

    def named_test(self, mutant: Mutant) -> Findings:
        """Builds a mutant and runs the one test that must catch it."""
        return self._examine(mutant, {mutant.program: [mutant.test]})

    def all_tests(self, mutant: Mutant) -> Findings:
        """Builds a mutant and runs every test of every program that it is part of."""
        programs = [program for program in self.programs(mutant) if self._is_part(mutant, program)]
        return self._examine(
            mutant, {program: self.sound_cases(program, mutant.stage) for program in programs}
        )

    def programs(self, mutant: Mutant) -> list[str]:
        """The test programs that can say something about a mutant in this stage."""
        folder = build_folder(self._preset) / "bin"
        units = sorted(path.name for path in folder.glob("unit*"))
        return [*BLACK_BOXES, *units, f"server-{mutant.stage}"]

    def _is_part(self, mutant: Mutant, program: str) -> bool:
        subject = mutant.stage if program in BLACK_BOXES else program
        return bool(self._tree.units_of(subject, mutant))

    def _examine(self, mutant: Mutant, cases: dict[str, list[str]]) -> Findings:
        findings = Findings(mutant)
        bench = self._benches.get()
        try:
            subjects = sorted({mutant.stage if name in BLACK_BOXES else name for name in cases})
            built = bench.build(mutant, subjects)
            for program, names in cases.items():
                findings.verdicts[program] = self._run(program, names, mutant.stage, built)
        except LabError as error:
            findings.error = str(error)
        finally:
            self._benches.put(bench)
        return findings

    def _run(
        self, program: str, names: list[str], stage: str, built: dict[str, Path]
    ) -> dict[str, Verdict]:
        """Runs cases of a test program, where what `built` has takes the place of the original."""
        server = built.get(stage, program_path(stage, self._preset))
        return run_cases(
            built.get(program, program_path(program, self._preset)),
            names,
            {"STAGECRAFT_PROGRAM": str(server), "STAGECRAFT_STAGE": stage},
            case_seconds=CASE_SECONDS,
            all_seconds=PROGRAM_SECONDS,
        )

    def sound_cases(self, program: str, stage: str) -> list[str]:
        """The cases of a test program that pass without a mutant. The first who asks finds out."""
        with self._lock:
            mine = (program, stage) not in self._sound
            answer = self._sound.setdefault((program, stage), Future())
        if mine:
            names = list_cases(program_path(program, self._preset))
            verdicts = self._run(program, names, stage, {})
            answer.set_result([name for name in names if verdicts.get(name) is Verdict.PASSED])
        return answer.result()

    def unsound(self, mutants: list[Mutant]) -> list[str]:
        """Complaints about named tests that fail without the mutant too, or that are not there."""
        asked: dict[tuple[str, str], set[str]] = {}
        for mutant in mutants:
            asked.setdefault((mutant.program, mutant.stage), set()).add(mutant.test)

        def check(program: str, stage: str) -> list[str]:
            left = sorted(asked[program, stage])
            verdicts: dict[str, Verdict] = {}
            for _ in range(2):  # once more on a busy machine
                verdicts.update(self._run(program, left, stage, {}))
                left = [name for name in left if verdicts.get(name) is not Verdict.PASSED]
                if not left:
                    break
            return [
                f"{program} has no test `{name}`"
                if name not in verdicts
                else f"{program}: `{name}` {verdicts[name].value} without any mutant ({stage})"
                for name in left
            ]

        with ThreadPoolExecutor(self._jobs) as pool:
            lists = [pool.submit(check, *key) for key in sorted(asked)]
            return [complaint for done in lists for complaint in done.result()]


def _choose(names: list[str], copies: bool) -> list[Mutant]:
    """The mutants of these names (a part of a name will do), or all; with those that are copies?"""
    mutants = all_mutants()
    if not mutants:
        raise MutantError(f"there are no mutants in {FOLDER}")
    chosen = [
        mutant for mutant in mutants if not names or any(name in mutant.name for name in names)
    ]
    if not chosen:
        raise UsageError(f"no mutant is called {' or '.join(names)}")
    stale = stale_mutants(chosen)
    if stale:
        raise MutantError("\nlab: ".join(stale))
    return [m for m in chosen if copies or not m.is_copy or m.name in names]


def _summary(all_findings: list[Findings], seconds: float) -> str:
    named = [findings.named() for findings in all_findings]
    wrong = sum(1 for findings in all_findings if findings.complaint())
    ways = [
        f"{named.count(verdict)} {word}"
        for verdict, word in ((Verdict.HUNG, "by a hang"), (Verdict.CRASHED, "by a crash"))
        if verdict in named
    ]
    how = f" ({', '.join(ways)})" if ways else ""
    caught = len(all_findings) - wrong
    return f"mutants: {caught} caught{how}, {wrong} not, {seconds:.0f} s"


def _merge(folder: Path, all_findings: list[Findings]) -> dict[str, dict[str, dict[str, str]]]:
    """Adds to what earlier runs have found: mutant -> program -> case -> verdict."""
    file = folder / "mutants" / "matrix.json"
    matrix = json.loads(file.read_text()) if file.exists() else {}
    for findings in all_findings:
        matrix[findings.mutant.name] = {
            program: {case: verdict.value for case, verdict in verdicts.items()}
            for program, verdicts in findings.verdicts.items()
        }
    file.write_text(json.dumps(matrix, indent=1))
    return matrix


def main(arguments: list[str]) -> int:
    """`lab mutants [NAME...] [--copies] [--all | --check] [--preset PRESET]`"""
    parser = argparse.ArgumentParser("lab mutants", allow_abbrev=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--copies", action="store_true")
    parser.add_argument("--preset", default="dev")
    chosen = parser.parse_args(arguments)
    preset = check_preset(chosen.preset)
    mutants = _choose(chosen.names, copies=chosen.copies or chosen.check)
    if chosen.check:
        print(f"mutants: all {len(mutants)} fit their sources")
        return 0
    build(preset, [], with_tests=True)
    progress = Progress()
    laboratory = Laboratory(preset)
    say(f"trying the named tests without a mutant, then {len(mutants)} mutants")
    complaints = laboratory.unsound(mutants)
    for complaint in complaints:
        say(complaint)
    found = laboratory.each(laboratory.all_tests if chosen.all else laboratory.named_test, mutants)
    if chosen.all:
        TABLE.write_text(table_text(all_mutants(), _merge(build_folder(preset), found)))
        say(f"the table is in {TABLE}")
    print(_summary(found, progress.seconds()))
    return 1 if complaints or any(findings.complaint() for findings in found) else 0
