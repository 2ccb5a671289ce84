"""Experiments of `lab survive` with networks of their own: delay, loss, a cable that is pulled.

Each is run by a lab in a new network namespace (man 7 network_namespaces), of which it is the
administrator, so that nothing of it concerns the machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Callable

from survive_case import Case, Found, NotJudged
from survive_client import CLOSE, PATIENCE_S, Client, ask_once, get
from survive_server import Server, wait_until
from survive_sweep import run_visits

_INNER = "10.99.0.1"
_OUTER = "10.99.0.2"


def _run(*command: str) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise NotJudged(f"`{' '.join(command)}` says: {ran.stderr.strip()}")


def in_namespace(name: str, case: Case) -> Found:
    """Makes the experiment in a namespace: another lab makes it there, and says what it found."""
    try:
        _run("unshare", "--user", "--map-root-user", "--net", "true")
    except FileNotFoundError as error:
        raise NotJudged(f"there is no {error.filename}") from error
    words = [name, case.program, case.library, case.files, "quick" if case.quick else "all"]
    ran = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", sys.executable, "-B", __file__, *words],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        return Found(complaints=[f"the lab in the namespace failed: {ran.stderr[-600:]}"])
    said = json.loads(ran.stdout)
    if said["not judged"]:
        raise NotJudged(said["not judged"])
    return Found(said["figures"], said["complaints"])


def slow_network(case: Case) -> Found:
    """40 ms of delay, 3 % of loss and some disorder both ways (tc-netem(8)). All clients of the
    scripted run get all their answers."""
    return in_namespace("slow-network", case)


def cable(case: Case) -> Found:
    """Clients in one network, the server in another, and the cable between them is pulled: while
    one says nothing, one is in the middle of a request, one reads a file. The timers close all of
    them; when the cable is back a new client is served."""
    return in_namespace("cable", case)


def _slow_network(case: Case) -> Found:
    _run("ip", "link", "set", "lo", "up")
    shape = ["delay", "20ms", "5ms", "loss", "3%", "reorder", "1%"]
    _run("tc", "qdisc", "add", "dev", "lo", "root", "netem", *shape)
    found = Found()
    with case.serve() as server:
        before = server.descriptors()
        began = time.monotonic()
        rounds = case.scaled(10, 1)
        answers = 0
        for _ in range(rounds):
            heard = run_visits(server.address, 3 * PATIENCE_S)
            answers += heard.right
            found.complaints += heard.wrong
            lost = heard.stated + heard.unanswered
            found.check(lost == 0, f"{lost} requests were not answered as they should be")
        seconds = (time.monotonic() - began) / rounds
        found.complaints += server.complaints_if_harmed(before, 2 * PATIENCE_S) + server.stop()
        found.figures = f"{answers} answers, {seconds:.1f} s for each round"
    return found


def _cable(case: Case) -> Found:
    with subprocess.Popen(["unshare", "--net", "sleep", "600"]) as holder:
        try:
            return _pull_cable(case, holder.pid)
        finally:
            holder.kill()


def _lay_cable(inner: int) -> None:
    enter = ["nsenter", "--net", "--target", str(inner)]
    own = Path("/proc/self/ns/net").readlink()
    wait_until(lambda: Path(f"/proc/{inner}/ns/net").readlink() != own, PATIENCE_S)
    _run("ip", "link", "add", "cable0", "type", "veth", "peer", "name", "cable1")
    _run("ip", "link", "set", "cable1", "netns", str(inner))
    _run("ip", "address", "add", f"{_OUTER}/24", "dev", "cable0")
    _run("ip", "link", "set", "cable0", "up")
    _run(*enter, "ip", "address", "add", f"{_INNER}/24", "dev", "cable1")
    _run(*enter, "ip", "link", "set", "cable1", "up")


def _pull_cable(case: Case, inner: int) -> Found:
    _lay_cable(inner)
    timers = [f"--{name}-timeout=2s" for name in ("idle", "head", "body", "send", "linger")]
    found = Found()
    with Server(
        case.program,
        ["--root", str(case.files), "--host", _INNER, *timers],
        launcher=["nsenter", "--net", "--target", str(inner)],
    ).must_serve() as server, ExitStack() as stack:
        found.check(ask_once(server.address, "/plaintext")[0] == 200, "it serves nobody")
        wait_until(lambda: server.open_connections() == 0, PATIENCE_S)
        before = server.descriptors()
        said = [b"", b"GET / HTTP/1.1\r\nHo", get("/files/large.bin"), get("/slow?ms=1000", CLOSE)]
        for text in said[: case.slow_clients]:
            stack.enter_context(Client(server.address, 4096)).send(text)
        _run("ip", "link", "set", "cable0", "down")
        began = time.monotonic()
        gone = wait_until(lambda: server.descriptors() <= before, 4 * PATIENCE_S)
        seconds = time.monotonic() - began
        found.check(gone, f"{server.descriptors()} descriptors are open, {before} were before")
        _run("ip", "link", "set", "cable0", "up")
        back = wait_until(lambda: ask_once(server.address, "/plaintext", 2.0)[0] == 200, 30.0)
        found.check(back, "when the cable was back nobody was served")
        found.complaints += server.complaints_if_harmed(before, 2 * PATIENCE_S) + server.stop()
        count = min(len(said), case.slow_clients)
        found.figures = f"{count} clients, all closed in {seconds:.1f} s"
    return found


def main(arguments: list[str]) -> int:
    """In the namespace: NAME PROGRAM LIBRARY FILES quick|all. Prints what was found, as JSON."""
    name, program, library, files, scale = arguments
    case = Case(
        Path(program), Path(library), Path(files), scale == "quick", False, lambda _: None
    )
    inside: dict[str, Callable[[Case], Found]] = {"slow-network": _slow_network, "cable": _cable}
    reason = ""
    found = Found()
    try:
        found = inside[name](case)
    except NotJudged as error:
        reason = str(error)
    except FileNotFoundError as error:
        reason = f"there is no {error.filename}"
    said = {"figures": found.figures, "complaints": found.complaints, "not judged": reason}
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
