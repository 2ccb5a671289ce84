"""Tests of the parts of lab that decide something: `python3 -m unittest discover tests/lab`."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import building  # noqa: E402
import doctor  # noqa: E402
import machine  # noqa: E402
import processes  # noqa: E402
import serving  # noqa: E402
import showing  # noqa: E402
import stages  # noqa: E402
import table  # noqa: E402
import testing  # noqa: E402
from console import LabError, Progress, UsageError  # noqa: E402

STAGES = ["01-blocking", "02-thread-per-connection", "04-poll-loop"]


class StageNames(unittest.TestCase):
    def test_a_stage_goes_by_name_number_and_words(self) -> None:
        for text in ("04-poll-loop", "04", "4", "poll-loop"):
            self.assertEqual(stages.find_stage(text, STAGES), "04-poll-loop")

    def test_an_unknown_stage_is_wrong_usage_and_names_those_there_are(self) -> None:
        for text in ("03", "poll", "", "80"):
            with self.assertRaisesRegex(UsageError, "01-blocking, .*04-poll-loop"):
                stages.find_stage(text, STAGES)

    def test_the_last_stage_runs_unless_another_is_named(self) -> None:
        for arguments in ([], ["--port", "0"], ["8081"], ["--", "1"]):
            self.assertEqual(stages.split_stage(arguments, STAGES), ("04-poll-loop", arguments))

    def test_what_follows_the_stage_is_left_for_the_server(self) -> None:
        found = stages.split_stage(["1", "8081", "--log", "access"], STAGES)
        self.assertEqual(found, ("01-blocking", ["8081", "--log", "access"]))

    def test_stages_are_the_numbered_folders_that_are_built(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("02-two", "01-one", "notes"):
                (Path(folder) / "stages" / name).mkdir(parents=True)
                (Path(folder) / "stages" / name / "CMakeLists.txt").touch()
            (Path(folder) / "stages" / "03-to-come").mkdir()
            self.assertEqual(stages.all_stages(Path(folder)), ["01-one", "02-two"])

    def test_no_stage_at_all_is_said_clearly(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(LabError):
            stages.all_stages(Path(folder))


class FilesServed(unittest.TestCase):
    """What `lab serve` makes of its arguments."""

    @staticmethod
    def options(*arguments: str) -> dict[str, str]:
        words = serving.server_options(serving._parse(list(arguments)))
        return dict(zip(words[::2], words[1::2]))

    def test_this_folder_for_this_machine_unless_told_otherwise(self) -> None:
        self.assertEqual(
            self.options(),
            {"--app": "files", "--host": "127.0.0.1", "--port": "8008", "--root": os.getcwd(),
             "--log": "access", "--listing": "on"})

    def test_a_folder_that_is_not_there_is_refused_before_anything_is_built(self) -> None:
        with patch.object(serving, "build") as build, patch.object(serving, "become"):
            with self.assertRaisesRegex(UsageError, "nowhere is not a folder"):
                serving.main(["nowhere"])
            build.assert_not_called()

    def test_a_bare_number_is_the_port_and_another_word_the_folder(self) -> None:
        for arguments in (("/srv", "80"), ("80", "/srv"), ("-p", "80", "-d", "/srv")):
            options = self.options(*arguments)
            self.assertEqual((options["--root"], options["--port"]), ("/srv", "80"))
        self.assertEqual(self.options("./80")["--root"], os.path.abspath("80"))

    def test_every_option_reaches_the_server(self) -> None:
        options = self.options("-b", "::", "-o", "verbose", "--no-listing")
        self.assertEqual((options["--host"], options["--log"], options["--listing"]),
                         ("::", "verbose", "off"))
        self.assertEqual(self.options("-o", "none")["--log"], "off")

    def test_the_command_line_wins_over_the_file_and_that_over_our_defaults(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as config:
            config.write("# port = 1\nport = 9000\n root=/srv\nlog = off\n")
            config.flush()
            options = self.options("-c", config.name)
            self.assertEqual(options["--config"], config.name)
            for name in ("--port", "--root", "--log"):
                self.assertNotIn(name, options)
            self.assertEqual(options["--host"], "127.0.0.1")
            self.assertEqual(self.options("-c", config.name, "-p", "80")["--port"], "80")

    def test_what_makes_no_sense_is_wrong_usage(self) -> None:
        for arguments in (("a", "b"), ("80", "81"), ("-p", "80", "81"), ("-o", "all"), ("--port",),
                          ("--fast",)):
            with self.subTest(arguments), self.assertRaises(UsageError):
                self.options(*arguments)
        with self.assertRaises(LabError):
            self.options("-c", "/nowhere")

    def test_who_can_see_the_files_is_said(self) -> None:
        def said(*arguments: str) -> str:
            return serving.description(
                "07-x", serving.server_options(serving._parse(list(arguments))))

        self.assertIn("07-x serves /srv to this machine alone", said("/srv"))
        self.assertIn("everybody", said("/srv", "-b", "0.0.0.0"))


class Reports(unittest.TestCase):
    """What of a build's and a test run's output reaches the reader."""

    def test_of_a_failed_build_the_compilers_words_remain(self) -> None:
        stream = io.StringIO()
        report = building.NinjaReport(Progress(stream))
        for line in (
            "[1/3] Building CXX object common/http/CMakeFiles/stagecraft_http.dir/session.cpp.o",
            "FAILED: common/net/CMakeFiles/stagecraft_net.dir/socket.cpp.o ",
            "/usr/bin/c++ -I... -c socket.cpp",
            "socket.cpp:7:1: error: expected unqualified-id",
            None,
            "ninja: build stopped: subcommand failed.",
        ):
            report.on_line(line)
        self.assertEqual(stream.getvalue(), "socket.cpp:7:1: error: expected unqualified-id\n")

    def test_of_a_test_run_failures_and_the_summary_remain(self) -> None:
        failures, summary = io.StringIO(), io.StringIO()
        report = testing.CtestReport(Progress(failures))
        with redirect_stdout(summary):
            for line in (
                "Test project /somewhere/build/dev",
                "      Start  1: the first, with a comma",
                " 1/3 Test  #1: the first, with a comma .......   Passed    0.01 sec",
                "      Start  2: second",
                " 2/3 Test  #2: second ........................***Failed    0.02 sec",
                "expected 200, got 404",
                "",
                "      Start  3: third",
                " 3/3 Test  #3: third .........................***Skipped   0.00 sec",
                "",
                "67% tests passed, 1 tests failed out of 3",
                "",
                "Total Test time (real) =   0.03 sec",
            ):
                report.on_line(line)
        self.assertIn("***Failed", failures.getvalue())
        self.assertIn("expected 200, got 404\n", failures.getvalue())
        self.assertNotIn("first", failures.getvalue())
        self.assertNotIn("third", failures.getvalue())
        self.assertEqual(
            summary.getvalue(),
            "67% tests passed, 1 tests failed out of 3\n\nTotal Test time (real) =   0.03 sec\n",
        )

    def test_a_missing_dependency_is_one_line(self) -> None:
        said = 'By not providing "FindCatch2.cmake" ... file provided by "Catch2" with any of'
        self.assertIn("the Debian package is catch2", building.explain_cmake(said))
        said = "Could NOT find RE2 (missing: RE2_LIBRARY RE2_INCLUDE_DIR)"
        self.assertIn("the Debian package is libre2-dev", building.explain_cmake(said))
        self.assertIn("something else", building.explain_cmake("CMake Error: something else"))


class Followed(unittest.TestCase):
    def test_lines_of_both_streams_and_the_exit_code(self) -> None:
        lines: list[str] = []
        script = "echo one; echo two >&2; printf three; exit 7"
        code = processes.follow(["sh", "-c", script], lambda line: lines.append(line or ""))
        self.assertEqual((code, sorted(lines)), (7, ["one", "three", "two"]))

    def test_a_program_that_ignores_polite_signals_is_ended(self) -> None:
        script = "trap '' TERM; echo ready; while :; do read -r line; done"
        process = subprocess.Popen(
            ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdout is not None and process.stdin is not None
        with process.stdout, process.stdin:
            process.stdout.readline()
            processes.end([process], grace_s=0.05)
        self.assertEqual(process.returncode, -9)


class Doctor(unittest.TestCase):
    def test_versions_are_found_in_what_programs_print(self) -> None:
        self.assertEqual(machine.version_in("cmake version 3.25.1"), (3, 25, 1))
        self.assertIsNone(machine.version_in("no number here"))
        self.assertLess((3, 22, 1), machine.CMAKE_NEEDED)
        self.assertGreaterEqual((3, 25), machine.CMAKE_NEEDED)

    def test_a_compiler_is_known_by_what_it_says(self) -> None:
        said = {
            "g++ (Debian 12.2.0-14+deb12u1) 12.2.0": ("gcc", (12, 2, 0)),
            "Ubuntu clang version 18.1.3 (1ubuntu1)": ("clang", (18, 1, 3)),
            "": ("gcc", ()),
        }
        for line, expected in said.items():
            with patch("machine.output_of", return_value=line + "\nmore 1.2"):
                self.assertEqual(machine.compiler_version("c++"), expected)

    def test_a_taken_port_is_a_warning(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1]
            self.assertEqual(doctor.check_port(port).status, "warn")
            self.assertNotIn(port, [next(showing.free_ports(port))])
        self.assertEqual(doctor.check_port(port).status, "ok")

    def test_the_remedy_for_tsan_depends_on_what_it_said(self) -> None:
        found = doctor.explain_tsan("FATAL: ThreadSanitizer: unexpected memory mapping 0x5", "32")
        self.assertIn("vm.mmap_rnd_bits=28", found.remedy)
        self.assertIn("no such luck", doctor.explain_tsan("no such luck\n", "28").detail)

    def test_doctor_says_what_an_absent_tool_is_for(self) -> None:
        tools = {"sh": "dash", "no-such-tool": "a-package", "nor-this": "a-package"}
        check = doctor.check_tools("tools", "./lab bench", tools)
        self.assertEqual(check.status, "warn")
        self.assertEqual(check.detail, "./lab bench lacks no-such-tool, nor-this")
        self.assertEqual(check.remedy, "only for that: apt-get install a-package")
        self.assertEqual(doctor.check_tools("tools", "./lab bench", {"sh": "dash"}).status, "ok")

    def test_every_check_reports_in_its_three_words(self) -> None:
        for check in doctor.CHECKS:
            found = check()
            self.assertIn(found.status, ("ok", "warn", "missing"), found)
            self.assertEqual(found.status == "ok", found.remedy == "", found)


class Table(unittest.TestCase):
    def test_questions_stay_in_order_and_cells_in_their_column(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for stage, key, order, found in (
                ("01-one", "threads", 2, "1"),
                ("02-two", "threads", 2, "64"),
                ("02-two", "silent", 1, "yes"),
            ):
                file = Path(folder) / stage / f"{key}.json"
                file.parent.mkdir(exist_ok=True)
                cell = {"order": order, "question": f"{key}?", "found": found}
                file.write_text(json.dumps(cell))
            cells = table.found_cells(Path(folder))
        lines = table.table_lines(cells, ["01-one", "02-two"])
        self.assertEqual(
            lines,
            ["          01  02", "silent?       yes", "threads?  1   64"],
        )


class Packages(unittest.TestCase):
    """The script in front of the program, on machines that lack something."""

    def lab(self, *arguments: str, programs: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        """Runs ./lab where only `programs` are to be found; apt is never asked."""
        with tempfile.TemporaryDirectory() as folder:
            for program in ("sh", "cat", "dirname", "id", *programs):
                found = shutil.which(program)
                if found is None:
                    self.skipTest(f"{program} is not installed")
                # Scripts that look at their own name, as version managers have them, still work.
                wrapper = Path(folder) / program
                wrapper.write_text(f'#!/bin/sh\nPATH="{os.environ["PATH"]}" exec {found} "$@"\n')
                wrapper.chmod(0o755)
            return subprocess.run(
                ["/bin/sh", str(ROOT / "lab"), *arguments],
                env={"PATH": folder, "LAB_NO_INSTALL": "1"},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )

    def test_what_is_there_is_not_asked_for(self) -> None:
        ran = self.lab("run", programs=("python3", "ninja"))
        self.assertEqual(ran.returncode, 1)
        first = ran.stderr.splitlines()[0].split()
        self.assertIn("g++", first)
        self.assertIn("cmake", first)
        self.assertNotIn("python3", first)
        self.assertNotIn("ninja-build", first)
        self.assertNotIn("chromium", first)

    def test_a_verb_asks_only_for_its_own(self) -> None:
        ran = self.lab("test", "--browser", "--preset", "clang", programs=("python3",))
        for package in ("chromium", "chromium-driver", "clang"):
            self.assertIn(package, ran.stderr.split())
        self.assertIn(": python3\n", self.lab("doctor", programs=()).stderr)
        generators = ("wrk", "apache2-utils", "nghttp2-client", "iproute2", "strace")
        measuring = self.lab("bench", "--quick", programs=("python3",)).stderr.split()
        self.assertLessEqual(set(generators), set(measuring))
        self.assertIn(": python3\n", self.lab("bench", "compare", programs=()).stderr)

    def test_help_needs_nothing(self) -> None:
        for arguments in ((), ("help",), ("help", "run"), ("test", "--help")):
            ran = self.lab(*arguments, programs=())
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), arguments)
            self.assertIn("usage: ./lab", ran.stdout)

    def test_an_unknown_verb_is_one_line_and_exit_code_2(self) -> None:
        for arguments in (("fly",), ("help", "fly"), ("../help",)):
            ran = self.lab(*arguments, programs=())
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), arguments)
            self.assertEqual(len(ran.stderr.splitlines()), 1, arguments)

    def test_every_verb_has_a_page(self) -> None:
        source = (ROOT / "common" / "lab" / "__main__.py").read_text()
        for page in (ROOT / "common" / "lab" / "help").glob("*.txt"):
            self.assertIn(f'"{page.stem}":', source)


if __name__ == "__main__":
    unittest.main()
