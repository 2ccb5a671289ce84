"""What is measured: the scenarios, their points, and the step of the ladder that each one tells."""

from __future__ import annotations

import resource
from dataclasses import dataclass, field, replace
from typing import Optional, Sequence

from bench_load import Load

# What a server, a generator and lab keep open besides the connections of a scenario.
SPARE_DESCRIPTORS = 900

ALL = ("01", "02", "03", "04", "05", "06", "07")
LOOPS = ("04", "05", "06", "07")


@dataclass(frozen=True)
class Crowd:
    """Clients who are there besides the load (bench_crowd.py says what each kind does)."""

    kind: str = "idle"  # idle, silent, drip, reader or blocker
    count: int = 0


@dataclass(frozen=True)
class Point:
    """One load. `label` is what the axis says; a number where it can be one."""

    label: str
    load: Load
    crowd: Crowd = Crowd()
    path: str = ""  # another than the scenario's
    options: tuple[str, ...] = ()
    scaled: str = ""  # what the published scenario has and this machine has not


@dataclass(frozen=True)
class Scenario:
    """Points to measure, the figure to draw, and what that figure does not say."""

    name: str
    title: str
    target: str  # which of a server's paths; one that has none is left out
    figure: str  # a key of bench_figures.FIGURES
    points: tuple[Point, ...]
    stages: tuple[str, ...] = ALL
    axis: str = ""  # what the points' labels count
    options: tuple[str, ...] = ()
    caution: str = ""
    processes: int = 1  # of the server, on one port; 1 wherever one can hold all connections
    server_cpus: int = 1  # how many the server is given
    least_cpus: int = 1  # on machines with fewer it is left out
    least_seconds: float = 0.0  # of a run
    quick: tuple[str, ...] = ()  # the labels that --quick measures; all if none


@dataclass(frozen=True)
class Step:
    """Where a stage hurts, and what the next one makes of it."""

    before: str
    after: str
    scenario: str
    figure: str
    question: str
    points: tuple[str, ...] = ()  # labels; all if none


@dataclass(frozen=True)
class Room:
    """What this machine has room for."""

    descriptors: int
    client_cpus: int

    def threads(self, wanted: int) -> int:
        """A generator with more threads than CPUs measures the scheduler."""
        return max(1, min(wanted, self.client_cpus))

    def connections(self, wanted: int) -> int:
        """As many as one server process can hold."""
        return max(1, min(wanted, self.descriptors - SPARE_DESCRIPTORS))


def room(client_cpus: int) -> Room:
    """The room on this machine."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return Room(1 << 20 if hard == resource.RLIM_INFINITY else hard, client_cpus)


def _published(space: Room, threads: int, connections: int, **more: object) -> tuple[Load, str]:
    """A load as published, or as much of it as there is room for, and what was cut."""
    load = Load("wrk", space.connections(connections), space.threads(threads))
    cut = []
    if load.threads < threads:
        cut.append(f"{load.threads} of {threads} threads of wrk")
    if load.connections < connections:
        cut.append(f"{load.connections} of {connections} connections: a process here may hold "
                   f"{space.descriptors} descriptors")
    return replace(load, **more), "; ".join(cut)


SHARES = 3  # processes of a server and of its generator, each with its own descriptors


def _shared(space: Room, connections: int, rate: int) -> tuple[Load, str]:
    """A load for several processes, or as much of it as there is room for, and what was cut."""
    room_for = SHARES * space.connections(connections)
    load = Load("paced", min(connections, room_for), rate=rate, processes=SHARES, warm_up_s=5.0,
                patience_s=5.0)
    if room_for >= connections:
        return load, ""
    share = room_for / connections
    return replace(load, rate=int(rate * share)), f"{room_for} of {connections} connections"


_CLOSED_LOOP = (
    "Each client asks again when it has been answered, so a slower server is asked less: these "
    "latencies are no user's, and are not compared."
)
_OPEN_LOOP = (
    "The rate is far below what any stage can do, so this says how long a user waits, and nothing "
    "of how many users there can be."
)


def _published_scenarios(space: Room) -> list[Scenario]:
    m1, m1_cut = _published(space, 1, 100, pipeline=16)
    m2, m2_cut = _published(space, 8, 100)
    m3, m3_cut = _published(space, 16, 50000)
    m3x3, m3x3_cut = _shared(space, 50000, 42000)
    e1, e1_cut = _published(space, 64, 64)
    e2 = replace(e1, keep_alive=False)
    n1 = Load("h2load", 100)
    n1_cut = "as many of the 5,000,000 requests as fit into the time"
    t1 = Load("ab", space.connections(500))
    t1_cut = "for a time instead of 10,000 requests: CPU time is counted in hundredths of a second"
    files = "ab has one thread and asks slowly; what it measures of a fast server is itself."
    m1_points = (Point("M1", replace(m1), scaled=m1_cut),)
    return [
        Scenario("M1", "16 pipelined requests per write, 100 connections", "plain", "per_cpu_s",
                 m1_points, caution=_CLOSED_LOOP),
        Scenario("M2", "100 connections", "plain", "per_cpu_s",
                 (Point("M2", m2, scaled=m2_cut),), caution=_CLOSED_LOOP),
        Scenario("M3", "Answers after one second, as many clients as possible", "later", "rate",
                 (Point("M3", m3, scaled=m3_cut),), LOOPS, least_seconds=20,
                 options=("--max-connections=1000000", "--accept-length=65535"),
                 caution="The ideal is one request per second and client. A run begins with a "
                         "second without answers, and with the time that all take to connect: "
                         "wrk knocks with all at once, and who finds the queue full tries again "
                         "after 1, 3 and 7 s."),
        Scenario("M3x3", "Answers after one second, three processes on one port", "later", "rate",
                 (Point("M3x3", m3x3, scaled=m3x3_cut),), ("07",), least_seconds=20,
                 options=("--max-connections=1000000", "--accept-length=65535"),
                 processes=SHARES,
                 caution="50,000 clients are more than a process here may hold. A fixed rate of "
                         "42,000 a second is asked for, so what is missing was not answered in "
                         "time; where servers and clients share few CPUs, that says how many "
                         "CPUs there are. The percentiles are the worst of three generators'."),
        Scenario("N1", "100 connections, /health", "health", "per_cpu_s",
                 (Point("N1", n1, scaled=n1_cut),), caution=_CLOSED_LOOP),
        Scenario("E1", "64 connections, /testolope", "hello", "per_cpu_s",
                 (Point("E1", e1, scaled=e1_cut),), caution=_CLOSED_LOOP),
        Scenario("E2", "A connection for each request", "hello_closing", "per_cpu_s",
                 (Point("E2", e2, scaled=e1_cut),),
                 caution="Most of this is the kernel making and ending connections."),
        Scenario("T1", "A file of 173 bytes, a connection for each request", "document",
                 "per_cpu_s", (Point("T1", replace(t1, keep_alive=False), scaled=t1_cut),),
                 caution=files),
        Scenario("T1k", "A file of 173 bytes, connections kept", "document", "per_cpu_s",
                 (Point("T1k", t1, scaled=t1_cut),), caution=files),
    ]


SIZES = {"0": 0, "1 KiB": 1 << 10, "10 KiB": 10 << 10, "100 KiB": 100 << 10, "1 MiB": 1 << 20,
         "10 MiB": 10 << 20}


def _own_scenarios(space: Room) -> list[Scenario]:
    busy = Load("wrk", 64, 1)
    paced = Load("paced", 16, rate=500)
    idle = sorted({space.connections(count) for count in (1000, 5000, 10000, 19000)})
    few_sizes = ("0", "100 KiB", "10 MiB")
    return [
        Scenario("plain", "64 connections", "plain", "per_cpu_s", (Point("64", busy),),
                 caution=_CLOSED_LOOP),
        Scenario("pipelined", "16 pipelined requests per write, 64 connections", "plain",
                 "per_cpu_s", (Point("64", replace(busy, pipeline=16)),), caution=_CLOSED_LOOP),
        Scenario("connections", "From 1 to 1,000 busy connections", "plain", "per_cpu_s",
                 tuple(Point(str(count), Load("wrk", count)) for count in (1, 10, 100, 1000)),
                 axis="busy connections", quick=("1", "100", "1000"), caution=_CLOSED_LOOP),
        Scenario("idle", "Idle connections beside 64 busy ones", "plain", "per_cpu_s",
                 tuple(Point(str(count), busy, Crowd("idle", count)) for count in (0, *idle)),
                 ("02", *LOOPS), axis="idle connections", quick=("0", "1000", "10000"),
                 options=("--idle-timeout=10min", "--request-timeout=0",
                          "--max-connections=1000000"),
                 caution="An idle client of the thread pool holds a worker, so 03 ends it after a "
                         "second; 01 serves one client at a time. They are left out."),
        Scenario("silent", "Clients who connect and say nothing, beside 500 requests per second",
                 "plain", "p99",
                 tuple(Point(str(count), paced, Crowd("silent", count)) for count in (0, 1, 8, 64)),
                 axis="silent clients", quick=("0", "8"), caution=_OPEN_LOOP),
        Scenario("slow", "One slow client, beside 500 requests per second", "plain", "p99",
                 (Point("none", paced), Point("asks a byte at a time", paced, Crowd("drip", 1)),
                  Point("reads 10 MiB slowly", paced, Crowd("reader", 1))), caution=_OPEN_LOOP),
        Scenario("block", "Clients whose handlers sleep 100 ms, beside 500 requests per second",
                 "plain", "p99",
                 tuple(Point(str(count), paced, Crowd("blocker", count)) for count in (0, 1, 4)),
                 axis="clients of slow handlers", quick=("0", "4"), caution=_OPEN_LOOP),
        Scenario("bodies", "Bodies sent and given back, 8 connections", "echo", "per_cpu_s",
                 tuple(Point(label, Load("wrk", 8, body_bytes=size))
                       for label, size in SIZES.items()),
                 options=("--max-request-size=16MiB",), quick=few_sizes,
                 caution="Large bodies measure memory and the kernel's copying."),
        Scenario("files", "Files, 8 connections", "files", "per_cpu_s",
                 tuple(Point(label, Load("wrk", 8), path=f"/files/{size}")
                       for label, size in SIZES.items()), quick=few_sizes,
                 caution="All files are in the kernel's cache; no disk is measured."),
        Scenario("close", "A connection for each request, 64 at a time", "closing", "per_cpu_s",
                 (Point("64", replace(busy, keep_alive=False)),),
                 caution="Most of this is the kernel making and ending connections."),
        Scenario("loops", "One loop and more", "plain", "rate",
                 tuple(Point(str(count), replace(busy, connections=256, threads=2),
                             options=(f"--concurrency={count}",)) for count in (1, 2)),
                 ("06", "07"), axis="loops", server_cpus=2, least_cpus=4,
                 caution="With fewer than four CPUs the generator would share them with the "
                         "server, and the second loop would seem to cost what it gains."),
    ]


STORY = (
    Step("01", "02", "plain", "served", "64 clients ask at once. How many get an answer?"),
    Step("02", "03", "connections", "threads", "1,000 busy clients. How many threads?", ("1000",)),
    Step("03", "04", "silent", "p99", "8 clients say nothing. How long do the others wait?",
         ("8",)),
    Step("04", "05", "idle", "per_cpu_s", "Idle clients beside 64 busy ones. What do they cost?"),
    Step("05", "06", "block", "p99", "4 handlers sleep. How long do the others wait?", ("4",)),
    Step("06", "07", "loops", "rate", "Two CPUs for the server. Who uses the second?"),
)


@dataclass(frozen=True)
class Catalogue:
    """All scenarios of this machine, by name."""

    scenarios: dict[str, Scenario] = field(default_factory=dict)

    def find(self, name: str) -> Optional[Scenario]:
        """By its name in any case."""
        by_name = {known.lower(): scenario for known, scenario in self.scenarios.items()}
        return by_name.get(name.lower())


def catalogue(space: Room) -> Catalogue:
    """What can be measured here."""
    every = [*_published_scenarios(space), *_own_scenarios(space)]
    return Catalogue({scenario.name: scenario for scenario in every})


def only(scenario: Scenario, labels: Sequence[str]) -> Scenario:
    """The scenario with these of its points; all of them if none is named."""
    points = tuple(point for point in scenario.points if not labels or point.label in labels)
    return replace(scenario, points=points or scenario.points)
