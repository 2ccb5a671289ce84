#!/usr/bin/env python3
"""Prints the figures that the README tells of the servers, as Markdown tables.

    python3 -B tests/bench/figures.py [FOLDER_OF_THE_PROGRAMS]

Counted are memory, system calls and lines of code, so a busy machine does no harm; only the time of
a batch depends on it. Needs strace, binutils (which come with a compiler), and some 10,100 open
files here and in the server.
"""

import os
import pathlib
import re
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONNECTIONS = 10_000
BATCHES = 1_000
IN_BATCH = 16
REQUEST = b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n"
BODY = b"hello world\n"
CALLS = ("recvfrom", "recvmsg", "sendto", "sendmsg", "epoll_wait", "epoll_ctl")


class Server:
    """A server program with patience for idle clients, from its ready line to its end."""

    def __init__(self, program, options=(), launcher=()):
        patient = ["--port", "0", "--max-connections", "20000", "--idle-timeout", "1h",
                   "--request-timeout", "0"]
        self.process = subprocess.Popen([*launcher, program, *patient, *options],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.pid = self.process.pid
        if launcher:  # then that is whom we wait for, and the server is its child
            children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children")
            self.pid = int(children.read_text().split()[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        self.process.wait()
        self.process.stdout.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port))

    def private_bytes(self):
        """Memory that is the server's alone: heap and stacks, not what it maps from files."""
        text = pathlib.Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Anonymous: +(\d+) kB", text, re.M)[1]) * 1024


def ask(client, requests=1):
    """Sends so many requests at once and reads all answers."""
    client.sendall(REQUEST * requests)
    answers = b""
    while answers.count(BODY) < requests:
        piece = client.recv(65536)
        if not piece:
            raise RuntimeError("the server closed the connection")
        answers += piece


def bytes_per_connection(program):
    """What an idle connection costs that has asked once, beyond what a first few have cost."""
    with Server(program) as server:
        clients = [server.connect() for _ in range(100)]
        for client in clients:
            ask(client)
        before = server.private_bytes()
        more = [server.connect() for _ in range(CONNECTIONS)]
        for client in more:
            ask(client)
        cost = (server.private_bytes() - before) / len(more)
        for client in clients + more:
            client.close()
    return cost


def calls_for(program, options, batches, in_batch):
    """The system calls of a server, by name, from its start to its end with one client."""
    with tempfile.NamedTemporaryFile("r") as summary:
        strace = ["strace", "-f", "-q", "-c", "-o", summary.name, "-e",
                  "trace=" + ",".join(CALLS)]
        with Server(program, options, strace) as server, server.connect() as client:
            for _ in range(batches):
                ask(client, in_batch)
        rows = [line.split() for line in summary]
    return {words[-1]: int(words[3]) for words in rows if words and words[-1] in CALLS}


def calls_per_batch(program, options, in_batch):
    """What a batch costs once everything runs: starting and ending are in both counts."""
    fewer = calls_for(program, options, BATCHES, in_batch)
    more = calls_for(program, options, 2 * BATCHES, in_batch)
    return {name: (more.get(name, 0) - fewer.get(name, 0)) / BATCHES for name in CALLS}


def batch_times_ms(program):
    """The usual and the greatest time from a batch of requests to the last of its answers."""
    times = []
    with Server(program) as server, server.connect() as client:
        for _ in range(BATCHES):
            began = time.perf_counter()
            ask(client, IN_BATCH)
            times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times), max(times)


def code_lines(*folders):
    """Lines of C++ that are neither blank nor only a comment."""
    files = [file for folder in folders for file in (ROOT / folder).iterdir()
             if file.suffix in (".h", ".cpp")]
    lines = (line.strip() for file in files for line in file.read_text().splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def print_memory(programs):
    print(f"| memory for each of {CONNECTIONS} idle connections | bytes |\n|---|---|")
    for name in ("05-epoll-loop", "06-epoll-workers", "07-epoll-multi-loop"):
        print(f"| `{name}` | {bytes_per_connection(programs / name):.0f} |", flush=True)


def print_calls(program):
    print("\n| system calls of `07-epoll-multi-loop` | " + " | ".join(CALLS) + " |")
    print("|---" * (len(CALLS) + 1) + "|")
    for what, in_batch in (("a request", 1), (f"{IN_BATCH} pipelined requests", IN_BATCH)):
        counted = calls_per_batch(program, ["--concurrency", "1"], in_batch)
        print(f"| for {what} | " + " | ".join(f"{counted[name]:.2f}" for name in CALLS) + " |")
    usual, greatest = batch_times_ms(program)
    print(f"\nA batch of {IN_BATCH} took {usual:.2f} ms, and {greatest:.2f} ms at most, "
          f"of {BATCHES}.")


def print_lines():
    print("\n| code, without blank lines and comments | lines |\n|---|---|")
    print(f"| `common/net` and `common/http` | {code_lines('common/net', 'common/http')} |")
    for stage in sorted((ROOT / "stages").iterdir()):
        if stage.is_dir():
            print(f"| `{stage.name}` | {code_lines(f'stages/{stage.name}')} |")


def print_programs(programs):
    """What is loaded of each program, whether or not it carries what a debugger needs."""
    print("\n| program | bytes of code and data | libraries that it asks for |\n|---|---|---|")
    for program in sorted(programs.glob("0?-*")):
        sizes = subprocess.run(["size", program], capture_output=True, text=True, check=True)
        text, data = (int(word) for word in sizes.stdout.splitlines()[1].split()[:2])
        dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True,
                                 check=True)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic.stdout)
        print(f"| `{program.name}` | {text + data:,} | {len(needed)}: {', '.join(needed)} |")


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/bin")
    print_memory(programs)
    print_calls(programs / "07-epoll-multi-loop")
    print_lines()
    print_programs(programs)


if __name__ == "__main__":
    main()
