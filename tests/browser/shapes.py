"""The shape that the bars must have, stage by stage, and the contrast of two colours.

A run is a list of probes as the page keeps them: times in milliseconds since the six requests were
made; `acceptedMs`, `enteredMs` and `leftMs` come from the server's clock.
"""

# The numbers of one run come from one clock, in microseconds; this is for the conversion only.
ROUNDING_MS = 0.01
# A pause of the machine, on a loaded one, is shorter than this part of the idle timer.
IDLE_SHARE = 0.9


def served(probes):
    """The answered probes in the order in which they were served."""
    return sorted((p for p in probes if "leftMs" in p), key=lambda p: p["enteredMs"])


def unanswered(probes):
    """Complaints about clients without an answer."""
    missing = [p["probe"] for p in probes if "endedMs" not in p]
    found = [f"no answer for clients {missing}"] if missing else []
    if len(probes) != 6:
        found.append(f"{len(probes)} clients instead of 6")
    if len({p.get("connection") for p in probes}) != len(probes):
        found.append("two clients shared a connection")
    return found


def most_at_once(probes, until_ms=float("inf")):
    """How many clients were being served at the same time, at most."""
    order = [p for p in served(probes) if p["enteredMs"] < until_ms]
    return max((sum(p["enteredMs"] <= one["enteredMs"] < p["leftMs"] - ROUNDING_MS for p in order)
                for one in order), default=0)


def threads(probes):
    """How many threads have served them."""
    return len({p["thread"] for p in served(probes)})


def expect(what, found, wanted):
    """A complaint if a number is not the one that it must be."""
    return [] if found == wanted else [f"{what}: {found} instead of {wanted}"]


def overlaps(probes):
    """Complaints about clients that were served at the same time."""
    order = served(probes)
    return [f"clients {a['probe']} and {b['probe']} were served at once"
            for a, b in zip(order, order[1:]) if b["enteredMs"] < a["leftMs"] - ROUNDING_MS]


def gaps_ms(probes):
    """How long nobody was served before each client's turn, while that client waited."""
    order = served(probes)
    before = [0] + [p["leftMs"] for p in order]
    return [p["enteredMs"] - end for end, p in zip(before, order)]


def staircase(probes, idle_ms):
    """One after the other, and at once."""
    found = unanswered(probes) + overlaps(probes)
    long = [round(gap) for gap in gaps_ms(probes) if gap >= IDLE_SHARE * idle_ms]
    if long:
        found.append(f"gaps as long as the idle timer, in ms: {long}")
    return found


def staircase_after_idle_timer(probes, idle_ms):
    """One after the other, once the silent client has been given up."""
    found = unanswered(probes) + overlaps(probes)
    first, *others = gaps_ms(probes) or [0]
    if not IDLE_SHARE * idle_ms <= first <= 2 * idle_ms:
        found.append(f"the first was served after {first:.0f} ms")
    long = [round(gap) for gap in others if gap >= IDLE_SHARE * idle_ms]
    return found + ([f"later gaps, in ms: {long}"] if long else [])


def staircase_with_idle_timer(probes, idle_ms):
    """One after the other, with the idle timer of each connection between it and the next."""
    found = unanswered(probes) + overlaps(probes)
    first, *others = gaps_ms(probes) or [0]
    if first >= IDLE_SHARE * idle_ms:
        found.append(f"the first was served after {first:.0f} ms")
    odd = [round(gap) for gap in others if not IDLE_SHARE * idle_ms <= gap <= 2 * idle_ms]
    return found + ([f"gaps that are not the idle timer's, in ms: {odd}"] if odd else [])


def all_at_once(probes, thread_count):
    """All at the same time, from the beginning, by so many threads."""
    return (unanswered(probes) + expect("served at once", most_at_once(probes), 6)
            + expect("threads", threads(probes), thread_count))


def all_at_once_by_six_threads(probes, _idle_ms):
    """Each by a thread of its own."""
    return all_at_once(probes, 6)


def all_at_once_by_one_thread(probes, _idle_ms):
    """No handler holds the thread, so that it is in all of them at once."""
    return all_at_once(probes, 1)


def all_at_once_by_two_threads(probes, _idle_ms):
    """The same, with the clients spread over two loops."""
    return all_at_once(probes, 2)


def rows_of_three(probes, idle_ms):
    """As many at once as there are workers, from the beginning, and the others right after them."""
    found = unanswered(probes) + expect("threads", threads(probes), WORKERS)
    found += expect("served at once", most_at_once(probes), WORKERS)
    found += expect("in the first row", most_at_once(probes, IDLE_SHARE * idle_ms), WORKERS)
    long = [round(gap) for gap in gaps_ms(probes) if gap >= IDLE_SHARE * idle_ms]
    return found + ([f"gaps as long as the idle timer, in ms: {long}"] if long else [])


def rows_with_one_worker_less(probes, idle_ms):
    """Rows, but one worker stays with the silent client until it is given up."""
    meanwhile = most_at_once(probes, IDLE_SHARE * idle_ms)
    return unanswered(probes) + expect("before the idle timer, at once", meanwhile, WORKERS - 1)


# With these options a stage shows what it is to show: fewer workers than clients, and two loops.
WORKERS = 3
_POOL = ["--workers", str(WORKERS)]
OPTIONS = {
    "03-thread-pool": _POOL,
    "06-epoll-workers": _POOL,
    "07-epoll-multi-loop": [*_POOL, "--concurrency", "2"],
}

# What each stage must show for each question: handlers that block, handlers that wait, one client
# that says nothing, connections that are kept open.
EXPECTED = {
    "01-blocking": {
        "block": staircase,
        "slow": staircase,
        "silent": staircase_after_idle_timer,
        "keep-alive": staircase_with_idle_timer,
    },
    "02-thread-per-connection": {
        "block": all_at_once_by_six_threads,
        "slow": all_at_once_by_six_threads,
        "silent": all_at_once_by_six_threads,
        "keep-alive": all_at_once_by_six_threads,
    },
    "03-thread-pool": {
        "block": rows_of_three,
        "slow": rows_of_three,
        "silent": rows_with_one_worker_less,
        "keep-alive": rows_of_three,
    },
    "04-poll-loop": {
        "block": staircase,
        "slow": all_at_once_by_one_thread,
        "silent": staircase,
        "keep-alive": staircase,
    },
    "05-epoll-loop": {
        "block": staircase,
        "slow": all_at_once_by_one_thread,
        "silent": staircase,
        "keep-alive": staircase,
    },
    "06-epoll-workers": {
        "block": rows_of_three,
        "slow": all_at_once_by_one_thread,
        "silent": rows_of_three,
        "keep-alive": rows_of_three,
    },
    "07-epoll-multi-loop": {
        "block": rows_of_three,
        "slow": all_at_once_by_two_threads,
        "silent": rows_of_three,
        "keep-alive": rows_of_three,
    },
}


def describe(stage, question):
    """The expected shape in words."""
    return EXPECTED[stage][question].__name__.replace("_", " ")


def problems(stage, question, probes, idle_ms):
    """What is wrong with the shape of a run; empty if nothing is."""
    return EXPECTED[stage][question](probes, idle_ms)


def luminance(colour):
    """The relative luminance of a colour "#rrggbb" (WCAG 2.1)."""
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
                        for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.1)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
