"""Clients who are there besides the load, as a program: `bench_crowd.py KIND HOST PORT COUNT`.

Prints `N here` when they are, and goes away when its standard input ends.

    idle      asked once, were answered, keep the connection and say nothing more
    silent    connect and say nothing; come back when the server ends it
    drip      sends a request a byte at a time, ten in a second, and begins anew when it is ended
    reader    asks for 10 MiB and reads 1 KiB of them ten times in a second
    blocker   asks for a handler that sleeps 100 ms, again and again
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
import struct
import subprocess
import sys
from typing import Optional

from bench_scenarios import Crowd
from processes import end

SECONDS_FOR_AN_ANSWER = 3.0
REST_S = 0.1
PLAIN = b"GET /plaintext HTTP/1.1\r\nHost: crowd\r\n\r\n"
# A connection that ends with a reset leaves no port waiting; there may be 19,000 of them.
RESET_AT_CLOSE = struct.pack("ii", 1, 0)
# Loopback has 2^24 addresses, and each of them its own ports.
CONNECTIONS_PER_ADDRESS = 10000
AT_A_TIME = 250


def connected(host: str, port: int, number: int) -> socket.socket:
    """Connection NUMBER, with its question already sent."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)
    client.settimeout(SECONDS_FOR_AN_ANSWER)
    if host.startswith("127."):
        client.bind((f"127.0.1.{1 + number // CONNECTIONS_PER_ADDRESS}", 0))
    client.connect((host, port))
    client.sendall(PLAIN)
    return client


def idle(host: str, port: int, count: int) -> list[socket.socket]:
    """Connections that have had one answer; fewer than `count` if the server stops answering.

    Many at a time, so that a server that looks at all of them for each new one does so less often.
    """
    held: list[socket.socket] = []
    try:
        while len(held) < count:
            numbers = range(len(held), min(count, len(held) + AT_A_TIME))
            for client in [connected(host, port, number) for number in numbers]:
                if not client.recv(4096):
                    return held
                held.append(client)
    except OSError:
        pass  # those that are held are what there is
    return held


async def silent(host: str, port: int) -> None:
    """Says nothing until it is ended."""
    reader, writer = await asyncio.open_connection(host, port)
    with contextlib.closing(writer):
        await reader.read()


async def drip(host: str, port: int) -> None:
    """Asks so slowly that its timer, if there is one, ends it."""
    _, writer = await asyncio.open_connection(host, port)
    with contextlib.closing(writer):
        for byte in PLAIN[:-1] + b"X-Slow: very\r\n\r\n":
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(REST_S)


async def slow_reader(host: str, port: int) -> None:
    """Takes what it asked for in small pieces, with long rests."""
    reader, writer = await asyncio.open_connection(host, port, limit=2048)
    with contextlib.closing(writer):
        writer.write(b"GET /files/10485760 HTTP/1.1\r\nHost: crowd\r\n\r\n")
        while await reader.read(1024):
            await asyncio.sleep(REST_S)


async def blocker(host: str, port: int) -> None:
    """One client of a handler that sleeps."""
    reader, writer = await asyncio.open_connection(host, port)
    with contextlib.closing(writer):
        while True:
            writer.write(b"GET /block?ms=100 HTTP/1.1\r\nHost: crowd\r\n\r\n")
            if not await reader.read(4096):
                return


KINDS = {"silent": silent, "drip": drip, "reader": slow_reader, "blocker": blocker}


async def again_and_again(kind: str, host: str, port: int) -> None:
    """A client of that kind, who comes back when the server has ended the connection."""
    while True:
        with contextlib.suppress(OSError):
            await KINDS[kind](host, port)
        await asyncio.sleep(0.001)


async def stay(kind: str, host: str, port: int, count: int) -> None:
    """Lets them come, says so, and returns when nobody reads our lines any more."""
    clients = [asyncio.create_task(again_and_again(kind, host, port)) for _ in range(count)]
    await asyncio.sleep(REST_S)
    print(f"{count} here", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for client in clients:
        client.cancel()


class CrowdProcess:
    """The clients who are there besides the load. A context."""

    def __init__(self, crowd: Crowd, host: str, port: int, cpus: str) -> None:
        self.here = 0
        self._process: Optional[subprocess.Popen[bytes]] = None
        if not crowd.count:
            return
        program = [sys.executable, "-B", __file__]
        pin = ["taskset", "-c", cpus] if cpus else []
        self._process = subprocess.Popen(
            [*pin, *program, crowd.kind, host, str(port), str(crowd.count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        assert self._process.stdout is not None
        self.here = int((self._process.stdout.readline().split() or [b"0"])[0])

    def __enter__(self) -> CrowdProcess:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            end([self._process], 1.0)
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()


def main(arguments: list[str]) -> int:
    """`bench_crowd.py KIND HOST PORT COUNT`"""
    kind, host, port, count = arguments[0], arguments[1], int(arguments[2]), int(arguments[3])
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if kind == "idle":
        held = idle(host, port, count)
        print(f"{len(held)} here", flush=True)
        sys.stdin.read()
    else:
        asyncio.run(stay(kind, host, port, count))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
