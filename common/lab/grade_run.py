"""Grading submissions, several at a time, into a journal that survives a kill."""

from __future__ import annotations

import json
import os
import queue
import shutil
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

import machine
from exercise_build import BUILD, Variant, build
from exercise_check import Result, fair, reference_faults, run_tests
from exercise_files import Exercise
from exercise_report import result_json
from exercise_run import Limits, Outcome, Status
from exercise_sandbox import Sandbox
from grade_submissions import Submission

# So many are compiled in one go: enough to keep all CPUs busy, few enough to lose little by a kill.
BATCH = 16

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Terms:
    """What a result depends on besides the submission."""

    grader: str
    seed: int
    sandbox: Sandbox
    sanitizer: str = "asan"


class Journal:
    """One line for each result, written as soon as there is one."""

    def __init__(self, file: Path, terms: Terms) -> None:
        self._file = file
        self._terms = terms
        self._known: dict[tuple[str, str, str], Record] = {}
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists():
            for line in file.read_text().splitlines():
                self._remember(line)

    def _remember(self, line: str) -> None:
        try:
            record = json.loads(line)
            key = (record["student"], record["exercise"], record["files"])
            same = (record["grader"], record["seed"]) == (self._terms.grader, self._terms.seed)
        except (ValueError, KeyError, TypeError):
            return  # the last line of a grader that was killed
        if same and not record["grader"].endswith("+changes"):
            self._known[key] = record

    def find(self, submission: Submission) -> Record | None:
        """The result of the same files by the same grader with the same seed, if there is one."""
        return self._known.get((submission.student, submission.exercise.name, submission.digest))

    def add(self, record: Record) -> None:
        """Writes a result down, for good."""
        with open(self._file, "a", encoding="utf-8") as out:
            out.write(json.dumps(record) + "\n")
            out.flush()
            os.fsync(out.fileno())


class Grader:
    """Grades submissions against the same terms."""

    def __init__(self, terms: Terms, jobs: int = 0) -> None:
        self._terms = terms
        self._jobs = jobs or max(1, round(machine.cpus()))
        self._slots: queue.Queue[int] = queue.Queue()
        for slot in range(self._jobs):
            self._slots.put(slot)
        self._faults: dict[str, Mapping[str, str]] = {}

    def prepare(self, exercises: Sequence[Exercise]) -> dict[str, Mapping[str, str]]:
        """Runs our own solutions first: what they do not pass here is nobody's fault but ours."""
        for exercise in exercises:
            self._faults[exercise.name] = reference_faults(
                exercise,
                self._terms.sanitizer,
                exercise.tests,
                limits=self._limits(exercise, 0),
                seed=self._terms.seed,
            )
        return {name: faults for name, faults in self._faults.items() if faults}

    def grade(self, submissions: Sequence[Submission]) -> Iterator[Record]:
        """The results, each as soon as it is there."""
        for start in range(0, len(submissions), BATCH):
            batch = submissions[start : start + BATCH]
            variants = {each.digest: self._lay_out(each) for each in batch if not each.refused}
            said = build(list(variants.values()), self._terms.sanitizer) if variants else {}
            with ThreadPoolExecutor(self._jobs) as pool:
                running = [
                    pool.submit(self._one, each, variants.get(each.digest), said) for each in batch
                ]
                for future in as_completed(running):
                    yield future.result()
            for variant in variants.values():
                self._clear(variant)

    def _one(
        self, submission: Submission, variant: Variant | None, said: Mapping[str, str]
    ) -> Record:
        exercise = submission.exercise
        if variant is None:
            return self._record(submission, _nothing(exercise, submission.refused))
        compiler = said.get(f"{exercise.name}/{variant.label}")
        if compiler is not None:
            named = compiler.replace(f"{os.path.relpath(variant.sources())}/", "")
            return self._record(submission, _nothing(exercise, "it does not compile", named))
        slot = self._slots.get()
        try:
            limits = self._limits(exercise, slot)
            outcomes = run_tests(variant, self._terms.sanitizer, exercise.tests, limits=limits,
                                 seed=self._terms.seed, at_once=1)  # fmt: skip
            result = fair(
                variant,
                self._terms.sanitizer,
                Result(exercise, outcomes),
                limits=limits,
                seed=self._terms.seed,
                faults=self._faults.get(exercise.name, {}),
            )
        finally:
            self._slots.put(slot)
        return self._record(submission, result)

    def _limits(self, exercise: Exercise, slot: int) -> Limits:
        sandbox = self._terms.sandbox
        return Limits(seconds=exercise.seconds, launcher=sandbox.launcher(slot),
                      environment=sandbox.environment())  # fmt: skip

    def _lay_out(self, submission: Submission) -> Variant:
        """The files as a variant of the exercise; the rest of it comes from the starter."""
        label = f"handed-in-{submission.digest}"
        folder = BUILD / "handed-in" / submission.exercise.name / submission.digest
        for name, content in submission.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return Variant(submission.exercise, label, [folder], untrusted=True)

    def _clear(self, variant: Variant) -> None:
        """200 programs with a sanitizer are gigabytes."""
        shutil.rmtree(variant.bin(self._terms.sanitizer), ignore_errors=True)
        shutil.rmtree(variant.sources(), ignore_errors=True)
        shutil.rmtree(variant.folders[0], ignore_errors=True)

    def _record(self, submission: Submission, result: Result) -> Record:
        return {
            "student": submission.student,
            **result_json(result),
            "refused": submission.refused,
            "hidden": [test.name for test in submission.exercise.tests if test.hidden],
            "files": submission.digest,
            "grader": self._terms.grader,
            "seed": self._terms.seed,
            "sandbox": self._terms.sandbox.name,
        }


def _nothing(exercise: Exercise, reason: str, compiler: str = "") -> Result:
    outcomes = [Outcome(test.name, Status.NOT_BUILT, reason) for test in exercise.tests]
    return Result(exercise, outcomes, compiler)


