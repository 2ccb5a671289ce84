"""Rules on the shape of files: bounds that keep them readable, and where things lie."""

import ast
import re

import cpp_text
from source_tree import CPP, PROGRAM, Violation

FUNCTION_MAX_LINES = 70  # what a screen shows
FILE_MAX_LINES = 400  # what one can keep in mind
LINE_MAX_COLUMNS = 100  # a page of the book, or half a screen

TOP_LEVEL = {"stages", "common", "tests", "docs", "exercises", "cmake",
             "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "lab"}

# The comment that a file begins with, however many lines and paragraphs it has.
OPENING_COMMENT = re.compile(r"\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)+", re.DOTALL)
SHELL_FUNCTION = re.compile(r"^([\w-]+) *\(\) *[{(].*?^[})]", re.MULTILINE | re.DOTALL)


def function_length(tree):
    """A function has at most 70 lines, from its first line to its closing brace.

    Why: it is read at a glance or it is two functions. C++ is scanned brace by brace (cpp_text.py),
    Python by its own parser, shell from `name() {` to a brace in the first column. JavaScript is
    not judged.
    """
    scanners = {".h": cpp_text.functions, ".cpp": cpp_text.functions, ".py": python_functions,
                ".sh": shell_functions}
    for path in tree.files(suffixes=tuple(scanners)):
        try:
            functions = scanners[tree.kind(path)](tree.text(path) or "")
        except (cpp_text.Unbalanced, SyntaxError) as error:
            yield Violation(path, 0, f"cannot be judged: {error}")
            continue
        for function in functions:
            lines = function.last - function.first + 1
            if lines > FUNCTION_MAX_LINES:
                yield Violation(path, function.first,
                                f"{function.name} has {lines} lines, {FUNCTION_MAX_LINES} allowed")


def python_functions(text):
    """The functions of a Python file, methods included."""
    return [cpp_text.Function(node.name, node.lineno, node.end_lineno)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def shell_functions(text):
    """The functions of a shell script."""
    return [cpp_text.Function(match[1], cpp_text.line_of(text, match.start()),
                              cpp_text.line_of(text, match.end()))
            for match in SHELL_FUNCTION.finditer(text)]


def file_length(tree):
    """A program's file has at most 400 lines. Pages, prose and data may be as long as they are.

    Why: a file is one thing that can be kept in mind.
    """
    for path in tree.files(suffixes=PROGRAM):
        lines = len(tree.lines(path))
        if lines > FILE_MAX_LINES:
            yield Violation(path, 0, f"{lines} lines, {FILE_MAX_LINES} allowed")


def line_length(tree):
    """A program's line has at most 100 columns (characters).

    Why: two stages fit side by side on a screen, and a line fits on a page of the book.
    """
    for path in tree.files(suffixes=PROGRAM):
        for number, line in tree.lines(path):
            if len(line) > LINE_MAX_COLUMNS:
                yield Violation(path, number, f"{len(line)} columns, {LINE_MAX_COLUMNS} allowed")


def header_opening(tree):
    """A header begins with a comment that says what it is for; then comes `#pragma once`.

    Why: the reader's first question is what the file is for.
    """
    for path in tree.files(suffixes=(".h",)):
        text = tree.text(path) or ""
        comment = OPENING_COMMENT.match(text)
        words = re.findall(r"[A-Za-z]{2,}", comment[0]) if comment else []
        if len(words) < 3:
            yield Violation(path, 1, "begins without a comment that says what it is for")
        rest = text[comment.end():] if comment else text.lstrip()
        if not re.match(r"#pragma once\s", rest):
            yield Violation(path, 1, "does not have #pragma once right after its opening comment")


def top_level(tree):
    """The top folder holds what the design names, and files whose names begin with a dot.

    Why: what a newcomer sees first says what this is.
    """
    for name in sorted({path.split("/")[0] for path in tree.paths}):
        if name not in TOP_LEVEL and not name.startswith("."):
            yield Violation(name, 0, "does not belong in the top folder")
