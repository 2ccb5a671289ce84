"""Servers to be measured: how each is started, what can be asked of it, and how it is ended."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shlex
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional, Sequence

import bench_watch
from building import program_path
from console import LabError, UsageError

SECONDS_TO_START = 15.0
SECONDS_TO_STOP = 3.0
PRESET = "release"

# What can be asked of a stage. A body is what the answer must have; None: what was sent.
STAGE_PATHS = {
    "plain": "/plaintext",
    "later": "/slow?ms=1000",
    "health": "/health",
    "hello": "/testolope",
    "hello_closing": "/testolope-nokeepalive",
    "closing": "/plaintext",  # with Connection: close
    "document": "/doc/index.html",
    "echo": "/echo",
    "files": "/files/",
}


@dataclass(frozen=True)
class Server:
    """A program to measure. `{port}`, `{cpus}` and `{folder}` in its command are filled in."""

    name: str
    command: tuple[str, ...]
    paths: dict[str, str]
    port: int = 0  # 0: any free one, which its ready line names
    options: frozenset[str] = frozenset()  # those of a scenario that it understands
    has_crowd_paths: bool = False  # /block and /files/10485760, which some crowds ask for
    again: str = ""  # the server that this one is the same as: the A/A run
    files: dict[str, str] = field(default_factory=dict)  # configuration, by name in {folder}
    copies: int = 1  # processes that listen on one port, each with a ready line of its own


def stage_server(stage: str, host: str) -> Server:
    """A stage, with logging off, and one loop where it could have more."""
    program = str(program_path(stage, PRESET))
    known = known_options(program)
    command = [program, "--host", host, "--port", "0", "--log", "off", "--root", "{folder}/files"]
    if "--concurrency" in known:
        command += ["--concurrency", "1"]
    return Server(stage, tuple(command), STAGE_PATHS, options=known, has_crowd_paths=True)


def floor_server() -> Server:
    """The server without HTTP; it answers everything alike."""
    paths = {"plain": "/plaintext", "health": "/plaintext", "hello": "/plaintext"}
    return Server("floor", (str(program_path("floor", PRESET)),), paths)


def several(server: Server, copies: int) -> Server:
    """So many processes of a server on one port, among which the system shares the clients.

    The last of them takes the shell's place, so that there is no process but the servers.
    """
    if copies == 1:
        return server
    words = list(server.command)
    words[words.index("--port") + 1] = "{port}"
    script = '"$@" & ' * (copies - 1) + 'exec "$@"'
    return replace(server, command=("sh", "-c", script, "sh", *words, "--reuse-port", "on"),
                   port=any_free_port(), copies=copies)


def any_free_port() -> int:
    """A port that nobody has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def foreign_server(text: str) -> Server:
    """Any server, from 'NAME|PORT|PATH|COMMAND'."""
    parts = text.split("|", 3)
    if len(parts) < 4 or not parts[0] or not parts[1].isdecimal() or not parts[2].startswith("/"):
        raise UsageError(f"--server wants 'NAME|PORT|PATH|COMMAND', not '{text}'")
    name, port, path, command = parts
    targets = ("plain", "health", "hello", "closing", "hello_closing", "document")
    paths = {target: path for target in targets}
    return Server(name, tuple(shlex.split(command)), paths, int(port))


def known_options(program: str) -> frozenset[str]:
    """The long options that a program's --help names."""
    try:
        ran = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=20,
                             check=False)
    except OSError as error:
        raise LabError(f"cannot start {program}: {error.strerror}") from error
    return frozenset(re.findall(r"^\s+(--[a-z-]+)", ran.stdout, re.MULTILINE))


# Those that have been started and not ended. Ctrl-C may come just when a context is entered; what
# is left then is here.
_running: list[Running] = []


def end_all() -> None:
    """Ends every server that is left."""
    for running in list(_running):
        running.stop()


class Running:
    """A server that runs. A context: at its end nothing of the server is left."""

    def __init__(self, server: Server, folder: Path, cpus: str,
                 options: Sequence[str] = ()) -> None:
        port = server.port or 0
        known = [option for option in options if option.split("=")[0] in server.options]
        values = {"{port}": str(port), "{cpus}": str(len(cpus.split(","))), "{folder}": str(folder)}
        command = [_fill(word, values) for word in (*server.command, *known)]
        for name, text in server.files.items():
            (folder / name).write_text(_fill(text, values))
        self.server = server
        if port:
            _require_free(server.name, port)
        pin = ["taskset", "-c", cpus] if cpus else []
        self._log = folder / f"{server.name.replace('/', '_')}.log"
        try:
            with open(self._log, "wb") as log:
                # A session of its own: by it we find, measure and end all of its processes.
                self._process = subprocess.Popen(
                    [*pin, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                    start_new_session=True, cwd=folder)
        except OSError as error:
            raise LabError(f"cannot start {command[0]}: {error.strerror}") from error
        _running.append(self)
        self.port = port
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Of the process that we started; also the number of its session."""
        return self._process.pid

    def processes(self) -> list[int]:
        """All of its processes."""
        return bench_watch.processes_of(self.pid)

    def check_alive(self) -> None:
        """Says so if it has ended by itself."""
        if self._process.poll() is not None and not self.processes():
            raise LabError(f"{self.server.name} ended by itself: {self._last_words()}")

    def stop(self) -> None:
        """Asks all of its processes to end, then insists."""
        for ask in (signal.SIGTERM, signal.SIGKILL):
            for process in {self.pid, *self.processes()}:
                if process != self.pid or self._process.poll() is None:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, ask)
            deadline = time.monotonic() + SECONDS_TO_STOP
            while time.monotonic() < deadline:
                if self._process.poll() is not None and not self.processes():
                    break
                time.sleep(0.01)
            else:
                continue
            break
        if self._process.stdout is not None:
            self._process.stdout.close()
        if self in _running:
            _running.remove(self)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + SECONDS_TO_START
        said = b""
        out = self._process.stdout
        assert out is not None
        with selectors.DefaultSelector() as selector:
            selector.register(out, selectors.EVENT_READ)
            while time.monotonic() < deadline:
                if selector.select(0.02):
                    piece = os.read(out.fileno(), 4096)
                    said += piece
                    if not piece:
                        time.sleep(0.02)  # a server that has closed it and goes on
                ready = ready_ports(said)
                if len(ready) == self.server.copies:
                    self.port = ready[0]
                    return
                if self.port and self.server.copies == 1 and _accepts(self.port):
                    return
                self.check_alive()
        raise LabError(f"{self.server.name} did not start: {self._last_words()}")

    def _last_words(self) -> str:
        words = self._log.read_text(errors="replace").strip().splitlines()
        return words[-1] if words else f"exit code {self._process.poll()}"


def ready_ports(said: bytes) -> list[int]:
    """The ports in the ready lines that are whole."""
    return [int(port) for port in
            re.findall(rb"^listening on http://\S+:(\d+)[^\S\n]*\n", said, re.MULTILINE)]


def _fill(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
    except OSError:
        return False
    return True


def _require_free(name: str, port: int) -> None:
    if _accepts(port):
        raise LabError(f"somebody listens on port {port} already, where {name} is to be measured")
