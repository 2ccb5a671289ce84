"""One run: a fresh server, a look at its answer, a warm-up, the load, and what came of it."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Optional, Sequence

import bench_load
import bench_servers
import bench_watch
from bench_crowd import CrowdProcess
from bench_load import PARSERS, Client, Load, Report
from bench_scenarios import Point, Scenario
from bench_servers import PRESET, Running, Server, several
from console import LabError
from processes import end

WARM_UP_S = 1.0
SNAPSHOT_AT = 0.85  # of a run: late enough for shares to show, early enough that all are open still
PASS_S = 1.0
VARYING = ("later",)  # its answers name times: no two bodies are alike
SETTLE_S = 2.0
FEW_THREADS = 16  # a pool may have begun some, which stay
# A generator stops in the middle of answers: so much may its bytes be off, for each connection.
SLACK_PER_CONNECTION = 1 << 16


@dataclass
class Bench:
    """What is the same for all runs."""

    folder: Path
    client: Client
    server_cpus: Sequence[str]  # the CPUs of the server, as many as a scenario may want
    host: str
    seconds: float
    _scripts: dict[str, str] = field(default_factory=dict)

    def cpus(self, scenario: Scenario) -> str:
        """A list for taskset; empty where nothing is pinned."""
        return ",".join(self.server_cpus[: scenario.server_cpus])

    def placed(self, content: bytes, name: str) -> str:
        """The path of a file where the generators run."""
        if name not in self._scripts:
            if self.client.prefix:
                self._scripts[name] = self.client.put(content)
            else:
                (self.folder / name).write_bytes(content)
                self._scripts[name] = str(self.folder / name)
        return self._scripts[name]

    def forget_placed(self) -> None:
        """Removes the files that were copied elsewhere."""
        if self.client.prefix:
            self.client.remove(list(self._scripts.values()))


@dataclass(frozen=True)
class Answer:
    """The right answer, as the server gives it before any load. `wire` counts its head, too."""

    body: bytes
    wire: int


def path_of(server: Server, scenario: Scenario, point: Point) -> str:
    """What is asked of a server; empty if it cannot be asked."""
    base = server.paths.get(scenario.target, "")
    return base + point.path.removeprefix("/files/") if base and point.path else base


def can(server: Server, scenario: Scenario, point: Point) -> bool:
    """Whether a server has what a point asks for."""
    if point.crowd.kind in ("blocker", "reader") and not server.has_crowd_paths:
        return False
    # One loop is what every server has that cannot have more.
    if scenario.processes > 1 and "--reuse-port" not in server.options:
        return False
    understood = all(option == "--concurrency=1" or option.split("=")[0] in server.options
                     for option in point.options)
    return understood and bool(path_of(server, scenario, point))


def expected_body(scenario: Scenario, point: Point) -> Optional[bytes]:
    """The body that is right; None where only the server knows, and it has to stay the same."""
    if scenario.target == "echo":
        return b"x" * point.load.body_bytes
    if scenario.target == "files":
        return b"x" * int(point.path.removeprefix("/files/"))
    return None


def ask(host: str, port: int, path: str, body_bytes: int) -> Answer:
    """One request by hand. Raises LabError if the answer is not a 200."""
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        if body_bytes >= 0:
            connection.request("POST", path, b"x" * body_bytes)
        else:
            connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise LabError(f"no answer to {path}: {error or type(error).__name__}") from error
    finally:
        connection.close()
    if answer.status != 200:
        raise LabError(f"{path} is answered {answer.status}, not 200")
    head = f"HTTP/1.1 {answer.status} {answer.reason}\r\n" + "".join(
        f"{name}: {value}\r\n" for name, value in answer.getheaders())
    return Answer(body, len(head) + 2 + len(body))


def checked(host: str, port: int, path: str, scenario: Scenario, point: Point) -> Answer:
    """The answer, if it is the right one."""
    answer = ask(host, port, path, point.load.body_bytes)
    expected = expected_body(scenario, point)
    if expected is not None and answer.body != expected:
        raise LabError(f"{path} is answered with {len(answer.body)} bytes that are not the "
                       f"{len(expected)} expected ones")
    return answer


def generate(bench: Bench, load: Load, port: int, path: str, seconds: float, answer: Answer,
             check: bool = False) -> Report:
    """Runs a generator to its end."""
    program = load.generator
    if program == "paced":
        built = bench_servers.program_path("paced", PRESET)
        program = bench.placed(built.read_bytes(), "paced") if bench.client.prefix else str(built)
    script = bench_load.wrk_script(load, answer.body if check else None)
    if load.generator == "wrk" and script:
        name = f"{abs(hash(script)):x}.lua"
        script = bench.placed(script.encode(), name)
    commands = []
    for place, part in enumerate(bench_load.shared(load)):
        words = bench_load.command(part, bench.host, port, path, seconds, program=program,
                                   script=script, body=answer.body.decode("latin-1"))
        if load.processes > 1 and bench.host.startswith("127."):
            words += ["--from", f"127.0.2.{1 + place}"]  # each address has its own ports
        commands.append(bench.client.wrap(words))
    return bench_load.together([PARSERS[load.generator](said)
                                for said in bench_load.outputs_of(commands, seconds)])


@dataclass
class Snapshot:
    """The server late in a run: what each connection was sent, how often its threads waited."""

    sent: list[int] = field(default_factory=list)
    switches: int = 0
    threads: int = 0


def _snapshot_later(running: Running, delay: float, before: dict[int, int],
                    into: Snapshot, load: Load) -> threading.Timer:
    def look() -> None:
        processes = running.processes()
        if load.generator != "paced":  # which counts the answers of each connection itself
            into.sent = bench_watch.bytes_sent(running.port)
        into.switches = bench_watch.switches_since(before, bench_watch.context_switches(processes))
        into.threads = bench_watch.memory(processes).threads

    timer = threading.Timer(delay, look)
    timer.start()
    return timer


def shares(sent: Sequence[int], wire: int, asked: int, held: int) -> dict[str, int]:
    """How many of the load's connections got an answer, and the smallest and the largest share.

    `held` connections of a crowd are open as well. They were sent one answer or none, so they are
    those that were sent the least.
    """
    answers = sorted((amount // wire for amount in sent), reverse=True)
    busy = answers[: max(asked, len(answers) - held)][:asked]
    busy += [0] * (asked - len(busy))
    return {"asked": asked, "answered": sum(count > 0 for count in busy),
            "least": min(busy), "most": max(busy)}


def wrong_length(report: Report, answer: Answer, load: Load) -> bool:
    """Whether the bytes that a generator read do not fit the number of answers."""
    if report.wire_bytes is None or not report.requests:
        return False
    expected = report.requests * answer.wire
    # Tools round: wrk prints three digits of megabytes.
    slack = 0.02 * expected + load.connections * (SLACK_PER_CONNECTION + answer.wire)
    return abs(report.wire_bytes - expected) > slack


def measure(bench: Bench, server: Server, scenario: Scenario, point: Point) -> dict[str, Any]:
    """One run; never raises for what the server did wrong, but says so in the run's `failure`."""
    run: dict[str, Any] = {"began": time.time(), "figures": {}}
    steal = bench_watch.steal_ticks()
    try:
        with Running(several(server, scenario.processes), bench.folder, bench.cpus(scenario),
                     (*scenario.options, *point.options)) as running:
            _measure_running(bench, running, scenario, point, run)
    except LabError as error:
        run["failure"] = f"{server.name} in {scenario.name} ({point.label}): {one_line(error)}"
    run["steal"] = bench_watch.steal_share(steal, bench_watch.steal_ticks())
    return run


def _measure_running(bench: Bench, running: Running, scenario: Scenario, point: Point,
                     run: dict[str, Any]) -> None:
    load, port, figures = point.load, running.port, run["figures"]
    asked_s = max(bench.seconds, scenario.least_seconds)
    path = path_of(running.server, scenario, point)
    answer = checked(bench.host, port, path, scenario, point)
    if scenario.target in VARYING:
        answer = replace(answer, body=b"")  # no generator can compare it
    empty = bench_watch.memory(running.processes())
    with CrowdProcess(point.crowd, bench.host, port, bench.client.cpus) as crowd:
        if point.crowd.count:
            run["crowd"] = {"asked": point.crowd.count, "here": crowd.here}
        if point.crowd.kind == "idle" and crowd.here:
            grown = bench_watch.memory(running.processes()).anonymous - empty.anonymous
            figures["per_idle_kib"] = max(0, grown) / crowd.here
        if load.generator not in ("paced", "h2load"):  # these have a warm-up of their own
            threads = bench_watch.memory(running.processes()).threads
            generate(bench, load, port, path, WARM_UP_S, answer)
            settle(running, threads + FEW_THREADS)
        processes = running.processes()
        cpu = bench_watch.cpu_seconds(processes)
        snapshot = Snapshot()
        extra = {"h2load": WARM_UP_S, "paced": load.warm_up_s}.get(load.generator, 0.0)
        later = _snapshot_later(running, asked_s * SNAPSHOT_AT + extra,
                                bench_watch.context_switches(processes), snapshot, load)
        began = time.monotonic()
        try:
            report = generate(bench, load, port, path, asked_s, answer)
            seconds = time.monotonic() - began
            cpu = bench_watch.cpu_seconds(running.processes()) - cpu
        finally:
            later.cancel()
            later.join()
        usage = bench_watch.memory(running.processes())
    running.check_alive()
    _fill_in(run, report, answer, load, snapshot, crowd.here)
    in_time = report.requests if report.arrived is None else report.arrived
    figures["rate"] = in_time / (report.seconds or asked_s)
    # A warm-up of the generator's own costs the server as well: the figure is of all it served.
    served_share = {"h2load": seconds / (report.seconds or seconds),
                    "paced": (asked_s + load.warm_up_s) / asked_s}.get(load.generator, 1.0)
    if cpu > 0 and report.requests:
        figures["per_cpu_s"] = report.requests * served_share / cpu
    figures["threads"] = max(snapshot.threads, usage.threads)
    figures["peak_kib"] = usage.peak
    run["cpu_s"], run["seconds"], run["requests"] = cpu, report.seconds or seconds, report.requests
    judge_report(report, answer, load)
    checked(bench.host, port, path, scenario, point)


def _fill_in(run: dict[str, Any], report: Report, answer: Answer, load: Load, snapshot: Snapshot,
             held: int) -> None:
    """Who was served, and the latencies."""
    keeps = load.keep_alive and load.generator != "ab"
    if report.connections:
        run["connections"] = report.connections
    elif keeps and snapshot.sent:
        run["connections"] = shares(snapshot.sent, answer.wire, load.connections, held)
    if "connections" in run:
        run["figures"]["served"] = run["connections"]["answered"]
    answers = sum(snapshot.sent) // answer.wire
    if answers > 100:
        run["figures"]["switches"] = snapshot.switches / answers
    run["latency_us"] = report.latency_us
    for name in ("p50", "p99"):
        if load.generator == "paced":  # only latencies of an open load are figures
            run["figures"][name] = report.latency_us[name]
    run["timeouts"] = report.timeouts


def settle(running: Running, threads: int) -> None:
    """Waits until the threads that a warm-up's connections had have ended, or for two seconds."""
    deadline = time.monotonic() + SETTLE_S
    while time.monotonic() < deadline:
        if bench_watch.memory(running.processes()).threads <= threads:
            return
        time.sleep(0.01)


def judge_report(report: Report, answer: Answer, load: Load) -> None:
    """Raises LabError if what the generator saw was not what the server should have said."""
    if report.wrong:
        raise LabError(f"{report.wrong} of {report.requests} answers were wrong")
    if wrong_length(report, answer, load):
        raise LabError(f"{report.requests} answers had {report.wire_bytes} bytes; "
                       f"{answer.wire} each were expected")
    if report.failed:
        raise LabError(f"{report.failed} connections or requests broke")
    if not report.requests and not report.connections:  # else it is said who was not served
        raise LabError("nobody got an answer")


def look_closely(bench: Bench, server: Server, scenario: Scenario, point: Point) -> dict[str, Any]:
    """A pass that is not timed: every answer is checked, and the system calls are counted."""
    found: dict[str, Any] = {}
    if scenario.processes > 1:
        return found  # paced has checked them already, and so many clients are not to be traced
    load = point.load if point.load.generator in ("wrk", "paced") else Load(
        "wrk", point.load.connections, keep_alive=point.load.keep_alive)
    try:
        with Running(server, bench.folder, bench.cpus(scenario),
                     (*scenario.options, *point.options)) as running:
            path = path_of(server, scenario, point)
            answer = checked(bench.host, running.port, path, scenario, point)
            counts = bench.folder / "calls.txt"
            strace = _strace(running, counts)
            try:
                report = generate(bench, load, running.port, path,
                                  max(PASS_S, scenario.least_seconds / 2), answer,
                                  check=scenario.target not in VARYING)
            finally:
                if strace is not None:
                    end_strace(strace)
            judge_report(report, answer, replace(load, connections=load.connections * 4))
            if strace is not None and report.requests:
                calls = bench_watch.parse_strace(counts.read_text())
                found["calls"] = calls
                # wrk's count is of its own second; the server has answered a little more.
                found["syscalls"] = sum(calls.values()) / report.requests
    except (LabError, OSError) as error:
        where = f"{server.name} in {scenario.name} ({point.label})"
        found["failure"] = f"{where}, checked: {one_line(error)}"
    return found


def _strace(running: Running, counts: Path) -> Optional[subprocess.Popen[bytes]]:
    """strace, attached to all threads; None where it may not. Returns when it has begun."""
    if shutil.which("strace") is None:
        return None
    command = ["strace", "-f", "-c", "-o", str(counts)]
    for process in running.processes():
        command += ["-p", str(process)]
    strace = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, start_new_session=True)
    assert strace.stderr is not None
    said = strace.stderr.readline()
    if b"attached" not in said:
        end_strace(strace)
        return None
    return strace


def end_strace(strace: subprocess.Popen[bytes]) -> None:
    """Lets it detach and write its counts. It complains of every thread that it leaves."""
    if strace.poll() is None:
        strace.send_signal(signal.SIGINT)
    try:
        strace.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        end([strace], 1.0)
    if strace.stderr is not None:
        strace.stderr.close()


def make_files(folder: Path, sizes: Sequence[int]) -> None:
    """What servers of files serve: files of these sizes by their size, and the short texts."""
    (folder / "files").mkdir(parents=True, exist_ok=True)
    for size in sizes:
        (folder / "files" / str(size)).write_bytes(b"x" * size)
    (folder / "doc").mkdir(exist_ok=True)
    (folder / "doc" / "index.html").write_bytes(b"x" * 173)
    (folder / "plaintext").write_bytes(b"hello world\n")
    os.chmod(folder, 0o755)  # a server may drop its rights


def one_line(error: BaseException) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split())
