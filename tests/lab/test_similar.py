"""Tests of `./lab similar`: renaming hides nothing, and what all were given counts for nobody."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import similar  # noqa: E402
from exercise_files import find_exercise  # noqa: E402
from grade_submissions import Submission  # noqa: E402

OTHER = """#include "serve.h"
#include <unistd.h>
#include <string>
void serve(int fd) {
  for (std::string all; all.find("\\r\\n\\r\\n") == std::string::npos;) {
    char c = 0;
    if (read(fd, &c, 1) <= 0) { close(fd); return; }
    all += c;
  }
  for (unsigned at = 0; at < answer.size();) at += write(fd, answer.data() + at, 1);
  close(fd);
}
"""


class Similar(unittest.TestCase):
    def setUp(self) -> None:
        self.exercise = find_exercise("1")
        self.ours = (self.exercise.solution / "serve.cpp").read_text()

    def pairs(self, **texts: str) -> dict[tuple[str, str], float]:
        submissions = [
            Submission(student, self.exercise, {"serve.cpp": text.encode()})
            for student, text in texts.items()
        ]
        found = similar.similar_pairs(self.exercise, submissions)
        return {(one, other): part for one, other, part in found}

    def test_other_names_numbers_and_comments_hide_nothing(self) -> None:
        renamed = self.ours.replace("tail", "rest").replace("1024", "99").replace("// ", "// so ")
        found = self.pairs(a=self.ours, b=renamed, c=OTHER)
        self.assertEqual(found["a", "b"], 1.0)
        self.assertLess(found["a", "c"], 0.2)

    def test_the_starter_is_nobodys(self) -> None:
        starter = (self.exercise.starter / "serve.cpp").read_text()
        self.assertEqual(self.pairs(a=starter, b=starter), {("a", "b"): 0.0})

    def test_what_many_have_written_is_how_it_is_done(self) -> None:
        found = self.pairs(**{name: self.ours for name in "abcdefgh"})
        self.assertEqual(set(found.values()), {0.0})


if __name__ == "__main__":
    unittest.main()
