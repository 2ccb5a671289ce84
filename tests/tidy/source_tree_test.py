"""Which files are judged, and what the program prints and returns."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from sample_tree import CLEAN, write
from source_tree import Tree

LAYOUT = pathlib.Path(__file__).parent / "layout.py"
IGNORED = {
    ".gitignore": "# what is made\n/build/\n__pycache__/\n*.o\n",
    "build/dev/CMakeCache.txt": "made\n",
    "tests/__pycache__/x.pyc": "made\n",
    "tests/unit/x.o": "made\n",
}


class TreeTest(unittest.TestCase):
    """Tree lists the same files with git and without it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        write(self.root, {**CLEAN, **IGNORED})

    def git(self, *arguments):
        """Runs git in the tree."""
        subprocess.run(["git", "-C", str(self.root), *arguments], check=True)

    def test_an_export_has_everything_but_what_is_ignored(self):
        self.assertEqual(Tree(self.root).paths, sorted([*CLEAN, ".gitignore"]))

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_a_checkout_has_tracked_and_new_files_but_no_ignored_or_deleted_ones(self):
        self.git("init", "--quiet")
        self.git("add", "README.md", "lab")
        (self.root / "lab").unlink()
        self.assertEqual(Tree(self.root).paths, sorted({*CLEAN, ".gitignore"} - {"lab"}))

    def test_a_checkout_that_git_cannot_read_counts_as_an_export(self):
        write(self.root, {".git": "no repository\n"})
        self.assertEqual(Tree(self.root).paths, sorted([*CLEAN, ".gitignore"]))

    def test_a_script_without_a_suffix_counts_by_its_first_line(self):
        write(self.root, {".ci/run": "#!/usr/bin/env python3\n", "docs/plain": "text\n"})
        tree = Tree(self.root)
        self.assertIn("lab", tree.files(suffixes=(".sh",)))
        self.assertEqual(tree.files(suffixes=(".py",)), [".ci/run"])


class ProgramTest(unittest.TestCase):
    """layout.py as ctest sees it."""

    def run_on(self, files, *arguments):
        """Runs the program on a tree of these files; returns exit status and output."""
        with tempfile.TemporaryDirectory() as root:
            write(root, files)
            result = subprocess.run([sys.executable, "-B", str(LAYOUT), *arguments, root],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout

    def test_a_clean_tree_gives_0_and_the_size_of_each_step(self):
        self.assertEqual(self.run_on(CLEAN), (0, "01-blocking: 8 new lines, 400 allowed\n"
                                                 "02-thread-pool: 2 new lines, 150 allowed\n"))

    def test_a_violation_gives_1_and_a_line_that_says_where(self):
        status, output = self.run_on({**CLEAN, "docs/a.md": "x \n"}, "--rule", "white-space")
        self.assertEqual((status, output), (1, "docs/a.md:1: ends in white space (white-space)\n"))

    def test_one_rule_does_not_judge_by_another(self):
        status, output = self.run_on({**CLEAN, "docs/a.md": "x \n"}, "--rule", "layers")
        self.assertEqual((status, output), (0, ""))

    def test_nothing_to_judge_and_unknown_rules_give_2(self):
        self.assertEqual(self.run_on({})[0], 2)
        self.assertEqual(self.run_on(CLEAN, "--rule", "beauty")[0], 2)


if __name__ == "__main__":
    unittest.main()
