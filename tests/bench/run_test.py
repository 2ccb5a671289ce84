"""One tiny run of ./lab bench from end to end. Asserts what it says, never how fast anything was.

    run_test.py BUILD_FOLDER

The stages that are measured are those of the build folder; where a generator is not installed, or
no system calls may be traced, the parts that need it are left out.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import bench  # noqa: E402
import bench_report  # noqa: E402
import bench_servers  # noqa: E402
import bench_watch  # noqa: E402
from bench_load import Client  # noqa: E402
from bench_run import Bench, look_closely, make_files, measure  # noqa: E402
from bench_scenarios import Load, Point, Scenario  # noqa: E402

BUILD = Path(sys.argv.pop() if len(sys.argv) > 1 else ROOT / "build" / "dev").resolve()

# A server that answers the wrong thing, after the question by which lab learns what is right.
LIAR = """
import http.server
class Liar(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = 0
    def do_GET(self):
        Liar.asked += 1
        body = b"right" if Liar.asked == 1 else b"wrong"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
"""


def needs(*programs: str) -> bool:
    return all(shutil.which(program) for program in programs)


class TinyRun(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        where = patch("bench_servers.program_path", lambda name, _: BUILD / "bin" / name)
        where.start()
        self.addCleanup(where.stop)
        make_files(self.folder, [0])
        self.bench = Bench(self.folder, Client(), [], "127.0.0.1", 0.3)
        self.paced = Load("paced", 4, rate=200)

    def scenario(self, load: Load) -> tuple[Scenario, Point]:
        point = Point("tiny", load)
        # 01 would turn to the next client when the first has been silent for a second.
        options = ("--idle-timeout=1min",)
        return Scenario("tiny", "Tiny", "plain", "p99", (point,), options=options), point

    @unittest.skipUnless(needs("wrk", "ss"), "wrk and ss are not installed")
    def test_a_whole_run_ends_in_figures_a_report_and_no_process(self) -> None:
        out = self.folder / "tiny.json"
        arguments = ["01", "05", "--no-build", "--runs", "1", "--seconds", "1", "--out", str(out)]
        seen: list[int] = []
        started = bench_servers.Running.__enter__

        def remember(running: bench_servers.Running) -> bench_servers.Running:
            seen.append(running.pid)
            return started(running)

        with patch.object(bench_servers.Running, "__enter__", remember):
            self.assertEqual(bench.main(arguments), 0)
        result = json.loads(out.read_text())
        self.assertTrue(result["complete"])
        servers = result["points"][0]["servers"]
        self.assertEqual(list(servers),
                         ["floor", "01-blocking", "05-epoll-loop", "05-epoll-loop again"])
        # The kernel's counts of what was sent tell who was served.
        self.assertEqual(servers["01-blocking"]["runs"][0]["connections"]["answered"], 1)
        self.assertEqual(servers["05-epoll-loop"]["runs"][0]["connections"]["answered"], 64)
        for key in ("rate", "peak_kib", "threads"):
            self.assertGreater(servers["05-epoll-loop"]["runs"][0]["figures"][key], 0)
        for key in ("processor", "kernel", "governor", "turbo", "compiler", "commit"):
            self.assertIn(key, result["machine"])
        self.assertGreaterEqual(len(seen), 4)
        for session in seen:
            self.assertEqual(bench_watch.processes_of(session), [])
        with redirect_stdout(StringIO()):
            self.assertEqual(bench_report.main([str(out)]), 0)
        self.assertIn("served 1 of 64", out.with_suffix(".html").read_text())

    def test_an_open_load_counts_who_waits(self) -> None:
        for stage, answered in (("01-blocking", 1), ("02-thread-per-connection", 4)):
            server = bench_servers.stage_server(stage, "127.0.0.1")
            run = measure(self.bench, server, *self.scenario(self.paced))
            self.assertNotIn("failure", run)
            self.assertEqual(run["connections"]["answered"], answered, stage)
            self.assertIn("p99", run["figures"])

    def test_clients_of_several_processes_find_several_servers_on_one_port(self) -> None:
        load = Load("paced", 31, rate=310, processes=3)
        point = Point("tiny", load)
        scenario = Scenario("tiny", "Tiny", "plain", "rate", (point,), processes=3)
        server = bench_servers.stage_server("07-epoll-multi-loop", "127.0.0.1")
        counts: list[int] = []
        enter = bench_servers.Running.__enter__

        def look(running: bench_servers.Running) -> bench_servers.Running:
            counts.append(len(running.processes()))
            counts.append(running.pid)
            return enter(running)

        with patch.object(bench_servers.Running, "__enter__", look):
            run = measure(self.bench, server, scenario, point)
        self.assertNotIn("failure", run)
        self.assertEqual((run["connections"]["asked"], run["connections"]["answered"]), (31, 31))
        self.assertEqual(counts[0], 3)  # and no shell that waits for them
        self.assertEqual(bench_watch.processes_of(counts[1]), [])

    def test_a_wrong_answer_fails_the_run_by_name(self) -> None:
        liar = bench_servers.Server("liar", (sys.executable, "-c", LIAR), {"plain": "/"})
        run = measure(self.bench, liar, *self.scenario(self.paced))
        self.assertRegex(run["failure"], "liar in tiny .*were wrong")
        if needs("wrk"):
            found = look_closely(self.bench, liar, *self.scenario(Load("wrk", 2)))
            self.assertRegex(found["failure"], "liar in tiny .*were wrong")

    def test_a_server_that_does_not_start_is_a_failed_run(self) -> None:
        command = ("sh", "-c", "echo no luck >&2; exit 3")
        none = bench_servers.Server("none", command, {"plain": "/"})
        run = measure(self.bench, none, *self.scenario(self.paced))
        self.assertIn("no luck", run["failure"])

    def test_a_server_of_several_processes_is_ended_whole(self) -> None:
        script = "trap '' TERM; (trap '' TERM; while :; do read x <&3; done) 3</dev/zero & " \
                 "echo listening on http://127.0.0.1:1; while :; do read x; done </dev/zero"
        server = bench_servers.Server("stubborn", ("sh", "-c", script), {})
        with patch("bench_servers.SECONDS_TO_STOP", 0.2):
            with bench_servers.Running(server, self.folder, "") as running:
                session = running.pid
                self.assertTrue(bench_watch.processes_of(session))
        self.assertEqual(bench_watch.processes_of(session), [])

    @unittest.skipUnless(needs("wrk", "ss"), "wrk and ss are not installed")
    def test_an_interrupted_run_keeps_what_it_has_and_leaves_nobody(self) -> None:
        out = self.folder / "cut.json"
        driver = ("import sys; from pathlib import Path; import bench, bench_servers\n"
                  f"folder = Path({str(BUILD)!r}, 'bin')\n"
                  "bench_servers.program_path = lambda name, _: folder / name\n"
                  "enter = bench_servers.Running.__enter__\n"
                  "def told(self): print(self.pid, flush=True); return enter(self)\n"
                  "bench_servers.Running.__enter__ = told\n"
                  "bench.main(sys.argv[1:])\n")
        process = subprocess.Popen(
            [sys.executable, "-B", "-c", driver, "05", "--no-build", "--seconds", "60", "--out",
             str(out)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "common" / "lab")})
        assert process.stdout is not None
        with process.stdout:
            session = int(process.stdout.readline())  # the first server runs
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        self.assertEqual(bench_watch.processes_of(session), [])
        self.assertFalse(json.loads(out.read_text())["complete"])


if __name__ == "__main__":
    unittest.main()
