"""Faults in system calls: each kind at the first, second, third ... call of a scripted run."""

from __future__ import annotations

import json
import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence

from survive_client import (
    CLOSE,
    PATIENCE_S,
    Address,
    Ask,
    Client,
    Heard,
    ask_once,
    get,
    judge,
    request,
)
from survive_faults import RUNNING, STARTING, STOPPING, Fault, Page, faults_of
from survive_server import Server, wait_until

LARGE = bytes(range(256)) * 1200  # 300 KiB: more than a loop sends at one turn
SMALL = b"a small file\n" * 20
BODY = bytes(reversed(range(256))) * 80  # 20 KiB: more than is received at once
# So many complaints about one fault say enough.
MANY = 5
CHUNKS = "".join(f"{number}\n" for number in range(300)).encode()


def make_files(folder: Path) -> None:
    """The files that are asked for."""
    (folder / "large.bin").write_bytes(LARGE)
    (folder / "small.txt").write_bytes(SMALL)


@dataclass
class Visit:
    """What one client of the run does."""

    name: str
    asks: list[Ask]
    half_close: bool = False
    reset: bool = False


def _is_json(body: bytes) -> bool:
    try:
        return "stage" in json.loads(body)
    except ValueError:
        return False


def _echo(text: str, *fields: str) -> Ask:
    return Ask(request("POST", "/echo", text.encode(), *fields), text.encode())


def _chunked(text: bytes) -> bytes:
    head = request("POST", "/echo", b"", "Transfer-Encoding: chunked", CLOSE)
    pieces = [text[at : at + 100] for at in range(0, len(text), 100)]
    return head + b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\nX-End: 1\r\n\r\n"


def visits() -> list[Visit]:
    """The clients of one run. All ask for different things: no answer passes for another's."""
    return [
        Visit(
            "plain",
            [Ask(get("/plaintext"), b"hello world\n"), Ask(get("/health", CLOSE), b"ok\n")],
        ),
        Visit("pipelined", [*(_echo(f"piece {n}") for n in range(4)), _echo("the last", CLOSE)]),
        Visit("body", [Ask(request("POST", "/echo", BODY, CLOSE), BODY)]),
        Visit("chunked", [Ask(_chunked(SMALL), SMALL)]),
        Visit(
            "files",
            [Ask(get("/files/small.txt"), SMALL), Ask(get("/files/large.bin", CLOSE), LARGE)],
        ),
        Visit(
            "missing",
            [
                Ask(get("/files/none"), lambda body: b"404" in body, 404),
                Ask(request("HEAD", "/json", b"", CLOSE), head=True),
            ],
        ),
        Visit("deferred", [Ask(get("/slow?ms=1"), _is_json), Ask(get("/health", CLOSE), b"ok\n")]),
        Visit("handler", [Ask(get("/block?ms=0"), _is_json), _echo("after a handler", CLOSE)]),
        Visit("stream", [Ask(get("/chunks?n=300", CLOSE), CHUNKS)]),
        Visit("half-closed", [Ask(get("/json"), b'{"message":"hello world"}\n')], half_close=True),
        Visit("reset in a head", [Ask(b"GET /plaintext HT")], reset=True),
        Visit("reset in an answer", [Ask(get("/files/large.bin"))], reset=True),
    ]


def run_visits(address: Address, patience_s: float) -> Heard:
    """All clients connect, then all ask, then all listen: in the same order on any server."""
    heard = Heard()
    with ExitStack() as stack:
        try:
            clients = [(visit, stack.enter_context(Client(address))) for visit in visits()]
        except OSError as error:
            return Heard(wrong=[f"a client cannot connect: {error}"])
        for visit, client in clients:
            client.send(b"".join(ask.sent for ask in visit.asks))
            if visit.half_close:
                client.finish_sending()
            if visit.reset:
                client.reset()
        for visit, client in clients:
            if not visit.reset:
                received = client.read_to_end(patience_s)
                found = judge(visit.asks, received, client.ended)
                found.wrong = [f"client `{visit.name}`: {text}" for text in found.wrong]
                heard.add(found)
    return heard


@dataclass
class Swept:
    """What has come of one fault at every call."""

    fault: Fault
    calls: int = 0  # of the kind in one run
    struck: int = 0
    heard: Heard = field(default_factory=Heard)
    complaints: list[str] = field(default_factory=list)

    def checked(self) -> Swept:
        """Itself, and a complaint more if nothing has been tried that could be."""
        if self.calls and not self.struck:
            self.complaints.append(f"{self.fault.name} never happened")
        return self


class Sweep:
    """Tries faults on one stage."""

    def __init__(
        self,
        program: Path,
        library: Path,
        folder: Path,
        *,
        step: int = 1,
        tell: Callable[[str], None] = lambda _: None,
        time_scale: float = 1.0,
    ) -> None:
        self._program = program
        self._library = library
        self._step = step  # the k that are tried: all, or each so-many-th
        self._tell = tell
        self._patience_s = PATIENCE_S * time_scale
        self._options = ["--root", str(folder), "--idle-timeout", "30s", "--log", "access"]

    def _start(self, page: Page) -> Server:
        return Server(self._program, self._options, page.environment())

    def _ks(self, calls: int) -> Iterator[int]:
        """1, 2, 3, ..., two beyond what one run made, since no two runs are quite the same."""
        yield from range(1, calls + 3, self._step)

    def running(self, faults: Sequence[Fault] = tuple(faults_of(RUNNING))) -> list[Swept]:
        """Of a server that serves: one server for each fault, one run for each k."""
        return [self._sweep_running(fault).checked() for fault in faults]

    def _sweep_running(self, fault: Fault) -> Swept:
        swept = Swept(fault)
        with Page(self._library) as page, ExitStack() as stack:
            server: Optional[Server] = None
            descriptors = 0
            for k in self._ks(self._count_calls(page, fault, swept)):
                if server is None or not server.runs():
                    server = stack.enter_context(self._start(page)).must_serve()
                    run_visits(server.address, self._patience_s)  # now it has all its threads
                    wait_until(lambda: server.open_connections() == 0, self._patience_s)
                    descriptors = server.descriptors()
                self._tell(f"{fault.name} at call {k} of {swept.calls}")
                page.arm(fault.call, fault.number, k)
                heard = run_visits(server.address, self._patience_s)
                page.disarm()
                swept.struck += page.struck()
                swept.heard.add(heard)
                descriptors += page.struck() if self._keeps_refused(fault) else 0
                wrong = heard.wrong + server.complaints_if_harmed(descriptors, self._patience_s)
                swept.complaints += [f"{fault.name} at call {k}: {text}" for text in wrong]
                if len(swept.complaints) > MANY:
                    break  # each more would take as long as we are patient
                if wrong:
                    server.kill()
            if server is not None and server.runs():
                swept.complaints += [f"{fault.name}: {text}" for text in server.stop()]
        return swept

    def _keeps_refused(self, fault: Fault) -> bool:
        """Whether who is refused stays half-closed until others are, as some 64 do in 02 and 03."""
        return self._program.name[:2] in ("02", "03") and fault.call in ("thread", "memory")

    def _count_calls(self, page: Page, fault: Fault, swept: Swept) -> int:
        """How many such calls one run makes; that the run itself is in order is checked too."""
        with self._start(page).must_serve() as server:
            run_visits(server.address, self._patience_s)
            page.count(fault.call)
            heard = run_visits(server.address, self._patience_s)
            swept.calls = page.seen()
            page.disarm()
            if heard.stated or heard.unanswered:
                heard.wrong.append(f"without any fault: {heard}")
            swept.complaints += heard.wrong + server.stop()
        return swept.calls

    def starting(self, faults: Sequence[Fault] = tuple(faults_of(STARTING))) -> list[Swept]:
        """Of a server that starts: it says what is missing and ends with 1, or it serves."""
        return [self._sweep_starting(fault).checked() for fault in faults]

    def _sweep_starting(self, fault: Fault) -> Swept:
        swept = Swept(fault)
        with Page(self._library) as page:
            page.count(fault.call)
            with self._start(page).must_serve() as server:
                swept.calls = page.seen()
                server.stop()
            for k in self._ks(swept.calls):
                self._tell(f"starting, {fault.name} at call {k} of {swept.calls}")
                page.arm(fault.call, fault.number, k)
                with self._start(page) as server:
                    page.disarm()
                    swept.struck += page.struck()
                    wrong = self._check_start(server)
                swept.complaints += [f"starting, {fault.name} at {k}: {text}" for text in wrong]
        return swept

    def _check_start(self, server: Server) -> list[str]:
        if server.serves:
            wrong = [] if ask_once(server.address, "/plaintext")[0] == 200 else ["serves nobody"]
            return wrong + server.stop()
        server.process.wait(self._patience_s)
        said = server.errors()
        tells = said.startswith(f"{server.stage}: ") and said.count("\n") == 1
        if server.process.returncode != 1 or not tells:
            return [f"does not start, and ends with {server.end_text()}"]
        return []

    def stopping(self, faults: Sequence[Fault] = tuple(faults_of(STOPPING))) -> list[Swept]:
        """Of a server that has been told to stop: a new server for each k. What it still does then
        depends on how far it has come, so there need not be a call to strike."""
        return [self._sweep_stopping(fault) for fault in faults]

    def _sweep_stopping(self, fault: Fault) -> Swept:
        swept = Swept(fault)
        with Page(self._library) as page:
            swept.calls, wrong = self._stop_once(page, Fault(fault.call, "SHORT"), 0, Heard())
            swept.complaints += [f"stopping, without any fault: {text}" for text in wrong]
            for k in self._ks(swept.calls):
                self._tell(f"stopping, {fault.name} at call {k} of {swept.calls}")
                _, wrong = self._stop_once(page, fault, k, swept.heard)
                swept.struck += page.struck()
                swept.complaints += [f"stopping, {fault.name} at {k}: {text}" for text in wrong]
        return swept

    def _stop_once(self, page: Page, fault: Fault, k: int, heard: Heard) -> tuple[int, list[str]]:
        """One server with clients in all states, and its end: (calls made, complaints)."""
        page.disarm()
        found = Heard()
        with self._start(page).must_serve() as server, ExitStack() as stack:
            asks = {
                "promised": [Ask(get("/slow?ms=30", CLOSE), _is_json)],
                "streaming": [Ask(get("/files/large.bin", CLOSE), LARGE)],
                "asking": [Ask(get("/plaintext", CLOSE), b"hello world\n")],
                "half asked": [_echo("came in two pieces", CLOSE)],
            }
            clients = {name: stack.enter_context(Client(server.address)) for name in asks}
            for name, client in clients.items():
                sent = b"".join(ask.sent for ask in asks[name])
                client.send(sent[:-5] if name == "half asked" else sent)
            page.arm(fault.call, fault.number, k, 1 if k else 0)
            server.process.send_signal(signal.SIGTERM)
            clients["half asked"].send(b"ieces")
            for name, client in clients.items():
                one = judge(asks[name], client.read_to_end(self._patience_s), client.ended)
                one.wrong = [f"client `{name}`: {text}" for text in one.wrong]
                found.add(one)
            wrong = found.wrong + server.wait_for_end(self._patience_s)
            heard.add(found)
            return page.seen(), wrong


def timed(work: Callable[[], list[Swept]]) -> tuple[list[Swept], float]:
    """What comes of it, and how long it took."""
    began = time.monotonic()
    return work(), time.monotonic() - began
