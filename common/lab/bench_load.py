"""The load generators: how each is called, and what each says.

What they say becomes one shape, a `Report`; the differences between wrk, ab, h2load and our `paced`
end in this file.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import dataclass, field, replace
from typing import Optional, Sequence

from console import LabError
from processes import end

# wrk's units of time, in microseconds.
_MICROSECONDS = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 60e6, "h": 3600e6}
_BYTES = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}


@dataclass(frozen=True)
class Load:
    """What is asked of a server, by which generator."""

    generator: str  # wrk, ab, h2load or paced
    connections: int
    threads: int = 1
    pipeline: int = 1  # requests per write; wrk only
    rate: int = 0  # requests per second; paced only, as what follows
    processes: int = 1  # that share connections and rate: one may hold only so many descriptors
    warm_up_s: float = 0.5  # from the time at which all are connected
    patience_s: float = 1.0  # for the last answers
    keep_alive: bool = True
    body_bytes: int = -1  # of a POST; -1: a GET


@dataclass
class Report:
    """What a generator saw. `wire_bytes` are those of the answers with their heads, if it says."""

    requests: int
    seconds: float
    wire_bytes: Optional[int] = None
    latency_us: dict[str, float] = field(default_factory=dict)
    wrong: int = 0  # answers with another status than 2xx or 3xx, length or body
    failed: int = 0  # connections or requests that broke
    timeouts: int = 0
    arrived: Optional[int] = None  # answers within the seconds, where requests count others, too
    connections: Optional[dict[str, int]] = None  # asked, answered, least, most: if it counts them


class LoadFailed(LabError):
    """A generator did not work, or said what nobody understands."""


def parse_wrk(text: str) -> Report:
    """Reads the output of `wrk --latency`; with our script also the number of wrong answers."""
    done = re.search(r"^\s*(\d+) requests in ([\d.]+)(us|ms|s|m|h), ([\d.]+)([KMGT]?B) read", text,
                     re.MULTILINE)
    if not done:
        raise LoadFailed(f"wrk said nothing of requests:\n{text.strip()[-400:]}")
    seconds = float(done[2]) * _MICROSECONDS[done[3]] / 1e6
    report = Report(int(done[1]), seconds, int(float(done[4]) * _BYTES[done[5]]))
    for percent, value, unit in re.findall(r"^\s*(\d+)%\s+([\d.]+)(us|ms|s|m|h)\s*$", text,
                                           re.MULTILINE):
        report.latency_us[f"p{percent}"] = float(value) * _MICROSECONDS[unit]
    # A wrong body is found by our script, in the words of its last line.
    for pattern in (r"Non-2xx or 3xx responses: (\d+)", r"^wrong answers: (\d+)"):
        found = re.search(pattern, text, re.MULTILINE)
        report.wrong = max(report.wrong, int(found[1]) if found else 0)
    broken = re.search(r"connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    if broken:
        report.failed = sum(int(broken[i]) for i in (1, 2, 3))
        report.timeouts = int(broken[4])
    return report


def parse_ab(text: str) -> Report:
    """Reads the output of ab."""

    def number(name: str) -> float:
        found = re.search(rf"^{name}:\s+([\d.]+)", text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    if not number("Time taken for tests"):
        raise LoadFailed(f"ab did not finish:\n{text.strip()[-400:]}")
    report = Report(
        int(number("Complete requests")),
        number("Time taken for tests"),
        int(number("Total transferred")),
        {f"p{percent}": float(ms) * 1e3
         for percent, ms in re.findall(r"^\s*(\d+)%\s+(\d+)", text, re.MULTILINE)},
        wrong=int(number("Non-2xx responses")),
    )
    broken = re.search(r"Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)", text)
    if broken:
        report.failed = int(broken[1]) + int(broken[2]) + int(broken[4])
        report.wrong += int(broken[3])
    return report


def parse_h2load(text: str) -> Report:
    """Reads the output of `h2load --h1`. It has no percentiles: none are made up."""
    done = re.search(r"^finished in ([\d.]+)(us|ms|s|m), ([\d.]+) req/s", text, re.MULTILINE)
    counts = re.search(r"^requests: \d+ total, \d+ started, (\d+) done, (\d+) succeeded, "
                       r"(\d+) failed, (\d+) errored, (\d+) timeout", text, re.MULTILINE)
    traffic = re.search(r"^traffic: \S+ \((\d+)\) total", text, re.MULTILINE)
    statuses = re.search(r"^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", text,
                         re.MULTILINE)
    if not (done and counts and traffic and statuses):
        raise LoadFailed(f"h2load did not finish:\n{text.strip()[-400:]}")
    # The time it names includes its warm-up, the rate does not.
    rate = float(done[3])
    seconds = int(counts[2]) / rate if rate else float(done[1]) * _MICROSECONDS[done[2]] / 1e6
    return Report(
        int(counts[2]),
        seconds,
        int(traffic[1]),
        wrong=int(statuses[3]) + int(statuses[4]),
        failed=int(counts[4]),
        timeouts=int(counts[5]),
    )


def parse_paced(text: str) -> Report:
    """Reads what tests/bench/paced.cpp prints; the seconds are the caller's to know."""
    try:
        said = json.loads(text)
    except ValueError as error:
        raise LoadFailed(f"paced did not finish: {text.strip()[-400:]}") from error
    return Report(
        said["asked"] - said["unanswered"],
        0.0,
        latency_us=said["latency_us"],
        wrong=said["wrong"],
        timeouts=said["unanswered"],
        arrived=said["arrived"],
        connections=said["connections"],
    )


PARSERS = {"wrk": parse_wrk, "ab": parse_ab, "h2load": parse_h2load, "paced": parse_paced}


def wrk_script(load: Load, body: Optional[bytes] = None) -> str:
    """What wrk has to be told in Lua: pipelining, a POST, and with `body` to check every answer.

    Checking costs wrk half of its speed, so it has a pass of its own.
    """
    lines = []
    if load.body_bytes >= 0:
        lines += ['wrk.method = "POST"', f'wrk.body = string.rep("x", {load.body_bytes})']
    if load.pipeline > 1:
        lines += [
            "init = function(args)",
            "  local one = wrk.format()",
            f"  all = string.rep(one, {load.pipeline})",
            "end",
            "request = function() return all end",
        ]
    if body is not None:
        text = ('string.rep("x", %d)' % len(body)) if body == b"x" * len(body) else lua_text(body)
        lines += [
            f"local expected = {text}",
            "local threads = {}",
            "wrong = 0",
            "setup = function(thread) table.insert(threads, thread) end",
            "response = function(status, headers, body)",
            "  if status ~= 200 or body ~= expected then wrong = wrong + 1 end",
            "end",
            "done = function()",
            "  local sum = 0",
            '  for _, thread in ipairs(threads) do sum = sum + thread:get("wrong") end',
            '  io.write(string.format("wrong answers: %d\\n", sum))',
            "end",
        ]
    return "".join(line + "\n" for line in lines)


def lua_text(data: bytes) -> str:
    """Bytes as a string of Lua."""
    return '"' + "".join(f"\\{byte:03d}" for byte in data) + '"'


def command(load: Load, host: str, port: int, path: str, seconds: float, *,
            program: str, script: str = "", body: str = "") -> list[str]:
    """The generator's command line. `program` is where it is, `script` a file with wrk's script."""
    url = f"http://{host}:{port}{path}"
    connections, threads = str(load.connections), str(min(load.threads, load.connections))
    if load.generator == "wrk":
        # It takes whole seconds only.
        made = [program, f"-t{threads}", f"-c{connections}", f"-d{max(1, round(seconds))}s",
                "--timeout", "10", "--latency"]
        if not load.keep_alive:
            made += ["-H", "Connection: close"]
        return made + (["-s", script] if script else []) + [url]
    if load.generator == "ab":
        # Its -t alone means at most 50,000 requests; the -n behind it lifts that.
        made = [program, "-q", "-t", str(max(1, round(seconds))), "-n", "100000000",
                "-c", connections, "-s", "10"]
        return made + (["-k"] if load.keep_alive else []) + [url]
    if load.generator == "h2load":
        return [program, "--h1", "-t", threads, "-c", connections,
                "-D", str(max(1, round(seconds))), "--warm-up-time", "1", url]
    return [program, "--host", host, "--port", str(port), "--path", path, "--rate", str(load.rate),
            "--connections", connections, "--seconds", str(seconds), "--body", body,
            "--warm-up", str(load.warm_up_s), "--patience", str(load.patience_s)]


def shared(load: Load) -> list[Load]:
    """What each process of a generator has to do of a load."""
    count = load.processes
    return [replace(load, processes=1, rate=load.rate // count,
                    connections=load.connections // count + (place < load.connections % count))
            for place in range(count)]


def together(reports: Sequence[Report]) -> Report:
    """What the processes of a generator have seen, as one.

    Of percentiles the greatest is taken: the true one of all is not greater.
    """
    first, *others = reports
    if not others:
        return first
    connections = [report.connections for report in reports if report.connections]
    return Report(
        sum(report.requests for report in reports),
        first.seconds,
        latency_us={name: max(report.latency_us[name] for report in reports)
                    for name in first.latency_us},
        wrong=sum(report.wrong for report in reports),
        failed=sum(report.failed for report in reports),
        timeouts=sum(report.timeouts for report in reports),
        arrived=sum(report.arrived or 0 for report in reports),
        connections={
            "asked": sum(counts["asked"] for counts in connections),
            "answered": sum(counts["answered"] for counts in connections),
            "least": min(counts["least"] for counts in connections),
            "most": max(counts["most"] for counts in connections),
        } if connections else None,
    )


def outputs_of(commands: Sequence[Sequence[str]], seconds: float) -> list[str]:
    """Runs all at the same time to their end."""
    processes: list[subprocess.Popen[bytes]] = []
    outputs = []
    try:
        for words in commands:
            processes.append(subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                start_new_session=True))
        for process in processes:
            outputs.append(process.communicate(timeout=seconds + 60)[0].decode(errors="replace"))
        return outputs
    except subprocess.TimeoutExpired as error:
        raise LoadFailed(f"{commands[0][0]} did not end") from error
    finally:
        end(processes, 1.0)
        for process in processes:
            if process.stdout is not None:
                process.stdout.close()


@dataclass
class Client:
    """Where the generators run: here, on CPUs of their own, or elsewhere, behind `prefix`."""

    prefix: Sequence[str] = ()  # as in ssh HOST
    cpus: str = ""  # a list for taskset; of this machine only

    def wrap(self, words: Sequence[str]) -> list[str]:
        """The command that runs `words` where the generators run."""
        if self.prefix:
            # ssh joins its arguments with blanks, and a shell there takes them apart again.
            return [*self.prefix, shlex.join(words)]
        return (["taskset", "-c", self.cpus] if self.cpus else []) + list(words)

    def put(self, content: bytes) -> str:
        """Copies a file to where the generators run; returns its path there. Needs `prefix`."""
        store = "f=$(mktemp) && cat >$f && chmod 700 $f && echo $f"
        ran = subprocess.run([*self.prefix, store], input=content, capture_output=True,
                             timeout=60, check=False)
        path = ran.stdout.decode(errors="replace").strip()
        if ran.returncode != 0 or not path:
            raise LabError(f"could not copy a file by {shlex.join(self.prefix)}: "
                           f"{ran.stderr.decode(errors='replace').strip()}")
        return path

    def remove(self, paths: Sequence[str]) -> None:
        """Removes what put() has copied."""
        if paths:
            subprocess.run([*self.prefix, shlex.join(["rm", "-f", *paths])], timeout=60,
                           stdin=subprocess.DEVNULL, check=False)
