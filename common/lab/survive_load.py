"""Experiments of `lab survive`: much of everything, and too little of something."""

from __future__ import annotations

import ctypes
import re
import resource
import signal
import threading
import time
from contextlib import ExitStack
from email.utils import parsedate_to_datetime

from survive_case import Case, Found, NotJudged
from survive_client import CLOSE, PATIENCE_S, Ask, Client, ask_once, get, judge, request
from survive_faults import Page
from survive_server import Server, wait_until
from survive_sweep import SMALL, run_visits

# What memory may grow by between the first tenth and the end of a long run: the allocator's own
# ups and downs, and not a hundredth of what one byte for each of its requests would be.
MOST_GROWTH_KIB = 512


def _watch_growth(found: Found, server: Server, begun: tuple[int, int]) -> None:
    memory, descriptors = server.memory_kib(), server.descriptors()
    grown = memory - begun[0]
    found.check(grown <= MOST_GROWTH_KIB, f"its memory grew by {grown} KiB")
    found.check(descriptors <= begun[1], f"{begun[1]} descriptors became {descriptors}")
    found.figures += f"; memory {begun[0]} -> {memory} KiB"


def connections(case: Case) -> Found:
    """Clients one after another, each with one request. All are answered; from the first tenth on
    neither memory nor descriptors grow."""
    count = case.scaled(100_000, 2_000)
    found = Found(f"{count} connections")
    with case.serve() as server:
        begun = (0, 0)
        for number in range(count):
            if number == count // 10:
                begun = (server.memory_kib(), server.descriptors() + 1)
            client = Client(server.address)
            client.send(get("/plaintext", CLOSE))
            right = client.read_to_end().endswith(b"\r\n\r\nhello world\n")
            client.reset()  # leaves no TIME_WAIT behind, of which the system has so many
            if not right:
                found.complaints.append(f"connection {number} got {client.received!r}")
                break
            if number % 1000 == 0:
                case.tell(f"connection {number} of {count}")
        if not case.sanitized:
            _watch_growth(found, server, begun)
        found.complaints += server.stop()
    return found


def requests(case: Case) -> Found:
    """Requests on kept connections, 100 at once. Each answer comes once and in order; from the
    first tenth on neither memory nor descriptors grow."""
    count, batch, per_connection = case.scaled(1_000_000, 20_000), 100, 10_000
    found = Found(f"{count} requests")
    asked = (get("/plaintext") + get("/health")) * (batch // 2)
    bodies = [b"hello world", b"ok"] * (batch // 2)
    answer = re.compile(rb"\r\n\r\n(hello world|ok)\n")
    with case.serve() as server:
        begun = (0, 0)
        for done in range(0, count, per_connection):
            case.tell(f"request {done} of {count}")
            if done >= count // 10 and begun == (0, 0):
                begun = (server.memory_kib(), server.descriptors() + 1)
            with Client(server.address) as client:
                for _ in range(per_connection // batch):
                    client.send(asked)
                    while len(answer.findall(client.received)) < batch and not client.ended:
                        if not client.receive(time.monotonic() + PATIENCE_S):
                            break
                    if answer.findall(client.received) != bodies:
                        found.complaints.append(f"after {done} requests: {client.received[-99:]!r}")
                        break
                    client.received = b""
            if found.complaints:
                break
        if not case.sanitized:
            _watch_growth(found, server, begun)
        found.complaints += server.stop()
    return found


def descriptors(case: Case) -> Found:
    """More clients than there are descriptors, each of whom asks for a file and stays. Whoever is
    answered gets the file or 503; the server does not spin; when they have gone it serves again."""
    found = Found()
    with case.serve("--idle-timeout", "5s", launcher=["prlimit", "--nofile=48:48"]) as server:
        before = server.descriptors()
        with ExitStack() as stack:
            clients = [stack.enter_context(Client(server.address)) for _ in range(100)]
            for client in clients:
                client.send(get("/files/small.txt"))
            used = server.processor_s()
            until = time.monotonic() + 1.5
            right = refused = 0
            for client in clients:
                status, body = client.read_answer(max(0.0, until - time.monotonic()))
                right += (status, body) == (200, SMALL)
                refused += status == 503
                if status not in (0, 200, 503) or (status == 200 and body != SMALL):
                    found.complaints.append(f"a client got {status} {body[:60]!r}")
            used = server.processor_s() - used
            found.check(used < 0.75 or case.sanitized, f"it used the processor for {used:.1f} s")
        # It may still turn one away before it sees that they have gone.
        wait_until(lambda: ask_once(server.address, "/plaintext")[0] == 200, PATIENCE_S)
        found.complaints += server.complaints_if_harmed(before + 1, 2 * PATIENCE_S) + server.stop()
        found.figures = f"100 clients, 48 descriptors: {right} files, {refused} times 503"
    return found


def memory_limit(case: Case) -> Found:
    """The address space may grow by 24 MiB more, and bodies of 1 to 64 MiB come. Each is given back
    whole, or refused, or its connection ends; the server lives and serves on."""
    if case.sanitized:
        raise NotJudged("a sanitizer needs more address space than one could limit")
    found = Found()
    with case.serve("--max-request-size", "128MiB", "--max-buffered", "1GiB") as server:
        before = server.descriptors()
        limit = (int(server.status("VmSize").split()[0]) << 10) + (24 << 20)
        resource.prlimit(server.pid, resource.RLIMIT_AS, (limit, limit))
        ends = []
        for mebibytes in (1, 4, 16, 64, 32, 1):
            body = bytes(mebibytes << 20)
            ask = Ask(request("POST", "/echo", body, CLOSE), body, 200)
            with Client(server.address) as client:
                client.send(ask.sent)
                heard = judge([ask], client.read_to_end(), client.ended)
            found.complaints += heard.wrong
            ends.append("right" if heard.right else "refused" if heard.stated else "cut off")
        found.check("right" in ends, "nothing was given back")
        found.check({"refused", "cut off"} & set(ends) != set(), "the limit was never reached")
        kept = len(ends) if case.stage in ("02", "03") else 0
        found.complaints += server.complaints_if_harmed(before + kept) + server.stop()
        found.figures = f"1, 4, 16, 64, 32, 1 MiB: {', '.join(ends)}"
    return found


def clock_jumps(case: Case) -> Found:
    """The wall clock is put a day forward, and two back, while a client stays, another has sent
    half a request, and a third is promised an answer. None is cut off; the Date is the new one. The
    monotonic clock, by which all timers go, is moved by nobody."""
    found = Found()
    with Page(case.library) as page, case.serve(environment=page.environment()) as server:
        before = server.descriptors()
        times = []
        for offset in (0, 86_400, -86_400):
            promised = Ask(get("/slow?ms=100", CLOSE), lambda body: b"stage" in body)
            with Client(server.address) as waiting, Client(server.address) as asking:
                waiting.send(promised.sent)
                asking.send(b"GET /plaintext HTTP/1.1\r\nConnection: close\r\nHost: a\r\n")
                page.move_clock(offset)
                asking.send(b"\r\n")
                heard = judge([promised], waiting.read_to_end(), waiting.ended)
                text = asking.read_to_end()
            found.check(heard.right == 1, f"who was promised an answer got {waiting.received!r}")
            found.check(text.endswith(b"\r\n\r\nhello world\n"), f"a client got {text!r}")
            date = re.search(rb"\r\nDate: ([^\r]+)", text)
            if date:
                told = parsedate_to_datetime(date[1].decode()).timestamp()
                times.append(told - time.time())
        jumped = all(abs(t - o) < 5 for t, o in zip(times, (0, 86_400, -86_400)))
        found.check(len(times) == 3 and jumped, f"the Date went {times}")
        found.complaints += server.complaints_if_harmed(before) + server.stop()
        found.figures = "a day forward, two back"
    return found


def signals(case: Case) -> Found:
    """All threads but the first, which waits for them, block the signals that a program can handle.
    And if a thread does not, SIGUSR1 that interrupts it again and again changes no answer."""
    found = Found()
    with case.serve() as server:
        for thread in server.thread_numbers()[1:]:
            blocked = int(server.status("SigBlk", thread), 16)
            for number in (signal.SIGUSR1, signal.SIGCHLD, signal.SIGTERM, signal.SIGPIPE):
                open_to = not blocked >> (number - 1) & 1
                found.check(not open_to, f"thread {thread} does not block {number.name}")
        found.complaints += server.stop()
    with Page(case.library) as page, case.serve(environment=page.environment(True)) as server:
        before = server.descriptors()
        over, sent = threading.Event(), [0]

        def storm() -> None:
            kill = ctypes.CDLL(None).tgkill
            while not over.wait(0.0005):
                for thread in server.thread_numbers():
                    sent[0] += kill(server.pid, thread, int(signal.SIGUSR1)) == 0

        sender = threading.Thread(target=storm)
        sender.start()
        try:
            answers = 0
            for _ in range(case.scaled(200, 20)):
                heard = run_visits(server.address, PATIENCE_S)
                answers += heard.right
                lost = heard.stated + heard.unanswered
                found.complaints += heard.wrong
                found.check(lost == 0, f"{lost} requests were not answered as they should be")
        finally:
            over.set()
            sender.join()
        found.complaints += server.complaints_if_harmed(before) + server.stop()
        found.figures = f"{sent[0]} signals, {answers} answers"
    return found
