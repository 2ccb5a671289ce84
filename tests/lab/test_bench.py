"""Tests of what ./lab bench concludes: what generators say, shares, statistics, verdicts, charts.

No load is made here; tests/lab/test_bench_run.py has one tiny run.
"""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from xml.dom import minidom

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import bench  # noqa: E402
import bench_chart  # noqa: E402
import bench_compare  # noqa: E402
import bench_load  # noqa: E402
import bench_machine  # noqa: E402
import bench_report  # noqa: E402
import bench_run  # noqa: E402
import bench_scenarios  # noqa: E402
import bench_servers  # noqa: E402
import bench_stats  # noqa: E402
import bench_watch  # noqa: E402
from bench_load import Load, Report  # noqa: E402
from console import LabError, UsageError  # noqa: E402

WRK = """Running 2s test @ http://127.0.0.1:18123/plaintext
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   630.74us    1.38ms  20.24ms   89.09%
  Latency Distribution
     50%  105.00us
     99%    6.72ms
  92442 requests in 2.01s, 13.14MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 5
Requests/sec:  46000.47
"""

AB = """Time taken for tests:   0.043 seconds
Complete requests:      1000
Failed requests:        7
   (Connect: 0, Receive: 1, Length: 6, Exceptions: 0)
Non-2xx responses:      2
Total transferred:      334000 bytes
Percentage of the requests served within a certain time (ms)
  50%      1
  99%      8
 100%     12 (longest request)
"""

H2LOAD = """finished in 2.01s, 37894.00 req/s, 5.38MB/s
requests: 37894 total, 37894 started, 37894 done, 37892 succeeded, 2 failed, 1 errored, 3 timeout
status codes: 37890 2xx, 0 3xx, 1 4xx, 1 5xx
traffic: 5.38MB (5646206) total, 8.22MB (8614308) headers (space savings 0.00%), 989.70KB data
"""

PACED = """{"asked": 400, "unanswered": 300, "arrived": 90, "wrong": 1, "reopened": 0,
 "connections": {"asked": 4, "answered": 1, "least": 0, "most": 100},
 "latency_us": {"p50": 1665086.1, "p90": 2730086.1, "p99": 2970086.1, "max": 2990086.1}}"""


class Generators(unittest.TestCase):
    def test_wrk(self) -> None:
        report = bench_load.parse_wrk(WRK)
        self.assertEqual((report.requests, report.seconds), (92442, 2.01))
        self.assertEqual(report.latency_us, {"p50": 105.0, "p99": 6720.0})
        self.assertEqual((report.failed, report.timeouts, report.wrong), (6, 4, 5))
        self.assertEqual(report.wire_bytes, int(13.14 * 1024 * 1024))

    def test_wrk_pads_its_shorter_units(self) -> None:
        report = bench_load.parse_wrk(WRK.replace("99%    6.72ms", "99%    1.02s "))
        self.assertEqual(report.latency_us, {"p50": 105.0, "p99": 1.02e6})

    def test_wrk_with_our_script_tells_of_wrong_bodies(self) -> None:
        self.assertEqual(bench_load.parse_wrk(WRK + "wrong answers: 12\n").wrong, 12)

    def test_ab(self) -> None:
        report = bench_load.parse_ab(AB)
        self.assertEqual((report.requests, report.wire_bytes), (1000, 334000))
        self.assertEqual((report.failed, report.wrong), (1, 8))
        self.assertEqual(report.latency_us["p99"], 8000.0)

    def test_h2load_counts_the_time_without_its_warm_up(self) -> None:
        report = bench_load.parse_h2load(H2LOAD)
        self.assertAlmostEqual(report.seconds, 1.0, places=3)
        self.assertEqual((report.wrong, report.failed, report.timeouts), (2, 1, 3))

    def test_paced(self) -> None:
        report = bench_load.parse_paced(PACED)
        self.assertEqual((report.requests, report.timeouts, report.wrong), (100, 300, 1))
        self.assertEqual(report.connections and report.connections["answered"], 1)

    def test_what_nobody_understands_is_an_error_and_not_a_zero(self) -> None:
        for parse in bench_load.PARSERS.values():
            with self.assertRaises(LabError):
                parse("unable to connect\n")

    def test_a_generator_elsewhere_gets_its_words_whole(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ssh = Path(folder) / "ssh"  # what ssh does: joins its words, and lets a shell read them
            ssh.write_text('#!/bin/sh\n[ "$1" = HOST ] || exit 9\nshift\nexec sh -c "$*"\n')
            ssh.chmod(0o755)
            client = bench_load.Client([str(ssh), "HOST"], "1")
            words = ["printf", "%s|", "a b", "c;d", "$HOME"]
            said = subprocess.run(client.wrap(words), capture_output=True, text=True, check=True)
            self.assertEqual(said.stdout, "a b|c;d|$HOME|")
            path = client.put(b"content \x00")
            self.assertEqual(Path(path).read_bytes(), b"content \x00")
            client.remove([path])
            self.assertFalse(Path(path).exists())

    def test_here_the_generator_is_pinned(self) -> None:
        self.assertEqual(bench_load.Client((), "1").wrap(["x"]), ["taskset", "-c", "1", "x"])

    def test_a_body_survives_the_way_into_lua(self) -> None:
        self.assertEqual(bench_load.lua_text(b'a"\n\\'), '"\\097\\034\\010\\092"')
        script = bench_load.wrk_script(Load("wrk", 1, pipeline=16), b"hello\n")
        self.assertIn("string.rep(one, 16)", script)
        self.assertEqual(bench_load.wrk_script(Load("wrk", 1)), "")


class Watching(unittest.TestCase):
    def test_bytes_sent_are_per_connection_and_none_is_zero(self) -> None:
        text = ("0 0 127.0.0.1:80 127.0.0.1:1 bbr rto:204 bytes_sent:802 bytes_acked:802 send 3\n"
                "0 0 127.0.0.1:80 127.0.0.1:2 bbr rto:204 cwnd:10\n")
        self.assertEqual(bench_watch.parse_ss(text), [802, 0])

    def test_shares_leave_the_crowd_out_and_find_who_got_nothing(self) -> None:
        sent = [1000, 900, 0, 100, 100]  # two of a crowd had one answer each
        self.assertEqual(bench_run.shares(sent, 100, 3, 2),
                         {"asked": 3, "answered": 3, "least": 1, "most": 10})
        self.assertEqual(bench_run.shares([1000, 0, 0], 100, 3, 0),
                         {"asked": 3, "answered": 1, "least": 0, "most": 10})
        self.assertEqual(bench_run.shares([1000], 100, 2, 0)["answered"], 1)

    def test_strace_counts(self) -> None:
        text = ("% time     seconds  usecs/call     calls    errors syscall\n"
                "------ ----------- ----------- --------- --------- ----------------\n"
                " 75.00    0.143058          14     10120           sendto\n"
                "  0.05    0.000090           6        13         2 accept4\n"
                "  0.03    0.000050          50         1           restart_syscall\n"
                "100.00    0.190741           8     10134         2 total\n")
        self.assertEqual(bench_watch.parse_strace(text), {"sendto": 10120, "accept4": 13})

    def test_a_process_name_with_brackets_does_not_shift_its_numbers(self) -> None:
        self.assertEqual(bench_watch.stat_fields("7 (a) b) S 1 2 3")[:3], ["S", "1", "2"])

    def test_our_own_process_is_seen(self) -> None:
        memory = bench_watch.memory([bench_run.os.getpid()])
        self.assertGreater(memory.peak, 1000)
        self.assertGreaterEqual(memory.threads, 1)

    def test_switches_of_a_new_thread_count_from_its_start(self) -> None:
        self.assertEqual(bench_watch.switches_since({1: 10, 2: 5}, {1: 12, 3: 4}), 6)

    def test_steal_is_a_share_of_the_time_that_passed(self) -> None:
        self.assertEqual(bench_watch.steal_share((10, 100), (20, 200)), 0.1)
        self.assertIsNone(bench_watch.steal_share((10, 100), (10, 100)))


class Judging(unittest.TestCase):
    answer = bench_run.Answer(b"x" * 50, 100)

    def judge(self, report: Report) -> None:
        bench_run.judge_report(report, self.answer, Load("wrk", 1))

    def test_a_right_run_passes_and_each_wrong_one_is_named(self) -> None:
        requests = 1 << 20
        self.judge(Report(requests, 1.0, requests * 100))
        for report, said in (
            (Report(requests, 1.0, requests * 100, wrong=3), "3 of .* were wrong"),
            (Report(requests, 1.0, requests * 90), "expected"),
            (Report(requests, 1.0, requests * 100, failed=2), "broke"),
            (Report(0, 1.0, 0), "nobody"),
        ):
            with self.assertRaisesRegex(LabError, said):
                self.judge(report)

    def test_a_scenario_knows_its_right_body(self) -> None:
        known = bench_scenarios.catalogue(bench_scenarios.Room(20000, 1)).scenarios
        self.assertEqual(bench_run.expected_body(known["bodies"], known["bodies"].points[1]),
                         b"x" * 1024)
        self.assertEqual(bench_run.expected_body(known["files"], known["files"].points[0]), b"")


class Scenarios(unittest.TestCase):
    def test_what_a_machine_cannot_hold_is_cut_and_said(self) -> None:
        known = bench_scenarios.catalogue(bench_scenarios.Room(20000, 1)).scenarios
        self.assertEqual(known["M3"].points[0].load.connections, 19100)
        self.assertIn("of 50000 connections", known["M3"].points[0].scaled)
        large = bench_scenarios.catalogue(bench_scenarios.Room(1 << 20, 64)).scenarios
        self.assertEqual(large["M3"].points[0].load.connections, 50000)
        self.assertEqual(large["E1"].points[0].scaled, "")

    def test_the_story_is_made_of_scenarios_and_points_that_exist(self) -> None:
        known = bench_scenarios.catalogue(bench_scenarios.Room(20000, 1)).scenarios
        for step in bench_scenarios.STORY:
            labels = [point.label for point in known[step.scenario].points]
            self.assertLessEqual(set(step.points), set(labels), step)

    def test_a_server_with_one_loop_is_measured_with_one_only(self) -> None:
        loops = bench_scenarios.catalogue(bench_scenarios.Room(20000, 1)).scenarios["loops"]
        one = bench_servers.Server("one", (), {"plain": "/"})
        many = bench_servers.Server("many", (), {"plain": "/"},
                                    options=frozenset(["--concurrency"]))
        self.assertEqual([bench_run.can(one, loops, point) for point in loops.points],
                         [True, False])
        self.assertTrue(all(bench_run.can(many, loops, point) for point in loops.points))

    def test_every_server_is_first_once(self) -> None:
        servers = [bench_servers.Server(name, (), {}) for name in "abcd"]
        firsts = {bench.in_turn(servers, turn)[0].name for turn in range(8)}
        self.assertEqual(firsts, set("abcd"))
        for turn in range(8):
            self.assertEqual({s.name for s in bench.in_turn(servers, turn)}, set("abcd"))

    def test_a_foreign_server_is_four_parts(self) -> None:
        server = bench_servers.foreign_server("mine|9000|/x|prog --port {port} 'a b'")
        self.assertEqual(server.command, ("prog", "--port", "{port}", "a b"))
        self.assertEqual((server.port, server.paths["plain"]), (9000, "/x"))
        for text in ("mine", "mine|x|/|p", "mine|1|x|p", "|1|/|p"):
            with self.assertRaises(UsageError):
                bench_servers.foreign_server(text)

    def test_turbo_is_unknown_where_linux_does_not_say(self) -> None:
        self.assertEqual([bench_machine.turbo(*said) for said in
                          (("0", ""), ("1", ""), ("", "1"), ("", "0"), ("", ""))],
                         ["on", "off", "on", "off", "unknown"])


class Statistics(unittest.TestCase):
    def test_the_rank_test_counts_out_small_sets(self) -> None:
        self.assertAlmostEqual(bench_stats.rank_test([1, 2, 3], [4, 5, 6]), 2 / 20)
        self.assertAlmostEqual(bench_stats.rank_test([1, 2, 3, 4], [5, 6, 7, 8]), 2 / 70)
        self.assertEqual(bench_stats.rank_test([1, 2, 3], [1, 2, 3]), 1.0)
        many = list(range(20))
        self.assertLess(bench_stats.rank_test(many, [x + 30 for x in many]), 1e-6)
        self.assertGreater(bench_stats.rank_test(many, many), 0.9)

    def test_verdicts(self) -> None:
        base = [100.0, 101.0, 99.0, 100.5, 99.5]
        self.assertEqual(bench_stats.judge(base, [x * 1.3 for x in base], 0.02).kind, "changed")
        self.assertEqual(bench_stats.judge(base, base, 0.02).kind, "same")
        # Far apart, but so was the same program twice.
        self.assertEqual(bench_stats.judge(base, [x * 1.3 for x in base], 0.4).kind, "unknown")
        self.assertEqual(bench_stats.judge(base, [60.0, 150, 90, 140, 100], 0.02).kind, "unknown")
        few = bench_stats.judge(base[:3], [x * 9 for x in base[:3]], 0.0)
        self.assertEqual(few.kind, "unknown")
        self.assertIn("4 of each are needed", few.reason)

    def test_noise_is_the_difference_of_the_same_twice(self) -> None:
        self.assertAlmostEqual(bench_stats.noise([100.0], [110.0]) or 0, 0.1)
        self.assertIsNone(bench_stats.noise([], [1.0]))


def run_of(turn: int, figure: float, answered: int = 64) -> dict[str, Any]:
    connections = {"asked": 64, "answered": answered, "least": int(answered == 64), "most": 9}
    return {"round": turn, "steal": 0.01, "connections": connections,
            "figures": {"per_cpu_s": figure, "p99": figure / 10, "served": answered,
                        "peak_kib": 4000}}


def result_of(scale: float = 1.0) -> dict[str, Any]:
    """A small file of figures: three servers, one of which starves 63 clients."""
    def server(figure: float, again: str = "", answered: int = 64) -> dict[str, Any]:
        runs = [run_of(turn, figure * (1 + turn / 100), answered) for turn in range(5)]
        return {"again": again, "command": [], "runs": runs}

    machine = {"processor": "P & Q", "cpus": 2, "virtual": False, "kernel": "Linux 1",
               "governor": "g", "turbo": "off", "load_average": 0.0, "compiler": "gcc 12",
               "flags": "-O2", "commit": "abc", "changed": False, "date": "today"}
    point = {"scenario": "plain", "title": "64 <connections>", "figure": "per_cpu_s", "axis": "",
             "caution": "Nothing & all.", "label": "64", "load": {}, "crowd": {},
             "scaled": "1 of 2",
             "servers": {"floor": server(1000), "01-blocking": server(300, answered=1),
                         "07-x": server(900 * scale), "07-x again": server(909 * scale, "07-x")}}
    return {"format": 1, "complete": True, "story": True, "runs": 5, "seconds": 5.0,
            "server_cpus": ["0"], "client_cpus": "1", "client": "", "machine": machine,
            "points": [point]}


class Comparing(unittest.TestCase):
    def test_a_change_beyond_noise_is_named_with_its_direction(self) -> None:
        lines = bench_compare.compare(result_of(), result_of(0.8))
        told = [line for line in lines if "07-x, req/CPU-s" in line]
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], "WORSE by -20")
        self.assertTrue(any("07-x, p99" in line and "better" in line for line in lines))

    def test_the_same_is_the_same_and_says_so(self) -> None:
        lines = bench_compare.compare(result_of(), result_of())
        self.assertTrue(any("07-x, req/CPU-s to the floor: the same" in line for line in lines))
        self.assertFalse(any("WORSE" in line or "better" in line for line in lines))

    def test_a_slow_hour_that_slows_the_floor_as_well_is_no_change(self) -> None:
        slow = result_of()
        for server in slow["points"][0]["servers"].values():
            for run in server["runs"]:
                run["figures"]["per_cpu_s"] *= 0.7
        lines = bench_compare.compare(result_of(), slow)
        self.assertFalse([line for line in lines if "req/CPU-s" in line and "WORSE" in line])

    def test_other_machines_and_other_loads_are_said(self) -> None:
        other = result_of()
        other["machine"]["kernel"] = "Linux 2"
        other["points"][0]["load"] = {"connections": 9}
        lines = bench_compare.compare(result_of(), other)
        self.assertIn("not the same kernel", lines[0])
        self.assertTrue(any("the loads differ" in line for line in lines))

    def test_starving_is_told_in_words_and_not_in_latency(self) -> None:
        lines = bench_compare.compare(result_of(), result_of())
        self.assertTrue(any("01-blocking: starved somebody in 5 runs" in line for line in lines))
        self.assertFalse(any("01-blocking, p99" in line for line in lines))


class Reporting(unittest.TestCase):
    def test_the_report_is_whole_and_escaped(self) -> None:
        files = bench_report.render(result_of(), "x")
        self.assertEqual(set(files), {"x.html", "x.svg", "x-plain.svg"})
        for name, content in files.items():
            self.assertNotIn("64 <connections>", content, name)
            if name.endswith(".svg"):
                minidom.parseString(content)  # well-formed
        page = files["x.html"]
        self.assertNotRegex(page, r'(?:src|href)="?http')
        for words in ("What not to conclude", "served 1 of 64", "A/A: the same program twice",
                      "Scaled: 1 of 2", "P &amp; Q", "viewport", "prefers-color-scheme"):
            self.assertIn(words, page)

    def test_a_starving_server_is_hatched_and_has_no_latency(self) -> None:
        result = result_of()
        result["points"][0]["figure"] = "p99"
        rows = [bench_report.row_of(name, server, "p99", 1)
                for name, server in result["points"][0]["servers"].items()]
        self.assertIsNone(rows[1].figure)
        self.assertEqual(rows[1].note, "served 1 of 64")
        drawn = "".join(bench_chart.bars([bench_report.row_of(
            "01", result["points"][0]["servers"]["01-blocking"], "per_cpu_s", 1)], 0, log=False))
        self.assertIn("url(#hatch)", drawn)

    def test_points_on_an_axis_are_lines(self) -> None:
        result = result_of()
        second = copy.deepcopy(result["points"][0])
        for label, point in zip(("0", "10000"), (result["points"][0], second)):
            point.update(axis="idle connections", label=label)
        result["points"].append(second)
        drawn = bench_report.render(result, "x")["x-plain.svg"]
        self.assertEqual(drawn.count("<polyline"), 3)
        self.assertIn("10,000", drawn)

    def test_a_failed_run_is_named_on_the_page_and_counts_for_nothing(self) -> None:
        result = result_of()
        runs = result["points"][0]["servers"]["07-x"]["runs"]
        for run in runs:
            run["failure"] = "07-x in plain (64): 5 of 9 answers were wrong"
        self.assertEqual(bench_report.values({"runs": runs}, "per_cpu_s"), [])
        self.assertIn("5 of 9 answers were wrong", bench_report.render(result, "x")["x.html"])

    def test_a_note_that_fits_on_no_side_stands_apart_from_its_figure(self) -> None:
        rows = [bench_chart.Row("02-thread-per-connection", bench_stats.summary([1002.0]),
                                "served 889 of 1,000"),
                bench_chart.Row("03-thread-pool", bench_stats.summary([10.0]))]
        drawn = "".join(bench_chart.bars(rows, 0, log=True))
        self.assertIn(">1,002</text>", drawn)
        found = re.search(r'x="([0-9.]+)"[^>]*text-anchor="end">served', drawn)
        assert found is not None
        room = float(found[1]) - bench_chart.NAMES
        self.assertGreater(room, bench_chart.LETTER * len(rows[0].note))

    def test_ticks_are_round(self) -> None:
        self.assertEqual(bench_chart.Scale([1000.0], 0, 1, False).ticks()[:2], [0.0, 500.0])
        self.assertEqual(bench_chart.Scale([20.0, 4000.0], 0, 1, True).ticks(),
                         [10.0, 100.0, 1000.0, 10000.0])

    def test_what_is_no_file_of_figures_is_one_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "x.json"
            for content in ("", "[]", json.dumps({"format": 2, "points": []})):
                file.write_text(content)
                with self.assertRaises(LabError):
                    bench_report.load(file)


if __name__ == "__main__":
    unittest.main()
