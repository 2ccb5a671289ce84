"""Tests of `./lab mutants`: what it must not take for a mutant that was caught."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import mutant_cases  # noqa: E402
import mutant_files  # noqa: E402
import mutant_programs  # noqa: E402
import mutant_table  # noqa: E402
import mutants  # noqa: E402
from mutant_cases import Verdict  # noqa: E402
from mutant_files import Mutant, MutantError  # noqa: E402

STAGES = ["01-blocking", "04-poll-loop", "05-epoll-loop"]

DESCRIPTION = """
# A comment.

[no-limit]
breaks: There is no limit.
file: common/a.cpp
stage: 04
test: conformance: There is a limit: it holds
= int size() {
- return limit;
+ return 0;
"""

SOURCE = "int size() {\n  return limit;\n}\nint other() {\n  return limit;\n}\n"


def described(text: str = DESCRIPTION) -> Mutant:
    return mutant_files.read_mutants(text, "limits", STAGES)[0]


class Descriptions(unittest.TestCase):
    def test_a_description_is_read(self) -> None:
        mutant = described()
        self.assertEqual(
            (mutant.name, mutant.kind, mutant.stage), ("no-limit", "limits", "04-poll-loop")
        )
        self.assertEqual(
            (mutant.program, mutant.test), ("conformance", "There is a limit: it holds")
        )

    def test_a_file_of_several_stages_is_a_mutant_in_each(self) -> None:
        text = DESCRIPTION.replace("common/a.cpp", "a.cpp").replace("stage: 04", "stage: 05 04")
        both = mutant_files.read_mutants(text, "limits", STAGES)
        self.assertEqual([mutant.name for mutant in both], ["no-limit@05", "no-limit@04"])
        self.assertEqual(both[1].file, "stages/04-poll-loop/a.cpp")
        self.assertEqual([mutant.is_copy for mutant in both], [False, True])

    def test_what_is_missing_is_named(self) -> None:
        for line, complaint in (
            ("breaks: There is no limit.\n", "no-limit does not say: breaks"),
            ("test: conformance: There is a limit: it holds\n", "no-limit does not say: test"),
            ("- return limit;\n", "no-limit replaces nothing"),
        ):
            with self.assertRaisesRegex(MutantError, complaint):
                described(DESCRIPTION.replace(line, ""))
        with self.assertRaisesRegex(MutantError, "limits.txt:5: what is `brakes:"):
            described(DESCRIPTION.replace("breaks:", "brakes:"))
        with self.assertRaisesRegex(MutantError, "through which sources is its header"):
            described(DESCRIPTION.replace("a.cpp", "a.h"))

    def test_two_of_one_name_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("limits", "timers"):
                (Path(folder) / f"{kind}.txt").write_text(DESCRIPTION)
            with self.assertRaisesRegex(MutantError, "same name: no-limit"):
                mutant_files.all_mutants(Path(folder), STAGES)


class Places(unittest.TestCase):
    def test_one_place_is_replaced(self) -> None:
        self.assertEqual(
            described().applied_to(SOURCE), SOURCE.replace("return limit", "return 0", 1)
        )

    def test_indentation_does_not_matter(self) -> None:
        self.assertIn("return 0;", described().applied_to(SOURCE.replace("  ", "    ")))

    def test_lines_that_are_gone_are_an_error_that_names_the_mutant(self) -> None:
        with self.assertRaisesRegex(MutantError, "no-limit is stale: .* not there in common/a.cpp"):
            described().applied_to(SOURCE.replace("size", "length"))

    def test_lines_that_stand_twice_are_an_error_that_names_the_mutant(self) -> None:
        twice = described(DESCRIPTION.replace("= int size() {\n", ""))
        with self.assertRaisesRegex(MutantError, "no-limit is stale: .* 2 times in common/a.cpp"):
            twice.applied_to(SOURCE)

    def test_all_stale_ones_are_told_at_once(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            complaints = mutant_files.stale_mutants([described(), described()], Path(folder))
        self.assertEqual(len(complaints), 2)
        self.assertIn("no-limit is stale: there is no common/a.cpp", complaints[0])


# Does with the names in the file after --input-file what each says, and writes Catch2's XML.
FAKE_PROGRAM = """#!{python}
import os, signal, sys
asked = open(sys.argv[sys.argv.index("--input-file") + 1])
names = [line.strip().replace("\\\\", "") for line in asked]
report = open(sys.argv[sys.argv.index("-o") + 1], "w", buffering=1)
for name in names:
    if name == "nothing of this name":
        continue
    report.write(f'<TestCase name="{{name}}" tags="">\\n')
    if name == "hangs":
        signal.pause()
    if name == "crashes":
        os.abort()
    word = "false" if name.startswith("fails") else "true"
    report.write(f'<OverallResult success="{{word}}"/>\\n')
sys.exit(3 if "ends badly" in names else 0)
"""


class Runs(unittest.TestCase):
    """A program that behaves as the programs of mutants do."""

    def run_cases(self, *names: str, all_seconds: float = 20.0) -> dict[str, Verdict]:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text(FAKE_PROGRAM.format(python=sys.executable))
            program.chmod(0o755)
            return mutant_cases.run_cases(
                program, names, {}, case_seconds=1.0, all_seconds=all_seconds
            )

    def test_each_case_has_its_verdict(self) -> None:
        self.assertEqual(
            self.run_cases("one", "fails", "two, [and] more"),
            {"one": Verdict.PASSED, "fails": Verdict.FAILED, "two, [and] more": Verdict.PASSED},
        )

    def test_a_crash_is_a_verdict_and_the_others_still_run(self) -> None:
        self.assertEqual(
            self.run_cases("one", "crashes", "fails"),
            {"one": Verdict.PASSED, "crashes": Verdict.CRASHED, "fails": Verdict.FAILED},
        )

    def test_a_hang_is_a_verdict_and_the_others_still_run(self) -> None:
        self.assertEqual(
            self.run_cases("hangs", "two"), {"hangs": Verdict.HUNG, "two": Verdict.PASSED}
        )

    def test_a_case_that_does_not_exist_has_no_verdict(self) -> None:
        self.assertEqual(self.run_cases("nothing of this name"), {})

    def test_a_bad_end_counts_against_the_last_case(self) -> None:
        self.assertEqual(
            self.run_cases("one", "ends badly"),
            {"one": Verdict.PASSED, "ends badly": Verdict.FAILED},
        )

    def test_what_there_was_no_time_for_has_no_verdict(self) -> None:
        self.assertEqual(self.run_cases("one", "hangs", all_seconds=0.5), {"one": Verdict.PASSED})


class Findings(unittest.TestCase):
    def complaint(self, verdicts: dict[str, Verdict]) -> str:
        return mutants.Findings(described(), verdicts={"conformance": verdicts}).complaint()

    def test_a_mutant_is_caught_by_the_test_that_it_names(self) -> None:
        for verdict in (Verdict.FAILED, Verdict.CRASHED, Verdict.HUNG):
            self.assertEqual(self.complaint({"There is a limit: it holds": verdict}), "")

    def test_a_survivor_is_a_complaint(self) -> None:
        verdicts = {"There is a limit: it holds": Verdict.PASSED, "other": Verdict.FAILED}
        self.assertIn("no-limit survives the test it names", self.complaint(verdicts))

    def test_without_a_verdict_nothing_is_caught(self) -> None:
        self.assertIn("there is no verdict", self.complaint({}))


class Table(unittest.TestCase):
    def test_a_row_names_the_test_and_the_others_that_fail(self) -> None:
        matrix = {
            "no-limit": {
                "conformance": {"There is a limit: it holds": "hangs", "b | c": "fails"},
                "unit-http": {f"case {i}": "fails" for i in range(9)},
            }
        }
        page = mutant_table.table_text([described()], matrix)
        self.assertIn(
            "| `no-limit` | There is no limit. | conformance: There is a limit: it holds (hangs) |"
            " conformance: b \\| c<br>unit-http: 9 of 9 cases |",
            page,
        )

    def test_cases_that_no_mutant_fails_are_listed(self) -> None:
        matrix = {
            "one": {"conformance": {"a": "fails", "b": "passes", "c": "passes"}},
            "two": {"conformance": {"a": "passes", "b": "crashes", "c": "passes"}},
        }
        self.assertEqual(mutant_table.uncaught(matrix), {"conformance": ["c"]})


MAIN = '#include "a.h"\n#include <cstdio>\nint main() { std::printf("%d", size()); }\n'


class Programs(unittest.TestCase):
    """A program of two files, one of them in a library, as CMake and Ninja would describe it."""

    def setUp(self) -> None:
        self.compiler = shutil.which("c++") or ""
        if not self.compiler or not shutil.which("ar"):
            self.skipTest("there is no compiler")
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in {
            "common/a.h": "#pragma once\nint size();\n",
            "common/a.cpp": f'#include "a.h"\nconst int limit = 7;\n{SOURCE}',
            "tests/main.cpp": MAIN,
            "stages/README": "",
        }.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        self.build_original()

    def build_original(self) -> None:
        build = self.folder / "build"
        entries = []
        for source, target in (("common/a.cpp", "common"), ("tests/main.cpp", "main")):
            made = f"{source.split('/')[0]}/CMakeFiles/{target}.dir/{Path(source).name}.o"
            (build / made).parent.mkdir(parents=True)
            command = f"{self.compiler} -I{self.folder}/common -o {made} -c {self.folder}/{source}"
            subprocess.run(command.split(), cwd=build, check=True)
            entries.append({"directory": str(build), "file": source, "command": command})
            entries[-1]["file"] = str(self.folder / source)
        library = ["ar", "qc", "common/libcommon.a", "common/CMakeFiles/common.dir/a.cpp.o"]
        subprocess.run(library, cwd=build, check=True)
        (build / "compile_commands.json").write_text(json.dumps(entries))
        (build / "CMakeCache.txt").write_text("CMAKE_MAKE_PROGRAM:FILEPATH=false\n")

    def printed_with(self, description: str) -> str:
        made = "tests/CMakeFiles/main.dir/main.cpp.o"
        link = f"{self.compiler} {made} -o bin/main common/libcommon.a"
        tree = mutant_programs.BuildTree(self.folder / "build", self.folder)
        with patch.object(tree, "_ask_ninja", lambda *_: f": && {link} && :\n"):
            bench = mutant_programs.Workbench(tree, self.folder / "build" / "bench")
            program = bench.build(described(description), ["main"])["main"]
            return subprocess.run([program], capture_output=True, text=True, check=True).stdout

    def test_the_library_is_linked_with_the_mutant_in_it(self) -> None:
        self.assertEqual(self.printed_with(DESCRIPTION), "0")
        self.assertIn("return limit;", (self.folder / "common" / "a.cpp").read_text())

    def test_an_object_is_linked_with_the_mutant_in_it(self) -> None:
        text = DESCRIPTION.replace("common/a.cpp", "tests/main.cpp")
        text = text.replace("= int size() {\n", "").replace("return limit;", MAIN.splitlines()[2])
        self.assertEqual(self.printed_with(text.replace("return 0;", "int main() {}")), "")

    def test_a_mutant_that_does_not_compile_is_an_error_that_names_it(self) -> None:
        with self.assertRaisesRegex(MutantError, "no-limit does not compile: .*nonsense"):
            self.printed_with(DESCRIPTION.replace("return 0;", "return nonsense;"))

    def test_a_file_that_is_no_part_of_the_program_is_an_error(self) -> None:
        with self.assertRaisesRegex(MutantError, "no-limit: .* no part of main"):
            (self.folder / "common" / "b.cpp").write_text(SOURCE)
            self.printed_with(DESCRIPTION.replace("a.cpp", "b.cpp"))


if __name__ == "__main__":
    unittest.main()
