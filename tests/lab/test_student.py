"""Tests of what a student does with files: nothing may get lost, nothing strange handed in."""

from __future__ import annotations

import io
import os
import sys
import tarfile
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import exercise_files  # noqa: E402
import exercise_ninja  # noqa: E402
import student  # noqa: E402
import student_files  # noqa: E402
import student_state  # noqa: E402
import student_watch  # noqa: E402
from console import LabError  # noqa: E402


class Work(unittest.TestCase):
    """A student with a work folder elsewhere, at the first exercise."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        for where, name, value in (
            (exercise_files, "WORK", self.work),
            (student_state, "WORK", self.work),
            (student_state, "FILE", self.work / ".state.json"),
            (student_files, "BACKUPS", self.work / ".backups"),
        ):
            patcher = patch.object(where, name, value)
            patcher.start()
            self.addCleanup(patcher.stop)
        self.exercise = exercise_files.find_exercise("1")
        self.file = self.exercise.work / "serve.cpp"

    def lab(self, verb, *arguments: str) -> str:
        said = io.StringIO()
        with redirect_stdout(said):
            self.assertEqual(verb(list(arguments)), 0)
        return said.getvalue()

    def start(self) -> None:
        self.lab(student.start_main, "1")

    def test_start_copies_and_a_second_start_keeps(self) -> None:
        self.start()
        self.assertTrue((self.exercise.work / "serve.h").is_file())
        self.file.write_text("mine\n")
        self.start()
        self.assertEqual(self.file.read_text(), "mine\n")

    def test_reset_keeps_what_was_there(self) -> None:
        self.start()
        self.file.write_text("mine\n")
        self.lab(student_files.reset_main, "1")
        self.lab(student_files.reset_main, "1")  # nothing to keep now
        self.assertNotEqual(self.file.read_text(), "mine\n")
        kept = list((self.work / ".backups").glob("*/serve.cpp"))
        self.assertEqual([file.read_text() for file in kept], ["mine\n"])

    def test_what_is_not_begun_is_said(self) -> None:
        with self.assertRaisesRegex(LabError, "lab start 01"):
            student_files.reset_main(["1"])

    def test_ours_is_shown_when_theirs_passes_and_not_before(self) -> None:
        self.start()
        with self.assertRaisesRegex(LabError, "when yours passes"):
            student_files.diff_main(["1", "--solution"])
        student_state.remember(self.exercise, solved=True)
        self.assertIn("+++", self.lab(student_files.diff_main, "1", "--solution"))

    def test_a_diff_shows_what_was_changed(self) -> None:
        self.start()
        self.assertEqual(self.lab(student_files.diff_main), "")
        self.file.write_text(self.file.read_text() + "// mine\n")
        self.assertIn("+// mine", self.lab(student_files.diff_main))

    def test_hints_get_stronger_and_stay_at_the_last(self) -> None:
        told = [self.lab(student.hint_main, "1", "short_write") for _ in range(4)]
        self.assertEqual(len(set(told)), 3)
        self.assertEqual(told[2], told[3])

    def test_only_what_is_graded_is_handed_in_and_always_the_same(self) -> None:
        self.start()
        (self.exercise.work / "notes.txt").write_text("private\n")
        files = [self.work / name for name in ("a.tar.gz", "b.tar.gz")]
        for file in files:
            os.utime(self.file, (1, 1))
            student_files.write_submission([self.exercise], file, {})
        with tarfile.open(files[0]) as archive:
            names = archive.getnames()
        self.assertEqual(names, ["submission.json", "01-hello-socket/serve.cpp"])
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_an_older_file_in_its_place_is_another_file(self) -> None:
        self.start()
        before = exercise_ninja._digest(self.exercise.work)
        self.file.write_text("older\n")
        os.utime(self.file, (1, 1))
        self.assertNotEqual(exercise_ninja._digest(self.exercise.work), before)

    def test_a_change_is_seen_when_it_is_over(self) -> None:
        looks = iter([(("a", 1, 1),), (("a", 2, 0),), (("a", 2, 5),), (("a", 2, 5),),
                      (("a", 2, 5),)])  # fmt: skip
        found = student_watch.changes(lambda: next(looks), (("a", 1, 1),), lambda seconds: None)
        self.assertEqual(found, (("a", 2, 5),))

    def test_a_file_that_goes_is_a_change_as_well(self) -> None:
        self.start()
        before = student_watch.stamp(self.exercise.work, ["serve.cpp"])
        self.file.unlink()
        self.assertNotEqual(student_watch.stamp(self.exercise.work, ["serve.cpp"]), before)


if __name__ == "__main__":
    unittest.main()
