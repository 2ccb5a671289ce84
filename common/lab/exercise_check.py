"""Judging one solution of an exercise: its tests, the reference beside it, and fairness."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Callable, Mapping, Optional, Sequence

import machine
from exercise_build import OnStep, Variant, build, solution_of
from exercise_files import Exercise, ExerciseTest
from exercise_run import Limits, Outcome, Status, run_test

# A test that has failed where threads run is tried so often again: chance must not decide.
REPEATS = 2


@dataclass(frozen=True)
class Result:
    """What became of all tests of one solution."""

    exercise: Exercise
    outcomes: Sequence[Outcome]
    compiler: str = ""  # what it said, if the solution does not compile

    @property
    def points(self) -> int:
        """What the passed tests are worth."""
        return sum(self.exercise.test(each.test).points for each in self.outcomes if each.passed)

    @property
    def judged_points(self) -> int:
        """What those tests are worth that could be judged."""
        judged = [each.test for each in self.outcomes if each.status.counts]
        return sum(self.exercise.test(test).points for test in judged)

    @property
    def passed(self) -> bool:
        """Whether nothing that could be judged has failed, and something could be judged."""
        judged = [each for each in self.outcomes if each.status.counts]
        return bool(judged) and all(each.passed for each in judged)


Judge = Callable[[Outcome], None]


def check(
    variant: Variant,
    sanitizer: str,
    *,
    tests: Optional[Sequence[ExerciseTest]] = None,
    limits: Optional[Limits] = None,
    seed: int = 0,
    on_outcome: Judge = lambda outcome: None,
    on_step: OnStep = lambda step: None,
) -> Result:
    """Builds a solution and runs its tests, in their order."""
    exercise = variant.exercise
    chosen = [
        test for test in (exercise.tests if tests is None else tests) if not test.kept_back
    ]
    failed = build([variant], sanitizer, on_step)
    said = failed.get(f"{exercise.name}/{variant.label}")
    if said is not None:
        outcomes = [Outcome(test.name, Status.NOT_BUILT) for test in chosen]
        return Result(exercise, outcomes, said)
    found = run_tests(variant, sanitizer, chosen, limits=limits, seed=seed, on_outcome=on_outcome)
    return Result(exercise, found)


def run_tests(
    variant: Variant,
    sanitizer: str,
    tests: Sequence[ExerciseTest],
    *,
    limits: Optional[Limits] = None,
    seed: int = 0,
    on_outcome: Judge = lambda outcome: None,
    at_once: Optional[int] = None,
) -> list[Outcome]:
    """Runs tests of a variant that is built."""
    used = limits or Limits(seconds=variant.exercise.seconds)
    environment = environment_of(variant, sanitizer, seed)

    def one(test: ExerciseTest) -> Outcome:
        return run_test(variant.program(sanitizer), test.name, used, environment)

    outcomes = []
    with ThreadPoolExecutor(at_once or max(1, round(machine.cpus()))) as pool:
        for outcome in pool.map(one, tests):
            on_outcome(outcome)
            outcomes.append(outcome)
    return outcomes


def environment_of(variant: Variant, sanitizer: str, seed: int) -> Mapping[str, str]:
    """What the tests find in their environment (exercises/support/exercise.h)."""
    return {
        "EXERCISE_FOLDER": str(variant.sources()),
        "EXERCISE_SEED": str(seed),
        "EXERCISE_SANITIZER": sanitizer,
    }


def fair(
    variant: Variant,
    sanitizer: str,
    result: Result,
    *,
    limits: Optional[Limits] = None,
    seed: int = 0,
    faults: Optional[Mapping[str, str]] = None,
) -> Result:
    """Looks again at what has failed: is it the grader's fault, or chance?

    The reference solution, where there is one, must pass the same tests in the same run; `faults`
    has what is known about that already. And what fails where threads run is tried twice more: if
    it passes then, nobody loses points.
    """
    failed = [each.test for each in result.outcomes if each.status.counts and not each.passed]
    if not failed or result.compiler:
        return result
    tests = [result.exercise.test(name) for name in failed]
    if faults is None:
        faults = reference_faults(result.exercise, sanitizer, tests, seed=seed)
    verdicts = {each.test: each for each in result.outcomes}
    for name in failed:
        if name in faults:
            verdicts[name] = Outcome(name, Status.NOT_JUDGED, faults[name])
    tests = [test for test in tests if test.name not in faults]
    if result.exercise.concurrent:
        for _ in range(REPEATS):
            for again in run_tests(variant, sanitizer, tests, limits=limits, seed=seed):
                if again.passed:
                    verdicts[again.test] = replace(
                        verdicts[again.test], status=Status.UNSTABLE, reason="once it passed"
                    )
            tests = [test for test in tests if verdicts[test.name].status is not Status.UNSTABLE]
    return replace(result, outcomes=[verdicts[each.test] for each in result.outcomes])


def reference_faults(
    exercise: Exercise,
    sanitizer: str,
    tests: Sequence[ExerciseTest],
    *,
    limits: Optional[Limits] = None,
    seed: int = 0,
) -> dict[str, str]:
    """The tests that our own solution does not pass, with the reason; none if there is none."""
    if not exercise.solution.is_dir():
        return {}
    reference = solution_of(exercise)
    if build([reference], sanitizer):
        reason = "the grader is at fault: its reference solution cannot be built"
        return {test.name: reason for test in tests}
    return {
        each.test: f"the grader is at fault: its reference solution {each.status.value} too"
        for each in run_tests(reference, sanitizer, tests, limits=limits, seed=seed)
        if not each.passed
    }
