"""What a picture shows, in sentences: for whoever cannot see it, and for whoever can."""

from __future__ import annotations

from typing import Sequence

from timeline_model import Thread, Timeline, Visitor, occupied

# Shorter than that nobody has waited for anybody: the system lets threads wait so long by itself.
WORTH_TELLING_US = 10_000

# A client's pieces, by their kind.
OF_CLIENTS = {"door": "at the door", "waiting": "waits in the server", "handler": "is served",
              "promised": "is promised an answer", "sending": "gets its answer",
              "silent": "is silent"}


def seconds(us: int) -> str:
    """`0.30 s`; below a tenth in milliseconds."""
    return f"{us / 1e6:.2f} s" if us >= 99_500 else f"{us / 1000:.0f} ms" if us >= 950 else "<1 ms"


def listed(names: Sequence[str]) -> str:
    """`B, C and D` as `B to D`: letters that follow each other are a range."""
    groups: list[list[str]] = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        if groups and len(name) == 1 and ord(name) == ord(groups[-1][-1][-1:]) + 1:
            groups[-1].append(name)
        else:
            groups.append([name])
    parts = []
    for group in groups:
        parts += [f"{group[0]} to {group[-1]}"] if len(group) > 2 else group
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def waits(timeline: Timeline) -> dict[str, list[str]]:
    """Who kept whom waiting: for each client those who would have been served without it.

    Somebody who waits does so for whoever has the thread that it gets in the end.
    """
    found: dict[str, list[str]] = {}
    for visitor in timeline.visitors:
        for request in visitor.requests:
            end = request.entered_us or timeline.end_us
            for number in {request.reader, request.thread} - {0}:
                thread = timeline.thread(number)
                for other, length in occupied(thread, request.asked_us, end, visitor.name):
                    if length >= WORTH_TELLING_US and visitor.name not in found.get(other, []):
                        found.setdefault(other, []).append(visitor.name)
    return dict(sorted(found.items()))


def who_waited(timeline: Timeline) -> str:
    """The sentence below the picture."""
    kept = waits(timeline)
    if not kept:
        return "Nobody waited for anybody else."
    return " ".join(f"{name} kept {listed(others)} waiting." for name, others in kept.items())


def who_ran(timeline: Timeline) -> str:
    """How many threads there were, and for what."""
    loops = _named(timeline.threads, "loop")
    workers = [thread for thread in timeline.threads
               if thread.colour and not thread.name.startswith("loop")]
    accepting = _named(timeline.threads, "accepts")
    if loops:
        words = _count(len(loops), "loop")
        if workers:
            words += f" for the sockets, {_count(len(workers), 'worker')} for the handlers"
        else:
            words += " did everything"
    elif accepting:
        words = f"one thread accepted, {_count(len(workers), 'thread')} served"
    else:
        words = "one thread did everything"
    return words[0].upper() + words[1:] + "."


def _named(threads: Sequence[Thread], word: str) -> list[Thread]:
    return [thread for thread in threads if thread.name.split(" ")[0] == word]


def _count(number: int, word: str) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return f"{words[number] if number < len(words) else number} {word}{'' if number == 1 else 's'}"


def held(timeline: Timeline) -> str:
    """Which threads waited for one client and nobody else, where it lasted."""
    told = []
    reasons = {"input": "{} waited {} for {} to speak", "room": "{} waited {} for {} to read",
               "answer": "{} waited {} for what {} was promised"}
    for thread in timeline.threads:
        lengths: dict[tuple[str, str], int] = {}
        for span in thread.spans:
            if span.kind == "held" and span.client:
                key = (span.client, span.note)
                lengths[key] = lengths.get(key, 0) + span.length_us
        told += [reasons[note].format(thread.name, seconds(length), client)
                 for (client, note), length in lengths.items() if length >= WORTH_TELLING_US]
    if not told:
        return "No thread waited for one client only."
    words = "; ".join(told)
    return words[0].upper() + words[1:] + "."


def caption(timeline: Timeline) -> str:
    """All of it, in short."""
    return f"{who_ran(timeline)} {who_waited(timeline)}"


def answered_after(visitor: Visitor) -> str:
    """`0.30 s`, what stands behind a bar; nothing for who has not asked."""
    request = visitor.requests[-1] if visitor.requests else None
    return seconds(request.done_us - request.asked_us) if request and request.done_us else ""


def thread_of(timeline: Timeline, visitor: Visitor) -> str:
    """The name of the thread that ran the client's handler; empty if none has."""
    number = visitor.requests[-1].thread if visitor.requests else 0
    return timeline.thread(number).name if number else ""
