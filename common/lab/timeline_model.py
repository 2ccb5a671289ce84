"""From the events of a trace to what can be drawn: who did what, from when to when.

docs/tracing.md describes the events. Times are microseconds since the Unix epoch.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Iterator, Optional, Sequence

from console import LabError
from timeline_workload import Client

Event = dict[str, Any]


@dataclass(frozen=True)
class Span:
    """Something that went on for a while. Of a thread:

    handler  it ran a handler for this client
    held     it waited for this client and for nobody else; `note` says for what
    ready    it waited for whoever comes first
    work     it did what a loop does between two waits

    Of a client:

    door     connected, and the server has not accepted it yet
    waiting  it has asked, and no handler has begun
    handler  a handler has its request, on this thread
    promised the handler has returned, and the answer is not there yet
    sending  the answer is there, and has not come to its end
    silent   it has not asked
    """

    kind: str
    begin_us: int
    end_us: int
    client: str = ""
    thread: int = 0
    note: str = ""

    @property
    def length_us(self) -> int:
        """How long it went on."""
        return self.end_us - self.begin_us


@dataclass
class Request:
    """One request, as far as it came; 0 where it did not come to."""

    asked_us: int
    entered_us: int = 0
    left_us: int = 0
    ready_us: int = 0  # the answer is there
    done_us: int = 0
    reader: int = 0  # the thread that read it
    thread: int = 0  # the thread that ran its handler
    teller: int = 0  # the thread that had its answer sent
    route: str = ""


@dataclass
class Visitor:
    """A client, or a connection of which nothing else is known."""

    name: str
    words: str
    short: str
    begin_us: int
    end_us: int = 0
    accepted_us: int = 0
    acceptor: int = 0  # the thread that accepted it
    connection: int = 0  # its number in the trace
    requests: list[Request] = field(default_factory=list)
    read_us: list[int] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)


@dataclass
class Thread:
    """A thread of the server."""

    number: int
    name: str
    begin_us: int
    end_us: int
    spans: list[Span] = field(default_factory=list)
    colour: int = 0  # 1 to 8 for those that have to do with clients, else 0


@dataclass
class Timeline:
    """All that one picture shows."""

    stage: str
    begin_us: int
    end_us: int
    threads: list[Thread]
    visitors: list[Visitor]

    def thread(self, number: int) -> Thread:
        """The thread that the trace calls so."""
        return next(thread for thread in self.threads if thread.number == number)


def read_trace(file: Path) -> list[Event]:
    """The events of a trace. A last line that is being written is left out."""
    events = []
    for number, line in enumerate(file.read_text().splitlines(keepends=True), 1):
        if not line.endswith("\n"):
            break
        try:
            event = json.loads(line)
            event["time_us"], event["thread"], event["event"]  # which every line has
        except (ValueError, KeyError, TypeError) as error:
            raise LabError(f"{file}, line {number}: this is no line of a trace") from error
        events.append(event)
    return events


def build(stage: str, events: Sequence[Event], clients: Sequence[Client] = ()) -> Timeline:
    """What happened, seen by the threads and by the clients.

    Without clients the connections of the trace take their place.
    """
    if not events:
        raise LabError("the trace is empty: nothing has happened yet")
    visitors, names = _visitors(events, clients)
    end_us = _end(events, visitors, bool(clients))
    begin_us = min([visitor.begin_us for visitor in visitors] or [events[0]["time_us"]])
    for visitor in visitors:
        visitor.spans = list(_visitor_spans(visitor, end_us))
    threads = _threads(events, names, begin_us, end_us)
    return Timeline(stage, begin_us, end_us, threads, visitors)


def _end(events: Sequence[Event], visitors: Sequence[Visitor], has_clients: bool) -> int:
    """When the last answer was there; what comes after that is only the end of the server."""
    done = [request.done_us for visitor in visitors for request in visitor.requests]
    return max(done) if has_clients and any(done) else events[-1]["time_us"]


# --- The clients ---


def _visitors(events: Sequence[Event],
              clients: Sequence[Client]) -> tuple[list[Visitor], dict[int, str]]:
    """The visitors, and their names by the numbers of their connections."""
    by_port = {client.port: client for client in clients}
    found: dict[int, Visitor] = {}
    for event in events:
        if "id" not in event:
            continue
        if event["event"] == "accept":
            port = int(event["remote_address"].rpartition(":")[2])
            if clients and port not in by_port:
                continue
            found[event["id"]] = _visitor(event, by_port.get(port))
        elif event["id"] in found:
            _tell(found[event["id"]], event)
    for client in clients:
        for visitor in found.values():
            if visitor.name == client.name:
                _see_as_client(visitor, client)
    names = {number: visitor.name for number, visitor in found.items()}
    return sorted(found.values(), key=lambda visitor: (len(visitor.name), visitor.name)), names


def _visitor(accept: Event, client: Optional[Client]) -> Visitor:
    if client is None:
        name = str(accept["id"])
        visitor = Visitor(name, f"connection {name}", f"connection {name}", accept["time_us"])
    else:
        visitor = Visitor(client.name, client.words, client.short, client.connected_us)
    visitor.accepted_us = accept["time_us"]
    visitor.acceptor = accept["thread"]
    visitor.connection = accept["id"]
    return visitor


def _tell(visitor: Visitor, event: Event) -> None:
    """Puts an event where it belongs. Answers come in the order of the requests."""
    kind, now, thread = event["event"], event["time_us"], event["thread"]
    open_requests = [request for request in visitor.requests if not request.done_us]
    visitor.end_us = now
    if kind in ("read_request", "pipeline_request"):
        visitor.requests.append(Request(now, reader=thread))
    elif kind == "handler_enter":
        for request in open_requests:
            if not request.entered_us:
                request.entered_us, request.thread = now, thread
                request.route = event["route"]
                return
    elif kind == "handler_leave":
        for request in open_requests:
            if request.entered_us and not request.left_us:
                request.left_us = now
                return
    elif kind == "response_ready":
        for request in open_requests:
            if not request.ready_us:
                request.ready_us, request.teller = now, thread
                return
    elif kind == "write_response":
        for request in open_requests:
            if request.ready_us:
                request.done_us = now


def _see_as_client(visitor: Visitor, client: Client) -> None:
    """A client knows better when it asked, and when the answer was there."""
    visitor.end_us = client.closed_us
    visitor.read_us = client.read_us
    if visitor.requests:
        visitor.requests[0].asked_us = client.asked_us
        visitor.requests[-1].done_us = client.done_us


def _visitor_spans(visitor: Visitor, end_us: int) -> Iterator[Span]:
    """One after the other, without a gap, for as long as the client is there."""
    begin, requests = visitor.begin_us, visitor.requests
    if visitor.accepted_us > begin:
        yield Span("door", begin, min(visitor.accepted_us, end_us))
    begin = max(begin, visitor.accepted_us)
    for request in requests:
        if request.asked_us > begin:
            yield Span("silent", begin, request.asked_us)
        steps = (("waiting", request.entered_us), ("handler", request.left_us),
                 ("promised", request.ready_us), ("sending", request.done_us))
        begin = max(begin, request.asked_us)
        for kind, until in steps:
            if not until:
                yield Span(kind, begin, end_us, thread=request.thread)
                return
            if until > begin:
                yield Span(kind, begin, until, thread=request.thread)
            begin = max(begin, until)
    end = min(visitor.end_us, end_us)
    if not requests and end > begin:
        yield Span("silent", begin, end)


# --- The threads ---


def _threads(events: Sequence[Event], names: dict[int, str], begin_us: int,
             end_us: int) -> list[Thread]:
    by_thread: dict[int, list[Event]] = {}
    for event in events:
        by_thread.setdefault(event["thread"], []).append(event)
    threads = []
    for number, own in sorted(by_thread.items()):
        thread = Thread(number, "", max(begin_us, own[0]["time_us"]),
                        min(end_us, own[-1]["time_us"]))
        thread.spans = [span for span in map(lambda s: _cut(s, begin_us, end_us),
                                             _thread_spans(own, names)) if span.length_us > 0]
        threads.append(thread)
    _name(threads, by_thread)
    busy = [thread for thread in threads
            if any(span.kind in ("handler", "held") for span in thread.spans)]
    for place, thread in enumerate(busy):
        thread.colour = place % 8 + 1
    return threads


def _cut(span: Span, begin_us: int, end_us: int) -> Span:
    return Span(span.kind, max(span.begin_us, begin_us), min(span.end_us, end_us), span.client,
                span.thread, span.note)


def _thread_spans(own: Sequence[Event], names: dict[int, str]) -> Iterator[Span]:
    """What the events of one thread say. Between them it may do nothing, if it is a worker."""
    work_since = 0
    for event, following in zip(own, [*own[1:], None]):
        kind, now, number = event["event"], event["time_us"], event["thread"]
        name = names.get(event.get("id", 0), "")
        end = following["time_us"] if following else now
        if kind == "wake_up":
            work_since = now
        if kind in ("wait", "handler_enter") and work_since:
            yield Span("work", work_since, now, thread=number)
            work_since = 0
        if kind == "wait":
            is_for_all = event["for"] == "anybody"
            yield Span("ready" if is_for_all else "held", now, end, name, number, event["for"])
        elif kind == "handler_enter":
            yield Span("handler", now, end, name, number, event["route"])
        elif kind == "handler_leave" and any(e["event"] == "wake_up" for e in own):
            work_since = now


def _name(threads: Sequence[Thread], by_thread: dict[int, list[Event]]) -> None:
    """By what they do. A thread that only accepts is none of the workers."""
    kinds = {number: {event["event"] for event in own} for number, own in by_thread.items()}
    loops = sum("wake_up" in kind for kind in kinds.values())
    is_pool = loops or any(_serves_several(own) for own in by_thread.values())
    word = "worker" if is_pool else "thread"
    workers = 0
    for thread in threads:
        own = by_thread[thread.number]
        loop = next((event["loop"] for event in own if event["event"] == "wake_up"), None)
        accepts_only = "accept" in kinds[thread.number] and "read_bytes" not in kinds[thread.number]
        if loop is not None:
            thread.name = "loop" if loops == 1 else f"loop {loop}"
        elif len(threads) == 1:
            thread.name = "the thread"
        elif accepts_only and not loops:
            thread.name = "accepts"
        else:
            workers += 1
            thread.name = f"{word} {workers}"


def _serves_several(own: Sequence[Event]) -> bool:
    """Whether a thread that accepts nobody has had to do with more than one client."""
    return (all(event["event"] != "accept" for event in own)
            and len({event["id"] for event in own if "id" in event}) > 1)


def occupied(thread: Thread, begin_us: int, end_us: int,
             others_than: str) -> Iterable[tuple[str, int]]:
    """Which other clients a thread had to do with in this time, and for how long each."""
    lengths: dict[str, int] = {}
    for span in thread.spans:
        if span.kind in ("handler", "held") and span.client not in ("", others_than):
            overlap = min(span.end_us, end_us) - max(span.begin_us, begin_us)
            if overlap > 0:
                lengths[span.client] = lengths.get(span.client, 0) + overlap
    return lengths.items()
