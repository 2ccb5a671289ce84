"""Rules on the documents: what they name is there."""

import re

from source_tree import CPP, Violation

SYSTEMS = "docs/systems.md"
NAMED = re.compile(r"`([^`]+)`")
FILE = re.compile(r"[\w./-]+(?:\.(?:h|cpp|py)|/CMakeLists\.txt)")
FOLDER = re.compile(r"stages/[\w-]+")
OPTION = re.compile(r"--[a-z][a-z-]+")
# A type, a member of one, or a function.
IDENTIFIER = re.compile(r"[A-Z]\w+(?:::\w+)*(?:\(.*\))?|[a-z_]\w*\(.*\)")
IS_A_TEST = re.compile(r"\bTEST_CASE\(|\bLLVMFuzzerTestOneInput\(|^ *def \w+", re.MULTILINE)


def system_rows(tree):
    """Each row of docs/systems.md names where a thing is and which test shows it, and both are
    there: files, types, functions and options.

    Why: a table of promises is only worth something as long as none of them is empty, and a file
    that is renamed takes its row with it only when somebody notices.
    """
    words = None
    for number, line in tree.lines(SYSTEMS) if SYSTEMS in tree.paths else []:
        if not line.startswith("| ") or line.startswith("| what | where | shown by |"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) != 3:
            yield Violation(SYSTEMS, number, "a row is: what, where, shown by")
            continue
        words = words or _words(tree)
        for problem in _missing_sources(tree, cells[1], words):
            yield Violation(SYSTEMS, number, problem)
        for problem in _missing_tests(tree, cells[2]):
            yield Violation(SYSTEMS, number, problem)


def _words(tree):
    """Every word of the sources and of the programs behind ./lab, options too."""
    paths = tree.files("common/", CPP + (".py",)) + tree.files("stages/", CPP)
    return set(re.findall(r"--[a-z-]+|\w+", "\n".join(tree.text(path) or "" for path in paths)))


def _missing_sources(tree, cell, words):
    """What the second column names and is nowhere, or that it names nothing."""
    named = 0
    for name in NAMED.findall(cell):
        if FILE.fullmatch(name) or FOLDER.fullmatch(name):
            named += 1
            if not any(path == name or path == f"common/{name}" or path.startswith(f"{name}/")
                       for path in tree.paths):
                yield f"there is no source {name}"
        elif OPTION.fullmatch(name) or IDENTIFIER.fullmatch(name):
            named += 1
            for word in re.findall(r"--[a-z-]+|\w+", name.split("(")[0]):
                if word not in words:
                    yield f"no source knows {word}"
    if named == 0:
        yield "names no source, type, function or option"


def _missing_tests(tree, cell):
    """What the third column names and is no test, or that it names none."""
    folder = ""
    named = 0
    for name in filter(FILE.fullmatch, NAMED.findall(cell)):
        named += 1
        if "/" in name:
            folder = name.rpartition("/")[0] + "/"
        else:
            name = folder + name  # beside the one before
        path = f"tests/{name}"
        if path not in tree.paths:
            yield f"there is no test {path}"
        elif not IS_A_TEST.search(tree.text(path)):
            yield f"{path} tests nothing"
    if named == 0:
        yield "names no test"
