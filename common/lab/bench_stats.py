"""The few statistics of the benchmark: medians, spreads, and whether two sets of runs differ."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from dataclasses import dataclass
from typing import Optional, Sequence

RESAMPLES = 2000
# With fewer runs on each side the rank test cannot say anything at 5 %, whatever they are.
RUNS_TO_TELL = 4
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Summary:
    """The middle and the range of some runs."""

    median: float
    least: float
    most: float
    count: int


def summary(values: Sequence[float]) -> Optional[Summary]:
    """None of no runs."""
    if not values:
        return None
    return Summary(statistics.median(values), min(values), max(values), len(values))


def noise(first: Sequence[float], second: Sequence[float]) -> Optional[float]:
    """What an A/A run says: by which share the medians of the same program twice differ."""
    if not first or not second:
        return None
    a, b = statistics.median(first), statistics.median(second)
    return abs(b / a - 1) if a else None


def rank_test(first: Sequence[float], second: Sequence[float]) -> float:
    """The chance that two sets of the same kind would be as far apart in rank as these (two-sided).

    Mann and Whitney's test. Counted out for up to 8 runs each, where the normal approximation, used
    for more, is poor.
    """
    values = [*first, *second]
    count, size = len(values), len(first)
    expected = size * len(second) / 2
    observed = abs(_above(first, second) - expected)
    if math.comb(count, size) <= 13000:
        as_far = total = 0
        for chosen in itertools.combinations(range(count), size):
            picked = set(chosen)
            one = [values[i] for i in chosen]
            other = [values[i] for i in range(count) if i not in picked]
            total += 1
            as_far += abs(_above(one, other) - expected) >= observed - 1e-9
        return as_far / total
    deviation = math.sqrt(size * len(second) * (count + 1) / 12)
    return math.erfc(max(0.0, observed - 0.5) / deviation / math.sqrt(2))


def _above(first: Sequence[float], second: Sequence[float]) -> float:
    """Of all pairs, in how many `first` has the greater value; equal ones count half."""
    return sum((a > b) + 0.5 * (a == b) for a in first for b in second)


def ratio_interval(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Where the ratio of the medians, second to first, lies in 95 of 100 resamplings (bootstrap).

    The resampling is seeded: the same runs give the same interval.
    """
    chance = random.Random(1)
    ratios = sorted(
        statistics.median(chance.choices(second, k=len(second)))
        / statistics.median(chance.choices(first, k=len(first)))
        for _ in range(RESAMPLES)
    )
    return ratios[round(RESAMPLES * 0.025)], ratios[round(RESAMPLES * 0.975) - 1]


@dataclass(frozen=True)
class Verdict:
    """What can be said of two sets of runs: `changed`, `same` (within `within`) or `unknown`."""

    kind: str
    ratio: float  # second to first
    low: float
    high: float
    noise: float
    reason: str


def judge(first: Sequence[float], second: Sequence[float], noise_share: float) -> Verdict:
    """Compares two sets of positive figures.

    Changed: ranks that chance gives in less than 5 of 100 cases, *and* medians further apart than
    the same program twice was in either run. The same: the whole interval within twice that noise
    (but 5 % at least, and 20 % at most). Everything else is unknown, and saying so is the point.
    """
    if len(first) < RUNS_TO_TELL or len(second) < RUNS_TO_TELL:
        ratio = (statistics.median(second) / statistics.median(first)) if first and second else 1.0
        reason = f"{min(len(first), len(second))} runs; {RUNS_TO_TELL} of each are needed"
        return Verdict("unknown", ratio, ratio, ratio, noise_share, reason)
    ratio = statistics.median(second) / statistics.median(first)
    low, high = ratio_interval(first, second)
    chance = rank_test(first, second)
    beyond = abs(ratio - 1) > noise_share
    if chance < SIGNIFICANT and beyond:
        return Verdict("changed", ratio, low, high, noise_share, f"p = {chance:.3f}")
    tolerance = min(0.2, max(0.05, 2 * noise_share))
    if low > 1 - tolerance and high < 1 + tolerance:
        return Verdict("same", ratio, low, high, noise_share, f"within {tolerance:.0%}")
    reason = "not beyond the noise" if not beyond else f"p = {chance:.2f}: the runs overlap"
    return Verdict("unknown", ratio, low, high, noise_share, reason)
