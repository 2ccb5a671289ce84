"""The verb `exercises`: is every exercise as it should be? For those who write them, and for CI."""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Iterator, Sequence

import gradescope
import machine
from console import LabError, Progress, UsageError, say
from exercise_build import Variant, build, mutant_of, solution_of, starter_of
from exercise_check import environment_of
from exercise_files import Exercise, all_exercises, find_exercise
from exercise_form import complaints as form_complaints
from exercise_form import similarity_of
from exercise_run import Limits, Outcome, Status, run_test

Complaint = tuple[str, str]  # exercise, what is wrong


class Verifier:
    """Builds every variant of every exercise, and runs what each has to show."""

    def __init__(self, exercises: Sequence[Exercise], runs: int = 1) -> None:
        self._exercises = exercises
        self._runs = runs
        self._progress = Progress()
        self.outcomes = 0
        self.mutants = 0

    def complaints(self) -> list[Complaint]:
        """What is wrong, in the order of the exercises."""
        asan: list[Variant] = []
        for exercise in self._exercises:
            asan += [starter_of(exercise), solution_of(exercise)]
            asan += [mutant_of(exercise, wrong.name) for wrong in exercise.wrongs()]
        tsan = [solution_of(exercise) for exercise in self._exercises]
        self._progress.update(f"building {len(asan)} programs")
        broken = {"asan": build(asan, "asan", self._on_step)}
        self._progress.update(f"building {len(tsan)} programs with the thread sanitizer")
        broken["tsan"] = build(tsan, "tsan", self._on_step)
        jobs: list[tuple[Exercise, Callable[[], Iterator[str]]]] = []
        for exercise in self._exercises:
            jobs += [(exercise, job) for job in self._jobs(exercise, broken)]
        found: list[Complaint] = []
        with ThreadPoolExecutor(2 * machine.build_jobs()) as pool:
            running = [(exercise, pool.submit(lambda j: list(j()), job)) for exercise, job in jobs]
            for exercise, future in running:
                for text in future.result():
                    self._progress.print(f"lab: {exercise.name}: {text}")
                    found.append((exercise.name, text))
                self._progress.update(exercise.name)
        self._progress.clear()
        return found

    def _on_step(self, step: str) -> None:
        self._progress.update(f"building {step}")

    def seconds(self) -> float:
        """How long it has taken."""
        return self._progress.seconds()

    def _jobs(
        self, exercise: Exercise, broken: dict[str, dict[str, str]]
    ) -> Iterator[Callable[[], Iterator[str]]]:
        """What has to be tried for one exercise, each by itself."""

        def unless_broken(
            variant: Variant, sanitizer: str, job: Callable[[], Iterator[str]]
        ) -> Callable[[], Iterator[str]]:
            said = broken[sanitizer].get(f"{exercise.name}/{variant.label}")
            if said is None:
                return job
            return lambda: iter([f"{variant.label} does not compile ({sanitizer}):\n{said}"])

        starter = starter_of(exercise)
        yield unless_broken(starter, "asan", lambda: self._starter(starter))
        solution = solution_of(exercise)
        for sanitizer in ("asan", "tsan"):
            yield unless_broken(
                solution, sanitizer, lambda used=sanitizer: self._solution(solution, used)
            )
        for wrong in exercise.wrongs():
            variant = mutant_of(exercise, wrong.name)
            yield unless_broken(
                variant, "asan", lambda v=variant, test=wrong.test: self._mutant(v, test)
            )

    def _run(self, variant: Variant, sanitizer: str, test: str) -> Outcome:
        self.outcomes += 1
        limits = Limits(seconds=variant.exercise.seconds)
        environment = environment_of(variant, sanitizer, 0)
        return run_test(variant.program(sanitizer), test, limits, environment)

    def _starter(self, variant: Variant) -> Iterator[str]:
        passed = 0
        for test in variant.exercise.tests:
            outcome = self._run(variant, "asan", test.name)
            passed += outcome.passed
            if test.name in variant.exercise.starter_passes and not outcome.passed:
                yield f"the starter is to pass {test.name}, but {_told(outcome)}"
        if passed == len(variant.exercise.tests):
            yield "the starter passes every test"

    def _solution(self, variant: Variant, sanitizer: str) -> Iterator[str]:
        for test in variant.exercise.tests:
            for _ in range(self._runs):
                outcome = self._run(variant, sanitizer, test.name)
                if outcome.status is Status.NOT_JUDGED:
                    say(f"{variant.exercise.name}: {test.name} not judged: {outcome.reason}")
                elif not outcome.passed:
                    yield f"solution ({sanitizer}): {test.name} {_told(outcome)}"
                    break

    def _mutant(self, variant: Variant, test: str) -> Iterator[str]:
        self.mutants += 1
        for _ in range(self._runs):
            outcome = self._run(variant, "asan", test)
            if outcome.status is Status.NOT_JUDGED:
                say(f"{variant.exercise.name}: {test} not judged: {outcome.reason}")
            elif outcome.passed:
                yield f"{variant.label} survives the test it names, {test}"
                break


def _told(outcome: Outcome) -> str:
    text = outcome.status.value + (f": {outcome.reason}" if outcome.reason else "")
    for failure in outcome.failures[:1]:
        text += f"\n{failure.did}\n{failure.message}"
    if not outcome.failures and outcome.output:
        text += f"\n{outcome.output[:2000]}"
    return text


def verify(exercises: Sequence[Exercise], *, form_only: bool, runs: int, as_json: bool) -> int:
    """Checks exercises; returns the exit code."""
    found = [
        (exercise.name, text) for exercise in exercises for text in form_complaints(exercise)
    ]
    for name, text in found:
        say(f"{name}: {text}")
    tried = ""
    if not form_only:
        verifier = Verifier(exercises, runs)
        found += verifier.complaints()
        tried = (
            f", {verifier.outcomes} tests run, {verifier.mutants} mutants tried in"
            f" {verifier.seconds():.0f} s"
        )
    if as_json:
        print(json.dumps([{"exercise": name, "complaint": text} for name, text in found], indent=1))
    else:
        print(f"exercises: {len(exercises)}{tried}; complaints: {len(found)}")
    return 1 if found else 0


def main(arguments: list[str]) -> int:
    """`lab exercises verify [NN...] [--form] [--runs N] [--json]`; also `near` and `prepare`"""
    parser = argparse.ArgumentParser("lab exercises", allow_abbrev=False)
    parser.add_argument("what", choices=["verify", "near", "prepare"])
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--form", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    if chosen.runs < 1:
        raise UsageError("--runs must be 1 or more")
    there = all_exercises()
    exercises = [find_exercise(text, there) for text in chosen.exercises] or there
    if not exercises:
        raise LabError("there are no exercises")
    if chosen.what == "prepare":
        return gradescope.prepare(chosen.exercises)
    if chosen.what == "near":
        for exercise in exercises:
            print(f"{similarity_of(exercise):4.0%}  {exercise.name}: {', '.join(exercise.near)}")
        return 0
    return verify(exercises, form_only=chosen.form, runs=chosen.runs, as_json=chosen.json)
