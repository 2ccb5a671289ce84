"""Tests of `./lab handout`: what is kept back, and that a leak is found whatever form it has."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import exercise_origin  # noqa: E402
import gradescope  # noqa: E402
import handout  # noqa: E402
from exercise_files import read_exercise  # noqa: E402
from exercise_form import complaints  # noqa: E402
from handout_leaks import leaks  # noqa: E402

NAME = "01-hello-socket"


class Handout(unittest.TestCase):
    """A tree with one exercise, and what is handed out of it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.whole = Path(folder.name) / "whole"
        self.out = Path(folder.name) / "out"
        shutil.copytree(ROOT / "exercises" / NAME, self.whole / "exercises" / NAME)
        (self.whole / "stages").mkdir()
        (self.whole / "stages" / "server.cpp").write_text("int main() { return 0; }\n")
        handout.hand_out(self.whole, self.out)
        self.exercise = self.out / "exercises" / NAME
        self.solution = self.whole / "exercises" / NAME / "solution" / "serve.cpp"

    def found(self) -> str:
        return "\n".join(leaks(self.whole, self.out))

    def test_students_get_everything_else_and_nothing_leaks(self) -> None:
        self.assertEqual(self.found(), "")
        self.assertTrue((self.out / "stages" / "server.cpp").is_file())
        parts = sorted(path.name for path in self.exercise.iterdir())
        self.assertEqual(parts, ["README.md", "exercise.json", "hints.md", "starter", "tests"])

    def test_a_hidden_test_is_named_and_not_there(self) -> None:
        text = (self.exercise / "tests" / "serve_test.cpp").read_text()
        self.assertNotIn("client_that_is_gone_is_given_up", text)
        self.assertIn('TEST_CASE("client_reads_all_before_the_end")', text)
        exercise = read_exercise(self.exercise / "exercise.json")
        kept = [test.name for test in exercise.tests if test.kept_back]
        self.assertEqual(kept, ["client_that_is_gone_is_given_up"])
        self.assertNotIn("TEST_CASE", "\n".join(complaints(exercise)))

    def test_a_copy_under_another_name_is_a_leak(self) -> None:
        shutil.copy(self.solution, self.out / "stages" / "notes.txt")
        self.assertIn("stages/notes.txt is exercises/01-hello-socket/solution", self.found())

    def test_a_changed_copy_is_a_leak(self) -> None:
        text = self.solution.read_text().replace("1024", "4096").replace("//", "// ,")
        (self.out / "stages" / "server.cpp").write_text(text)
        self.assertIn("stages/server.cpp has most of the solution", self.found())

    def test_folders_and_hidden_tests_that_stayed_are_leaks(self) -> None:
        (self.exercise / "solution").mkdir()
        (self.exercise / "solution" / "empty").write_text("")
        with open(self.exercise / "tests" / "serve_test.cpp", "a", encoding="utf-8") as out:
            out.write('TEST_CASE("client_that_is_gone_is_given_up", "[x]") {}\n')
        found = self.found()
        self.assertIn("solution/empty", found)
        self.assertIn("has the hidden test client_that_is_gone", found)

    def test_a_handout_knows_what_it_was_made_from(self) -> None:
        (self.out / exercise_origin.HANDOUT_FILE).write_text("0123abc\n")
        (self.out / exercise_origin.SEED_FILE).write_text("17\n")
        self.assertEqual(exercise_origin.origin(self.out), "0123abc")
        self.assertEqual(exercise_origin.handout_seed(self.out), 17)
        self.assertEqual(exercise_origin.handout_seed(self.whole), 0)

    def test_a_word_is_a_seed_and_a_number_is_itself(self) -> None:
        self.assertEqual(exercise_origin.seed_number("17"), 17)
        one, other = (exercise_origin.seed_number(word) for word in ("autumn-26", "autumn-27"))
        self.assertNotEqual(one, other)
        self.assertEqual(exercise_origin.seed_number("autumn-26"), one)

    def test_the_scripts_for_gradescope_are_scripts(self) -> None:
        for text in gradescope.scripts(["01-hello-socket", "02-proxy-line"], 7).values():
            ran = subprocess.run(["bash", "-n"], input=text, text=True, check=False)
            self.assertEqual(ran.returncode, 0)
            self.assertIn("02-proxy-line", text)
        result = text.split("<<'END'\n")[1].split("\nEND")[0]
        self.assertEqual(json.loads(result)["score"], 0)

    def test_a_release_adds_a_solution(self) -> None:
        (self.out / exercise_origin.HANDOUT_FILE).write_text("0123abc\n")
        handout.release_main(["1", "--to", str(self.out), "--json"])
        self.assertTrue((self.exercise / "solution" / "serve.cpp").is_file())
        self.assertEqual(json.loads((self.exercise / "exercise.json").read_text())["title"],
                         "Hello, socket")  # fmt: skip


if __name__ == "__main__":
    unittest.main()
