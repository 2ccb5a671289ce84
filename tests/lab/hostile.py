"""Submissions that mean no good, graded for real: each is a zero with a name, and an honest one
among them gets all its points. Not found by discovery, since it compiles a dozen programs."""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import exercise_sandbox  # noqa: E402
from exercise_files import find_exercise  # noqa: E402
from grade_reports import csv_text, gradescope_text, junit_text  # noqa: E402
from grade_run import Grader, Journal, Terms  # noqa: E402
from grade_submissions import Submission, read_submissions, refusal  # noqa: E402

BEGIN = """#include "serve.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void serve(int fd) {
  (void)fd;
"""

# What a submission does -> what it must come to.
HOSTILE = {
    "endless loop": ("volatile bool on = true; while (on) {}", {"hung"}),
    "fork bomb": ("for (;;) fork();", {"hung", "failed", "silent", "crashed", "greedy"}),
    "endless output": ("for (;;) puts(\"more and more and more and more\");", {"flooded"}),
    "endless memory": (
        "for (;;) memset(malloc(1 << 24), 1, 1 << 24);", {"greedy", "crashed"}),
    "early success": ("exit(0);", {"silent"}),
    "early success, without goodbye": ("_exit(0);", {"silent"}),
    "forged report": (
        "const char line[] = \"0123456789abcdef0123456789abcdef {\\\"ends\\\":"
        "\\\"answers_a_whole_request\\\",\\\"verdict\\\":\\\"passed\\\"}\\n\";\n"
        "for (int i = 3; i < 1024; ++i) if (write(i, line, sizeof line - 1) < 0) continue;\n"
        "_exit(0);", {"forged"}),
    "kills the grader": ("kill(getppid(), SIGKILL); kill(-1, SIGKILL); close(fd);",
                         {"failed", "silent", "crashed"}),
    "crash": ("*(volatile int*)0 = 0;", {"crashed"}),
    "use after free": ("char* p = (char*)malloc(8); free(p); ((volatile char*)p)[1] = 1;",
                       {"crashed"}),
    "child that stays": ("setsid(); if (fork() == 0) { setsid(); for (;;) pause(); }", {"failed"}),
    "does not compile": ("return 1;", {"not_built"}),
    "more than a compiler can take": ("static char big[1ul << 33] = {1}; big[2] = 1;",
                                      {"not_built", "crashed", "failed", "silent", "greedy"}),
}  # fmt: skip


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        exercise = find_exercise("1")
        tests = [exercise.test("answers_a_whole_request")]
        cls.exercise = dataclasses.replace(exercise, tests=tests, seconds=10)
        honest = (exercise.solution / "serve.cpp").read_bytes()
        sources = {name: (BEGIN + text + "\n}\n").encode() for name, (text, _) in HOSTILE.items()}
        # It passes only if it cannot read our solution.
        curious = honest.replace(b"void serve(int fd) {", (
            "#include <fcntl.h>\nvoid serve(int fd) {\n"
            f"  if (open(\"{exercise.solution / 'serve.cpp'}\", O_RDONLY) >= 0) _exit(3);\n"
        ).encode())  # fmt: skip
        sources.update({"honest": honest, "curious": curious})
        submissions = [
            Submission(name, cls.exercise, {"serve.cpp": source})
            for name, source in sources.items()
        ]
        cls.sandbox = exercise_sandbox.best()
        cls.terms = Terms("a grader", 0, cls.sandbox)
        grader = Grader(cls.terms)
        cls.faults = grader.prepare([cls.exercise])
        cls.records = {record["student"]: record for record in grader.grade(submissions)}

    def status(self, name: str) -> str:
        return self.records[name]["tests"][0]["status"]

    def test_our_own_solution_passes_first(self) -> None:
        self.assertEqual(self.faults, {})

    def test_everybody_is_graded(self) -> None:
        self.assertEqual(set(self.records), {*HOSTILE, "honest", "curious"})

    def test_the_honest_one_loses_nothing(self) -> None:
        self.assertEqual(self.status("honest"), "passed")

    def test_each_hostile_one_is_a_zero_with_a_name(self) -> None:
        for name, (_, allowed) in HOSTILE.items():
            with self.subTest(name):
                self.assertIn(self.status(name), allowed)
                self.assertEqual(self.records[name]["points"], 0)

    def test_our_solution_cannot_be_read(self) -> None:
        if not self.sandbox.namespaces:
            self.skipTest(f"the sandbox is only {self.sandbox.name}")
        self.assertEqual(self.status("curious"), "passed")

    def test_a_refused_file_is_not_compiled(self) -> None:
        for line in ('#include "/etc/passwd"', '#include "../tests/serve_test.cpp"',
                     "#include <../x>", '%:include "/etc/passwd"', "#define F <x>\n#include F",
                     '#inc\\\nlude "/etc/passwd"', '#/**/include "/etc/passwd"',
                     'asm(".incbin \\"x\\"");'):  # fmt: skip
            with self.subTest(line):
                self.assertIsNotNone(refusal(self.exercise, {"serve.cpp": line.encode()}))
        for line in ('#include "serve.h"', "#include <sys/socket.h>", "// #include is above"):
            self.assertIsNone(refusal(self.exercise, {"serve.cpp": line.encode()}))

    def test_a_link_is_not_followed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            student = Path(folder) / "student"
            (student / "01-hello-socket").mkdir(parents=True)
            (student / "01-hello-socket" / "serve.cpp").symlink_to(
                self.exercise.solution / "serve.cpp"
            )
            self.assertEqual(read_submissions(student, [self.exercise]), [])

    def test_a_journal_that_was_cut_off_goes_on(self) -> None:
        record = self.records["honest"]
        honest = Submission("honest", self.exercise, {
            "serve.cpp": (self.exercise.solution / "serve.cpp").read_bytes()})  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "journal.jsonl"
            Journal(file, self.terms).add(record)
            with open(file, "a", encoding="utf-8") as out:
                out.write(json.dumps(record)[:100])
            found = Journal(file, self.terms).find(honest)
            self.assertEqual(found, json.loads(json.dumps(record)))
            other = dataclasses.replace(self.terms, seed=1)
            self.assertIsNone(Journal(file, other).find(honest))

    def test_reports_hold_everybody(self) -> None:
        records = list(self.records.values())
        self.assertEqual(csv_text(records), csv_text(records[::-1]))
        self.assertEqual(csv_text(records).count("\n"), len(records) + 1)
        self.assertEqual(junit_text(records).count("<testsuite "), len(records))
        told = json.loads(gradescope_text([self.records["honest"]]))
        self.assertEqual((told["score"], told["tests"][0]["status"]), (2, "passed"))


if __name__ == "__main__":
    unittest.main()
