"""Tests of loads and servers of `./lab bench` that are several processes."""

from __future__ import annotations

import sys
import unittest
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import bench_load  # noqa: E402
import bench_run  # noqa: E402
import bench_scenarios  # noqa: E402
import bench_servers  # noqa: E402
from bench_load import Load, Report  # noqa: E402


def seen(answered: int, p99: float, **more: int) -> Report:
    return Report(100, 0.0, latency_us={"p50": 10.0, "p99": p99},
                  connections={"asked": 10, "answered": answered, "least": answered, "most": 90},
                  **more)


class Loads(unittest.TestCase):
    def test_processes_share_all_connections_and_the_rate(self) -> None:
        parts = bench_load.shared(Load("paced", 50000, rate=42000, processes=3))
        self.assertEqual([part.connections for part in parts], [16667, 16667, 16666])
        self.assertEqual([part.rate for part in parts], [14000] * 3)
        self.assertEqual({part.processes for part in parts}, {1})

    def test_a_load_of_one_process_stays_as_it_is(self) -> None:
        load = Load("wrk", 64)
        self.assertEqual(bench_load.shared(load), [load])

    def test_what_they_saw_is_added_up_and_latencies_are_the_worst(self) -> None:
        both = bench_load.together([seen(10, 99.0, wrong=1), seen(8, 50.0, timeouts=2)])
        self.assertEqual((both.requests, both.wrong, both.timeouts), (200, 1, 2))
        self.assertEqual(both.connections, {"asked": 20, "answered": 18, "least": 8, "most": 90})
        self.assertEqual(both.latency_us, {"p50": 10.0, "p99": 99.0})

    def test_one_report_is_itself(self) -> None:
        report = seen(10, 1.0)
        self.assertIs(bench_load.together([report]), report)

    def test_m3_in_full_needs_three_processes_of_20000_descriptors(self) -> None:
        known = bench_scenarios.catalogue(bench_scenarios.Room(20000, 1)).scenarios["M3x3"]
        self.assertEqual((known.points[0].load.connections, known.points[0].scaled), (50000, ""))
        small = bench_scenarios.catalogue(bench_scenarios.Room(1900, 1)).scenarios["M3x3"].points[0]
        self.assertEqual(small.load.connections, 3000)
        self.assertEqual(small.load.rate, 42000 * 3000 // 50000)
        self.assertEqual(small.scaled, "3000 of 50000 connections")


class Servers(unittest.TestCase):
    ONE = bench_servers.Server("one", ("prog", "--port", "0", "--log", "off"), {"later": "/x"},
                               options=frozenset(["--reuse-port"]))

    def test_copies_have_one_port_and_the_last_takes_the_place_of_the_shell(self) -> None:
        three = bench_servers.several(self.ONE, 3)
        self.assertEqual(three.command[:3], ("sh", "-c", '"$@" & "$@" & exec "$@"'))
        self.assertEqual(three.command[4:], ("prog", "--port", "{port}", "--log", "off",
                                             "--reuse-port", "on"))
        self.assertGreater(three.port, 0)
        self.assertEqual(three.copies, 3)

    def test_one_copy_is_the_server_itself(self) -> None:
        self.assertIs(bench_servers.several(self.ONE, 1), self.ONE)

    def test_who_cannot_share_a_port_does_not_take_part(self) -> None:
        scenario = bench_scenarios.catalogue(bench_scenarios.Room(20000, 1)).scenarios["M3x3"]
        alone = replace(self.ONE, options=frozenset())
        self.assertTrue(bench_run.can(self.ONE, scenario, scenario.points[0]))
        self.assertFalse(bench_run.can(alone, scenario, scenario.points[0]))

    def test_ready_lines_count_when_they_are_whole(self) -> None:
        line = b"listening on http://127.0.0.1:80"
        self.assertEqual(bench_servers.ready_ports(line), [])
        self.assertEqual(bench_servers.ready_ports(b"x\n" + line + b"\n"), [80])
        self.assertEqual(bench_servers.ready_ports(line + b"\n" + line + b"\n" + line), [80, 80])


if __name__ == "__main__":
    unittest.main()
