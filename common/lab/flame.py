"""The verb `flame`: where a stage spends its time, as a flame graph."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Iterator, Optional, Sequence

import flame_draw
import flame_fold
import flame_text
from building import build, check_preset, program_path
from console import LabError, UsageError, say
from flame_fold import Node
from processes import end
from showing import Server, wait_until_ready
from stages import ROOT, all_stages, find_stage
from timeline import write

RESULTS = ROOT / "build" / "flames"
HOST = "127.0.0.1"
CONNECTIONS = 64
SAMPLES_PER_SECOND = 997  # no divisor of anything that happens regularly
REQUESTS = 5_000  # under callgrind, which counts: more of the same would tell the same
CALLERS = 40  # so deep no stack of ours is
FEW_SAMPLES = 100
_SECONDS_UNDER_VALGRIND = 60.0


def why_no_perf() -> Optional[str]:
    """Why perf cannot be used here; None if it can."""
    if shutil.which("perf") is None:
        return "perf is not installed (the Debian package is linux-perf)"
    with tempfile.TemporaryDirectory(prefix="stagecraft-") as folder:
        tried = subprocess.run(["perf", "record", "-q", "-o", f"{folder}/data", "--", "true"],
                               check=False, capture_output=True)
    if tried.returncode == 0:
        return None
    level = Path("/proc/sys/kernel/perf_event_paranoid")
    return "perf may not be used here" + (
        f" (kernel.perf_event_paranoid is {level.read_text().strip()})" if level.exists() else "")


@contextlib.contextmanager
def _running(command: Sequence[str], errors: Optional[Path] = None) -> Iterator[tuple[str, int]]:
    """A server's address and its process."""
    with contextlib.ExitStack() as stack:
        # A server started by perf or valgrind tells what those have to say on its standard error.
        to = stack.enter_context(open(errors, "wb")) if errors else None
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=to, start_new_session=True)
        try:
            server = Server(Path(command[0]).name, 0, process)
            yield wait_until_ready(server, _SECONDS_UNDER_VALGRIND), process.pid
        finally:
            end([process])
            assert process.stdout is not None
            process.stdout.close()


def by_perf(program: Path, path: str, seconds: float) -> tuple[Node, str]:
    """Samples of the server while wrk asks it, and how it was made."""
    if shutil.which("wrk") is None:
        raise LabError("wrk is not installed; the Debian package is wrk")
    with tempfile.TemporaryDirectory(prefix="stagecraft-") as folder, \
            _running([str(program), "--port", "0"]) as (address, pid):
        data = f"{folder}/data"
        with _recorded(pid, data):
            load = subprocess.run(
                ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{max(1, round(seconds))}s",
                 address + path], check=False, capture_output=True, text=True)
        if load.returncode != 0:
            raise LabError(f"wrk failed: {load.stderr.strip() or load.stdout.strip()}")
        if "Non-2xx" in load.stdout:
            raise LabError(f"{path} was not always answered by 2xx or 3xx")
        script = subprocess.run(
            ["perf", "script", "-i", data, "--no-inline", "-F", "comm,tid,ip,sym,dso"],
            check=False, capture_output=True, text=True, errors="replace").stdout
    top = flame_fold.tree(flame_fold.of_perf(script.splitlines()), program.name)
    if top.weight < FEW_SAMPLES:
        say(f"only {top.weight} samples: shares of so few mean little")
    return top, (f"{top.weight:,} samples by perf, {SAMPLES_PER_SECOND} a second while a thread "
                 f"runs; {CONNECTIONS} connections ask for {path}")


@contextlib.contextmanager
def _recorded(pid: int, data: str) -> Iterator[None]:
    """perf looks at a process during all of this context, and has written all when it ends."""
    with contextlib.ExitStack() as pipes:  # open to the end: perf is confused when they close
        orders_in, orders_out = map(pipes.enter_context, _pipe())
        answers_in, answers_out = map(pipes.enter_context, _pipe())
        recorder = subprocess.Popen(
            ["perf", "record", "-q", "-F", str(SAMPLES_PER_SECOND), "--call-graph", "dwarf",
             "--delay", "-1", f"--control=fd:{orders_in.fileno()},{answers_out.fileno()}",
             "-o", data, "-p", str(pid)], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=[orders_in.fileno(), answers_out.fileno()])
        orders_in.close()
        answers_out.close()
        try:
            with contextlib.suppress(BrokenPipeError):  # then there is no answer either
                orders_out.write(b"enable\n")
            if not answers_in.read(1):
                raise LabError(f"perf ended before it began, with exit code {recorder.wait()}")
            yield
            recorder.send_signal(signal.SIGINT)
            recorder.wait()
        finally:
            end([recorder])


def _pipe() -> tuple[io.FileIO, io.FileIO]:
    out, into = os.pipe()
    return io.FileIO(out, "r"), io.FileIO(into, "w")


def by_callgrind(program: Path, path: str) -> tuple[Node, str]:
    """Instructions of the server while one client asks it, and how it was made."""
    if shutil.which("callgrind_control") is None:
        raise LabError("valgrind is not installed; the Debian package is valgrind")
    with tempfile.TemporaryDirectory(prefix="stagecraft-") as folder:
        file = Path(folder) / "costs"
        command = ["valgrind", "--tool=callgrind", f"--separate-callers={CALLERS}",
                   "--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={file}",
                   str(program), "--port", "0"]
        with _running(command, Path(folder) / "said") as (address, pid):
            _ask(address, path, 10)
            _control("-z", pid)  # what start-up has cost is not asked for
            _ask(address, path, REQUESTS)
            _control("-d", pid)
        lines = Path(f"{file}.1").read_text(errors="replace").splitlines()
    top = flame_fold.tree(flame_fold.of_callgrind(lines), program.name)
    return top, (f"{round(top.weight / REQUESTS):,} instructions for a request by callgrind, "
                 f"without those of the system; one connection asks for {path}")


def _control(what: str, pid: int) -> None:
    said = subprocess.run(["callgrind_control", what, str(pid)], check=False, capture_output=True,
                          text=True)
    if said.returncode != 0 or "OK" not in said.stdout:
        raise LabError(f"callgrind_control {what} failed: {said.stdout or said.stderr}".strip())


def _ask(address: str, path: str, requests: int) -> None:
    host, _, port = address.rpartition("/")[2].partition(":")
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    deadline = time.monotonic() + _SECONDS_UNDER_VALGRIND
    with socket.create_connection((host, int(port)), timeout=_SECONDS_UNDER_VALGRIND) as client:
        for _ in range(requests):
            client.sendall(request)
            answer = b""
            while b"\r\n\r\n" not in answer:
                piece = client.recv(1 << 20)
                if not piece or time.monotonic() > deadline:
                    raise LabError(f"{path} was not answered {requests} times")
                answer += piece
            _read_rest(client, answer)


def _read_rest(client: socket.socket, answer: bytes) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        raise LabError("the answer was " + head.split(b"\r\n")[0].decode("latin-1"))
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    missing = int(lengths[0].partition(b":")[2]) - len(body) if lengths else 0
    while missing > 0:
        piece = client.recv(1 << 20)
        if not piece:
            raise LabError("an answer broke off")
        missing -= len(piece)


def main(arguments: list[str]) -> int:
    """`lab flame STAGE [--path PATH] [--seconds N] [--with perf|callgrind] [--out FOLDER]`"""
    parser = argparse.ArgumentParser("lab flame", allow_abbrev=False)
    parser.add_argument("stage")
    parser.add_argument("--path", default="/plaintext")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--with", dest="tool", choices=("perf", "callgrind"))
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FOLDER")
    parser.add_argument("--preset", default="release")
    chosen = parser.parse_args(arguments)
    stage = find_stage(chosen.stage, all_stages())
    if not chosen.path.startswith("/"):
        raise UsageError("--path begins with a slash")
    tool = chosen.tool or _tool_of_this_machine()
    build(check_preset(chosen.preset), [stage], with_tests=False)
    program = program_path(stage, chosen.preset)
    say(f"looks at {stage} with {tool}")
    top, about = by_perf(program, chosen.path, chosen.seconds) if tool == "perf" else \
        by_callgrind(program, chosen.path)
    if not top.weight:
        raise LabError(f"{tool} has seen nothing")
    title = f"Where {stage} spends its {'time' if tool == 'perf' else 'instructions'}"
    words = flame_text.picture(top, max(60, shutil.get_terminal_size().columns))
    print(f"{stage}: {about}\n\n{words}", flush=True)
    write(chosen.out / f"{stage}.svg",
          flame_draw.picture(top, title, about, flame_draw.WIDE, alone=True))
    write(chosen.out / f"{stage}.html",
          flame_draw.page(top, title, about, flame_text.picture(top, 120)))
    write(chosen.out / f"{stage}.folded", "".join(f"{line}\n" for line in flame_fold.folded(top)))
    return 0


def _tool_of_this_machine() -> str:
    reason = why_no_perf()
    if reason is None:
        return "perf"
    say(f"{reason}: counting instructions with callgrind instead")
    return "callgrind"
