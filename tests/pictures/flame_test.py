"""A short flame graph of one stage: `flame_test.py PROGRAM`. Exit 77 where there is no tool for it.

What is asserted is that the stacks are whole: which function calls which, not what it costs.
"""

from __future__ import annotations

import shutil
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "lab"))

import flame  # noqa: E402
from flame_fold import Node  # noqa: E402

PROGRAM = Path(sys.argv[1]) if len(sys.argv) > 1 else None
SKIPPED = 77


def has_perf() -> bool:
    return flame.why_no_perf() is None and shutil.which("wrk") is not None


def paths(node: Node, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    path = (*before, node.frame.name)
    return [path] + [found for child in node.children.values() for found in paths(child, path)]


@unittest.skipIf(PROGRAM is None, "needs a program")
class Stacks(unittest.TestCase):
    def check(self, top: Node, inner: tuple[str, ...]) -> None:
        """Some stack has all of these, in this order, under the program's name."""
        assert PROGRAM is not None
        self.assertEqual(top.frame.name, PROGRAM.name)
        for path in paths(top):
            rest = iter(path)
            if all(any(name in there for there in rest) for name in inner):
                return
        self.fail(f"no stack has {' > '.join(inner)}")

    @unittest.skipUnless(has_perf(), "perf or wrk cannot be used here")
    def test_perf_sees_who_sends_down_into_the_system(self) -> None:
        assert PROGRAM is not None
        top, about = flame.by_perf(PROGRAM, "/plaintext", 3)
        self.check(top, ("run_body", "send", "system call sendto"))
        self.assertIn("samples by perf", about)

    @unittest.skipUnless(shutil.which("callgrind_control"), "valgrind is not here")
    def test_callgrind_counts_who_parses(self) -> None:
        assert PROGRAM is not None
        top, about = flame.by_callgrind(PROGRAM, "/plaintext")
        self.check(top, ("run_body", "Session::next", "RequestParser::parse"))
        self.assertIn("instructions for a request", about)


if __name__ == "__main__":
    if not has_perf() and not shutil.which("callgrind_control"):
        print("neither perf nor callgrind can be used here")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
