"""Tests of what reads and judges exercises: the form, the hints, likeness, and how tests end."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import exercise_files  # noqa: E402
import exercise_form  # noqa: E402
import exercise_hints  # noqa: E402
import similarity  # noqa: E402
from console import LabError, UsageError  # noqa: E402
from exercise_run import Limits, Outcome, Status, run_test  # noqa: E402

DESCRIPTION = {
    "title": "A thing",
    "stage": "01",
    "kind": "build",
    "minutes": 10,
    "outcomes": ["do a thing"],
    "edit": ["a.cpp"],
    "near": [],
    "tests": [
        {"name": "first", "points": 4, "requirement": "it is there"},
        {"name": "second", "points": 1, "requirement": "it works", "hidden": True},
    ],
}
HINTS = "# Hints\n" + "".join(
    f"\n## {name}\n\n1. a\n2. b\n   c\n3. d\n" for name in ("first", "second")
)


class Sample(unittest.TestCase):
    """An exercise in a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "01-a-thing"
        self.write("exercise.json", json.dumps(DESCRIPTION))
        self.write("README.md", "first second\n")
        self.write("hints.md", HINTS)
        self.write("starter/a.cpp", "int a() { return 0; }\n")
        self.write("starter/a.h", "int a();\n")
        self.write("solution/a.cpp", "int a() { return 1; }\n")
        self.write("tests/a_test.cpp", 'TEST_CASE("first") {}\nTEST_CASE("second") {}\n')
        for name in ("two", "three", "four"):
            self.write(f"mutants/{name}/a.cpp", f"int {name}() {{ return 2; }}\n")
            self.write(f"mutants/{name}/mutant.json", '{"what": "is wrong", "test": "first"}')

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def read(self) -> exercise_files.Exercise:
        return exercise_files.read_exercise(self.folder / "exercise.json")

    def complaints(self) -> list[str]:
        return list(exercise_form.complaints(self.read()))

    def change(self, **fields: object) -> None:
        self.write("exercise.json", json.dumps({**DESCRIPTION, **fields}))


class Form(Sample):
    def test_a_whole_exercise_has_no_complaint(self) -> None:
        self.assertEqual(self.complaints(), [])

    def test_what_is_missing_is_named(self) -> None:
        (self.folder / "mutants/two/mutant.json").unlink()
        (self.folder / "solution/a.cpp").unlink()
        self.write("hints.md", HINTS.replace("3. d", "", 1))
        self.assertEqual(
            self.complaints(),
            ["first must have 3 hints", "solution/ must have the edited files and nothing else",
             "has 2 mutants; 3 are needed", "mutants/two has no mutant.json"],
        )  # fmt: skip

    def test_stray_files_are_named(self) -> None:
        self.write("notes.txt", "")
        self.write("mutants/two/b.cpp", "")
        self.write("solution/b.cpp", "")
        found = " ".join(self.complaints())
        for part in ("stray: notes.txt", "two/b.cpp is not a file", "nothing else"):
            self.assertIn(part, found)

    def test_tests_and_their_description_agree(self) -> None:
        self.write("tests/a_test.cpp", 'TEST_CASE("first") {}\nTEST_CASE("third") {}\n')
        self.assertEqual(
            self.complaints(),
            ["there is no TEST_CASE second", "exercise.json does not tell of the test third"],
        )

    def test_at_most_a_fifth_is_hidden(self) -> None:
        tests = [dict(DESCRIPTION["tests"][0], points=3), DESCRIPTION["tests"][1]]
        self.change(tests=tests)
        self.assertIn("1 of 4 points are hidden; at most a fifth may be", self.complaints())

    def test_a_mutant_that_is_the_solution_is_none(self) -> None:
        self.write("mutants/two/a.cpp", "int a() { return 1; }\n")
        self.assertEqual(self.complaints(), ["mutants/two/a.cpp is as in the solution"])

    def test_a_solution_that_stands_elsewhere_is_none(self) -> None:
        text = " ".join(f"int value_{i} = {i};" for i in range(40))
        self.write("solution/a.cpp", text)
        near = self.folder.parent / "near.cpp"
        near.write_text(text)
        self.change(near=[os.path.relpath(near, ROOT)])
        self.assertEqual(len(self.complaints()), 1)
        near.write_text("int other;")
        self.assertEqual(self.complaints(), [])

    def test_a_key_that_nobody_knows_is_refused(self) -> None:
        self.change(point=3)
        with self.assertRaisesRegex(LabError, "nobody knows point"):
            self.read()

    def test_an_exercise_goes_by_name_number_and_part(self) -> None:
        there = [self.read()]
        for text in ("01-a-thing", "1", "01", "thing"):
            self.assertEqual(exercise_files.find_exercise(text, there).name, "01-a-thing")
        with self.assertRaises(UsageError):
            exercise_files.find_exercise("2", there)

    def test_hints_are_read_in_order_and_without_their_indentation(self) -> None:
        self.assertEqual(exercise_hints.hints_of(self.read())["first"], ["a", "b\nc", "d"])


class Likeness(unittest.TestCase):
    TEXT = "int sum(int a, int b) { int c = a; c += b; return c; } // adds"

    def test_equal_is_all_and_different_is_nothing(self) -> None:
        mine = similarity.tokens(self.TEXT)
        self.assertEqual(similarity.share(mine, mine), 1.0)
        other = similarity.tokens("while (x) { x = next(x, y, z); if (!x) break; }")
        self.assertEqual(similarity.share(mine, other), 0.0)

    def test_what_everybody_was_given_does_not_count(self) -> None:
        mine = similarity.tokens(self.TEXT)
        self.assertEqual(similarity.share(mine, mine, given=mine), 0.0)

    def test_other_names_hide_nothing_where_names_do_not_count(self) -> None:
        renamed = self.TEXT.replace("sum", "add").replace(" c", " total").replace("// adds", "")
        mine = similarity.tokens(self.TEXT, same_names=True)
        self.assertEqual(mine, similarity.tokens(renamed, same_names=True))


class Program(unittest.TestCase):
    """What run_test makes of a program: here scripts take the place of test programs."""

    def run_script(self, text: str, **limits: float) -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "tests"
            program.write_text("#!/usr/bin/env python3\nimport os, sys\n"
                               "fd = int(os.environ['EXERCISE_REPORT'])\n"
                               "def tell(line): os.write(fd, line.encode() + b'\\n')\n" + text)
            program.chmod(0o755)
            return run_test(program, "first", Limits(**limits))  # type: ignore[arg-type]

    HONEST = "secret = sys.stdin.read(32)\n"
    PASSED = 'tell(secret + \' {"ends": "first", "verdict": "passed"}\')\n'

    def test_a_pass_is_what_is_told_with_the_secret(self) -> None:
        self.assertIs(self.run_script(self.HONEST + self.PASSED).status, Status.PASSED)

    def test_a_failure_comes_with_what_the_test_tells(self) -> None:
        told = '{"ends": "first", "verdict": "failed", "failures": [{"did": "sent 1 byte"}]}'
        outcome = self.run_script(self.HONEST + f"tell(secret + ' ' + '''{told}''')\n")
        self.assertIs(outcome.status, Status.FAILED)
        self.assertEqual(outcome.failures[0].did, "sent 1 byte")

    def test_leaving_early_with_success_is_no_pass(self) -> None:
        self.assertIs(self.run_script("sys.exit(0)\n").status, Status.SILENT)

    def test_a_report_without_the_secret_is_forged(self) -> None:
        forged = "secret = 'a' * 32\n" + self.PASSED
        self.assertIs(self.run_script(forged).status, Status.FORGED)

    def test_two_verdicts_are_one_too_many(self) -> None:
        self.assertIs(self.run_script(self.HONEST + self.PASSED * 2).status, Status.FORGED)

    def test_a_pass_for_another_test_is_none(self) -> None:
        other = self.HONEST + self.PASSED.replace("first", "second")
        self.assertIs(self.run_script(other).status, Status.SILENT)

    def test_a_failing_exit_after_a_pass_is_a_crash(self) -> None:
        outcome = self.run_script(self.HONEST + self.PASSED + "os.kill(os.getpid(), 11)\n")
        self.assertIs(outcome.status, Status.CRASHED)
        self.assertIn("signal 11", outcome.reason)

    def test_an_endless_loop_is_ended(self) -> None:
        outcome = self.run_script("while True: pass\n", seconds=0.5)
        self.assertIs(outcome.status, Status.HUNG)

    def test_much_output_is_ended(self) -> None:
        outcome = self.run_script("while True: print('x' * 4096)\n", output_bytes=1 << 20)
        self.assertIs(outcome.status, Status.FLOODED)
        self.assertLessEqual(len(outcome.output), 32 << 10)

    def test_much_memory_is_ended(self) -> None:
        greedy = "kept = []\nwhile True: kept.append(bytearray(1 << 20))\n"
        self.assertIs(self.run_script(greedy, memory_bytes=200 << 20).status, Status.GREEDY)

    def test_a_child_that_stays_is_ended_and_holds_nobody_up(self) -> None:
        child = "import signal\nif os.fork() == 0: signal.pause()\n"
        self.assertIs(self.run_script(child + self.HONEST + self.PASSED).status, Status.PASSED)

    def test_a_machine_without_the_thread_sanitizer_is_no_fault(self) -> None:
        words = "print('FATAL: ThreadSanitizer: unexpected memory mapping 0x1-0x2')\nsys.exit(66)\n"
        self.assertIs(self.run_script(words).status, Status.NOT_JUDGED)


if __name__ == "__main__":
    unittest.main()
