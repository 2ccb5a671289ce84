"""The code in README.md and docs/ is that of examples and of a test, which are compiled and run."""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/library.md", "docs/web.md"]
TESTS = ["tests/unit/web/documented_test.cpp"]
BLOCK = re.compile(r"^```(?:cpp|cmake)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines_of(text):
    """A text as its lines, without what stands before and behind them."""
    return "\n".join(line.strip() for line in textwrap.dedent(text).strip().splitlines())


def main():
    """Prints each block that is nowhere in the examples."""
    sources = [lines_of(path.read_text()) for path in sorted((ROOT / "docs/examples").rglob("*"))
               if path.suffix in (".cpp", ".h", ".txt")]
    sources += [lines_of((ROOT / test).read_text()) for test in TESTS]
    missing = 0
    found = 0
    for page in PAGES:
        for block in BLOCK.findall((ROOT / page).read_text()):
            found += 1
            # "..." stands for what is left out.
            parts = [lines_of(part) for part in re.split(r"^\s*(?://|#) \.\.\.$", block,
                                                         flags=re.MULTILINE)]
            if not any(all(part in source for part in parts) for source in sources):
                missing += 1
                print(f"{page}: in no example and no test:\n{block}")
    print(f"{found} blocks, {missing} of them not found")
    sys.exit(1 if missing or not found else 0)


if __name__ == "__main__":
    main()
