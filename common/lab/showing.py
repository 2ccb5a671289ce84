"""The verb `show`: every stage at once, each on a port of its own, and one page for all."""

from __future__ import annotations

import argparse
import selectors
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from typing import Iterator

from building import build, program_path
from console import LabError, say
from processes import end
from stages import FIRST_PORT, all_stages

HOST = "127.0.0.1"
SECONDS_TO_START = 10.0

# The page sends six requests. Where there are fewer workers, one sees who waits for them.
FEW_WORKERS = ["--workers", "3"]
STAGES_WITH_WORKERS = ("03-thread-pool", "06-epoll-workers", "07-epoll-multi-loop")


@dataclass
class Server:
    """A stage that runs."""

    stage: str
    port: int
    process: subprocess.Popen[bytes]


def free_ports(first: int) -> Iterator[int]:
    """The ports from `first` on that nobody listens on."""
    for port in range(first, 65536):
        with socket.socket() as probe:
            # As the servers do: a connection that lingers from the last run does not take the port.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        yield port


def page_address(servers: list[Server]) -> str:
    """The page, served by the last stage, that fires at all of them."""
    strips = ",".join(f"{server.stage}@{server.port}" for server in servers)
    return f"http://{HOST}:{servers[-1].port}/?stages={strips}"


def start(stage: str, port: int, options: list[str]) -> Server:
    """Starts one stage. In a session of its own: Ctrl-C is for lab, which then ends the servers."""
    own = FEW_WORKERS if stage in STAGES_WITH_WORKERS else []
    command = [str(program_path(stage, "release")), "--port", str(port), *own, *options]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    return Server(stage, port, process)


def wait_until_ready(server: Server, seconds: float = SECONDS_TO_START) -> str:
    """Returns when the server has said that it listens: its address, `http://127.0.0.1:8081`."""
    out = server.process.stdout
    assert out is not None
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        said = out.readline() if selector.select(seconds) else b""
    if not said.startswith(b"listening on "):
        raise LabError(f"{server.stage} did not start on port {server.port}")
    return said.decode().split()[-1]


def watch(servers: list[Server]) -> None:
    """Returns when no server is left; says so when one ends by itself."""
    running = list(servers)
    while running:
        time.sleep(0.2)
        for server in [server for server in running if server.process.poll() is not None]:
            running.remove(server)
            say(f"{server.stage} has ended ({_how(server.process.returncode)})")


def _how(code: int) -> str:
    """`exit code 1`, or the signal's name."""
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def main(arguments: list[str]) -> int:
    """`lab show [PORT] [OPTIONS]`"""
    if arguments and arguments[0].isdecimal():
        arguments = ["--port", *arguments]
    parser = argparse.ArgumentParser("lab show", allow_abbrev=False)
    parser.add_argument("--port", type=int, default=8081)
    chosen, options = parser.parse_known_args(arguments)
    if not FIRST_PORT <= chosen.port <= 65535:
        parser.error(f"the port is a number from {FIRST_PORT} to 65535")
    stages = all_stages()
    build("release", stages, with_tests=False)
    servers: list[Server] = []
    try:
        for stage, port in zip(stages, free_ports(chosen.port)):
            servers.append(start(stage, port, options))
            wait_until_ready(servers[-1])
        if len(servers) < len(stages):
            raise LabError(f"there are too few free ports from {chosen.port} on")
        print(page_address(servers), flush=True)
        say("open that address in a browser; Ctrl-C here ends all servers")
        watch(servers)
        raise LabError("no server is left")
    except KeyboardInterrupt:
        say("ending the servers")
        return 0
    finally:
        end([server.process for server in servers])
