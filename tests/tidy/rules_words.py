"""Rules on words and characters: what nobody may leave behind in a file.

The words are put together from pieces, so that these rules hold of this file too.
"""

import re

import cpp_text
from source_tree import CPP, PROGRAM, WRITTEN, Violation

UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")

SLEEPS = re.compile(r"\b(?:sle" r"ep_for|sle" r"ep_until|usle" r"ep|nanosle" r"ep)\b"
                    r"|\bsle" r"ep\s*\(|^\s*(?:/bin/)?sle" r"ep\s+[\d.$\"]|[;&|]\s*sle" r"ep\s")

# Paths of one machine, and a path that leaves the repository for a neighbour of it.
FOREIGN_PATHS = r"(?<![\w.}-])/(?:wo" r"rk/|tmp/pl" r"an|ho" r"me/\w|Us" r"ers/\w|ro" r"ot/\.)" \
                r"|\.\./sha" r"red/"
REGISTRY_HOSTS = "|".join(re.escape(".".join(parts)) for parts in (
    ("deb", "debian", "org"), ("security", "debian", "org"), ("archive", "ubuntu", "com"),
    ("registry", "npmjs", "org"), ("pypi", "org"), ("files", "pythonhosted", "org"),
    ("crates", "io"), ("proxy", "golang", "org"), ("repo1", "maven", "org"),
    ("repo", "maven", "apache", "org"), ("rubygems", "org")))
FOREIGN = re.compile(f"{FOREIGN_PATHS}|(?:{REGISTRY_HOSTS})")


def unfinished(tree):
    """Nothing is marked as to be done later.

    Why: a reader cannot tell a plan from a promise. What is missing is said in the documentation.
    """
    yield from _matches(tree, tree.paths, UNFINISHED, "is marked as unfinished")


def test_waits(tree):
    """No test waits for a fixed time. It waits for an event, with a deadline.

    Why: a fixed time is too short on a busy machine and too long on all others, and it proves no
    order.
    """
    tests = [path for path in tree.files(suffixes=PROGRAM) if "tests" in path.split("/")[:-1]]
    for path in tests:
        text = tree.text(path) or ""
        code = cpp_text.code_only(text) if path.endswith(CPP) else _without_hash_comments(text)
        for number, line in enumerate(code.split("\n"), start=1):
            for match in SLEEPS.finditer(line):
                yield Violation(path, number, f"waits for a fixed time: {match[0].strip()}")


def _without_hash_comments(text):
    return re.sub(r"(?:^|(?<=\s))#[^\n]*", "", text, flags=re.MULTILINE)


def foreign_words(tree):
    """No file names a path of somebody's machine or the host of a package registry.

    Why: the first exists nowhere else, and where packages come from is the reader's own choice.
    """
    yield from _matches(tree, tree.paths, FOREIGN, "names a foreign path or host")


def white_space(tree):
    """No white space at the end of a line, no tab in C++, no carriage return, no file that ends
    within a line; and every program is UTF-8.

    Why: such differences are invisible and show up in every diff.
    """
    for path in tree.files(suffixes=WRITTEN):
        text = tree.text(path)
        if text is None or "\N{REPLACEMENT CHARACTER}" in text:
            yield Violation(path, 0, "is not UTF-8 text")
            continue
        if text and not text.endswith("\n"):
            yield Violation(path, len(tree.lines(path)), "ends without a newline")
        for number, line in tree.lines(path):
            if line != line.rstrip():
                yield Violation(path, number, "ends in white space")
            if "\t" in line and path.endswith(CPP):
                yield Violation(path, number, "has a tab")


def _matches(tree, paths, pattern, text):
    for path in paths:
        for number, line in tree.lines(path):
            for match in pattern.finditer(line):
                yield Violation(path, number, f"{text}: {match[0]}")
