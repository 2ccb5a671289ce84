"""Experiments of `lab survive`: clients that are slow, silent, gone, or many."""

from __future__ import annotations

import time
from contextlib import ExitStack

from survive_case import Case, Found
from survive_client import CLOSE, PATIENCE_S, Client, ask_once, get, request
from survive_server import Server, wait_until

_HELLO = (200, b"hello world\n")
# A whole request, short enough to be cut at every byte.
_CUT = request("POST", "/echo", b"ten bytes!", CLOSE)


def _ask_beside(case: Case, server: Server, slow: list[Client], found: Found) -> None:
    """Another client is answered, and while the slow ones are still there (01: after them)."""
    answer = ask_once(server.address, "/plaintext", 3 * PATIENCE_S)
    found.check(answer == _HELLO, f"another client got {answer}")
    early = not any(client.ended for client in slow)
    found.check(early or case.stage == "01", "another client had to wait for the slow ones")


def _drip(case: Case, option: str, first: bytes) -> Found:
    found = Found()
    with case.serve(option, "2s") as server, ExitStack() as stack:
        descriptors = server.descriptors()
        count = case.slow_clients
        clients = [stack.enter_context(Client(server.address)) for _ in range(count)]
        for client in clients:
            client.send(first)
        if case.stage != "01":
            _ask_beside(case, server, clients, found)
        pieces = 0
        deadline = time.monotonic() + 3 * PATIENCE_S
        waiting = clients
        while waiting and time.monotonic() < deadline:
            for client in waiting:
                client.send(b"a")
                client.receive(time.monotonic() + 0.1 / count)
            pieces += 1
            waiting = [c for c in waiting if not c.ended and b"\r\n\r\n" not in c.received]
        refused = sum(client.received.startswith(b"HTTP/1.1 408 ") for client in clients)
        found.check(refused == count, f"{count - refused} of {count} got no 408")
        for client in clients:
            client.reset()
        _ask_beside(case, server, [], found)
        found.complaints += server.complaints_if_harmed(descriptors)
        found.complaints += server.stop()
        found.figures = f"{count} clients, each a byte {pieces} times: {refused} times 408"
    return found


def slow_heads(case: Case) -> Found:
    """Clients send their heads byte by byte. Each gets 408 while it still sends; others are served
    meanwhile (01: afterwards; 03: while fewer are slow than there are workers)."""
    return _drip(case, "--head-timeout", b"GET /plaintext HTTP/1.1\r\nHost: slow\r\nX: ")


def slow_bodies(case: Case) -> Found:
    """Clients send their bodies byte by byte. The same must hold."""
    return _drip(case, "--body-timeout", request("POST", "/echo", b"", "Content-Length: 5000"))


def silent_readers(case: Case) -> Found:
    """Clients ask for 32 MiB and read nothing. Others are served meanwhile (01: afterwards); when
    the time for sending is up they are cut off; nobody's file is held in memory for them."""
    found = Found()
    (case.files / "huge.bin").write_bytes(bytes(32 << 20))
    with case.serve("--send-timeout", "2s") as server, ExitStack() as stack:
        descriptors, memory = server.descriptors(), server.memory_kib()
        clients = [
            stack.enter_context(Client(server.address, 4096)) for _ in range(case.slow_clients)
        ]
        for client in clients:
            client.send(get("/files/huge.bin"))
        _ask_beside(case, server, [], found)
        grown = server.memory_kib() - memory
        found.check(grown < 32 << 10, f"it grew by {grown} KiB")
        gone = wait_until(lambda: server.open_connections() == 0, 3 * PATIENCE_S)
        found.check(gone, "clients that read nothing are still there")
        found.complaints += server.complaints_if_harmed(descriptors) + server.stop()
        found.figures = f"{len(clients)} clients, {max(grown, 0)} KiB more memory meanwhile"
    return found


def resets(case: Case) -> Found:
    """Clients throw their connections away: after each byte of a request, while a handler runs or
    an answer is promised, and after so many bytes of an answer. The server is as it was before."""
    found = Found()
    with case.serve() as server:
        descriptors = server.descriptors()
        count = 0
        for _ in range(case.scaled(20, 2)):
            for size in range(len(_CUT) + 1):
                Client(server.address).reset() if size == 0 else _send_and_reset(server, size)
                count += 1
            for target in ("/block?ms=20", "/slow?ms=20", "/chunks?n=100000", "/files/large.bin"):
                for bytes_read in (0, 1, 200, 5000, 100_000):
                    client = Client(server.address)
                    client.send(get(target))
                    while len(client.received) < bytes_read and not target.startswith("/s"):
                        if target.startswith("/b") or not client.receive(time.monotonic() + 5):
                            break
                    client.reset()
                    count += 1
        found.complaints += server.complaints_if_harmed(descriptors, 2 * PATIENCE_S)
        found.complaints += server.stop()
        found.figures = f"{count} resets"
    return found


def _send_and_reset(server: Server, size: int) -> None:
    client = Client(server.address)
    client.send(_CUT[:size])
    client.reset()


def half_closes(case: Case) -> Found:
    """Clients end what they send after each byte of a request, and listen. Who had said all is
    answered; who had not is told 400; who had said nothing sees the end."""
    found = Found()
    with case.serve() as server:
        descriptors = server.descriptors()
        count = 0
        for _ in range(case.scaled(20, 2)):
            for size in range(len(_CUT) + 1):
                with Client(server.address) as client:
                    client.send(_CUT[:size])
                    client.finish_sending()
                    status = client.read_to_end()[9:12]
                    expected = b"200" if size == len(_CUT) else b"400" if size > 0 else b""
                    good = status == expected and client.ended
                    found.check(good, f"after {size} bytes: {status!r}, expected {expected!r}")
                    count += 1
        found.complaints += server.complaints_if_harmed(descriptors) + server.stop()
        found.figures = f"{count} half-closed connections"
    return found


def flood(case: Case) -> Found:
    """Many connect at once and say nothing. Who asks then is answered, or told 503 (01 and 03:
    after the silent ones have been closed); when they have gone the server is as before."""
    found = Found()
    count = {"01": 4, "03": 30}.get(case.stage, case.scaled(2000, 200))
    options = ["--idle-timeout", "1s"]
    if case.stage in ("02", "04", "05", "06", "07"):
        options += ["--max-connections", str(count // 2)]
    with case.serve(*options) as server, ExitStack() as stack:
        descriptors = server.descriptors()
        clients = [stack.enter_context(Client(server.address)) for _ in range(count)]
        answer = ask_once(server.address, "/plaintext", 3 * PATIENCE_S)
        found.check(answer == _HELLO or answer[0] == 503, f"who asked then got {answer}")
        for client in clients:
            client.close()
        # Those who were told 503 stay half-closed for a while, see refuse() in 02 and 03.
        kept = 64 if case.stage in ("02", "03") else 0
        found.complaints += server.complaints_if_harmed(descriptors + kept, 2 * PATIENCE_S)
        found.complaints += server.stop()
        found.figures = f"{count} silent clients; then the answer was {answer[0]}"
    return found
