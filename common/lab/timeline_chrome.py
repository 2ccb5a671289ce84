"""A timeline as Chrome's trace JSON, for https://ui.perfetto.dev and chrome://tracing.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
Complete events ("X") have a begin and a length, in microseconds; flow events ("s", "f") are the
arrows from a client's row to a thread's and back; metadata ("M") gives the rows their names.
"""

from __future__ import annotations

from typing import Any, Iterator

from timeline_model import Request, Span, Timeline, Visitor
from timeline_words import OF_CLIENTS

SERVER = 1  # the pid of the threads' rows
CLIENTS = 2  # that of the clients'

_OF_THREADS = {"handler": "handler for {}", "held": "waits for {}'s {}",
               "ready": "waits for anybody", "work": "loop"}


def convert(timeline: Timeline) -> dict[str, Any]:
    """All of it; json.dumps() makes the file."""
    return {"displayTimeUnit": "ms", "otherData": {"stage": timeline.stage},
            "traceEvents": [*_rows(timeline), *_threads(timeline), *_clients(timeline)]}


def _rows(timeline: Timeline) -> Iterator[dict[str, Any]]:
    yield _name("process_name", SERVER, 0, {"name": timeline.stage})
    yield _name("process_name", CLIENTS, 0, {"name": "clients"})
    yield _name("process_sort_index", SERVER, 0, {"sort_index": 1})
    yield _name("process_sort_index", CLIENTS, 0, {"sort_index": 2})
    for place, thread in enumerate(timeline.threads):
        yield _name("thread_name", SERVER, thread.number, {"name": thread.name})
        yield _name("thread_sort_index", SERVER, thread.number, {"sort_index": place})
    for place, visitor in enumerate(timeline.visitors, 1):
        yield _name("thread_name", CLIENTS, place, {"name": f"{visitor.name}: {visitor.words}"})
        yield _name("thread_sort_index", CLIENTS, place, {"sort_index": place})


def _name(kind: str, pid: int, tid: int, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "ts": 0, "args": arguments}


def _complete(timeline: Timeline, span: Span, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "X", "name": name, "cat": span.kind, "pid": pid, "tid": tid,
            "ts": span.begin_us - timeline.begin_us, "dur": span.length_us,
            "args": {"client": span.client, "note": span.note}}


def _threads(timeline: Timeline) -> Iterator[dict[str, Any]]:
    for thread in timeline.threads:
        for span in thread.spans:
            name = _OF_THREADS[span.kind].format(span.client or "a client", span.note)
            yield _complete(timeline, span, SERVER, thread.number, name)


def _clients(timeline: Timeline) -> Iterator[dict[str, Any]]:
    flow = 0
    for place, visitor in enumerate(timeline.visitors, 1):
        for span in visitor.spans:
            yield _complete(timeline, span, CLIENTS, place, OF_CLIENTS[span.kind])
        if visitor.accepted_us:
            yield {"ph": "i", "s": "t", "name": "accepted", "cat": "accept", "pid": CLIENTS,
                   "tid": place, "ts": max(visitor.accepted_us, visitor.begin_us)
                   - timeline.begin_us}
        for request in visitor.requests:
            yield from _flows(timeline, visitor, request, place, flow)
            flow += 2


def _flows(timeline: Timeline, visitor: Visitor, request: Request, place: int,
           flow: int) -> Iterator[dict[str, Any]]:
    """An arrow starts and ends in the piece of a row that stands there at that moment."""
    begin = timeline.begin_us
    if not request.entered_us:
        return
    # At the end of the wait rather than when it was asked: an arrow that slants over a second of
    # other clients' pieces points at nothing.
    last_wait = max(request.asked_us, request.entered_us - 1) - begin
    yield _flow("s", flow, CLIENTS, place, last_wait, f"request of {visitor.name}")
    yield _flow("f", flow, SERVER, request.thread, request.entered_us - begin,
                f"request of {visitor.name}")
    if request.left_us and request.done_us:
        yield _flow("s", flow + 1, SERVER, request.thread,
                    max(request.entered_us, request.left_us - 1) - begin,
                    f"answer to {visitor.name}")
        yield _flow("f", flow + 1, CLIENTS, place,
                    max(request.left_us, request.done_us - 1) - begin,
                    f"answer to {visitor.name}")


def _flow(phase: str, flow: int, pid: int, tid: int, ts: int, name: str) -> dict[str, Any]:
    event = {"ph": phase, "id": flow, "name": name, "cat": "flow", "pid": pid, "tid": tid, "ts": ts}
    if phase == "f":
        event["bp"] = "e"  # binds to the piece that is there, not to the next one
    return event
