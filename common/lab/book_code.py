"""Code as HTML: pieces of sources and unified diffs, with line numbers and colours.

Each line says which file and which line it is, so that somebody else can count what is shown; see
book_check.
"""

from __future__ import annotations

import difflib
import html
import re
from typing import Iterator, NamedTuple, Optional

from book_source import Piece, lines_of

CONTEXT = 3  # unchanged lines around a change

_CPP = re.compile(
    r"(?P<comment>//.*)|(?P<string>R?\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])+')"
    r"|(?P<preprocessor>^\s*\#\s*\w+(?:\s+<[^>]*>)?)"
    r"|(?P<keyword>\b(?:alignas|auto|bool|break|case|catch|char|class|const|constexpr|consteval"
    r"|continue|default|delete|do|double|else|enum|explicit|extern|false|final|float|for|friend|if"
    r"|inline|int|long|mutable|namespace|new|noexcept|nullptr|operator|override|private|protected"
    r"|public|return|short|signed|sizeof|static|static_assert|static_cast|struct|switch|template"
    r"|this|throw|true|try|typename|union|unsigned|using|virtual|void|while)\b)"
    r"|(?P<type>\b[A-Z]\w*[a-z]\w*\b|\bstd\b)|(?P<number>\b\d[\w.']*)"
)
_SHELL = re.compile(r"(?P<comment>(?:^|(?<=\s))#.*)|(?P<string>\"[^\"]*\"|'[^']*')")


def coloured(line: str, path: str) -> str:
    """One line as HTML. Colours need no more context than the line: the sources have no comment
    and no string that goes on in the next."""
    form = _CPP if path.endswith((".h", ".cpp")) else _SHELL
    parts, end = [], 0
    for found in form.finditer(line):
        parts.append(html.escape(line[end : found.start()], quote=False))
        text = html.escape(found[0], quote=False)
        parts.append(f'<span class="c-{found.lastgroup}">{text}</span>')
        end = found.end()
    return "".join(parts) + html.escape(line[end:], quote=False)


class Row(NamedTuple):
    """A line that is shown: its numbers in the old and the new file, those that it has."""

    old: Optional[int]
    new: Optional[int]
    text: str


def _row(row: Row, path: str, both: bool) -> str:
    kind = "same" if row.old and row.new else "added" if row.new else "removed"
    if not both:
        kind = "plain"
    sign = {"same": " ", "added": "+", "removed": "-", "plain": ""}[kind]
    numbers = f' data-new="{row.new}"' if row.new else ""
    gutter = f'<i data-n="{row.new or ""}"></i>'
    if both:
        numbers = (f' data-old="{row.old}"' if row.old else "") + numbers
        gutter = f'<i data-n="{row.old or ""}"></i>{gutter}<i class="sign" data-n="{sign}"></i>'
    return f'<span class="line {kind}"{numbers}>{gutter}<b>{coloured(row.text, path)}</b></span>\n'


def block(path: str, head: str, rows: str, kind: str) -> str:
    """The frame around lines: which file, and the lines themselves, which can be scrolled."""
    label = html.escape(f"{head}", quote=True)
    return (
        f'<div class="code {kind}" data-file="{path}"><p class="code-head">{html.escape(head)}</p>'
        f'<pre tabindex="0" role="region" aria-label="{label}"><code>{rows}</code></pre></div>\n'
    )


def snippet(piece: Piece) -> str:
    """A piece of a file, with its line numbers; indentation that all lines have is left out."""
    lines = lines_of(piece.path)[piece.first - 1 : piece.last]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    rows = "".join(
        _row(Row(None, piece.first + i, line[margin:]), piece.path, both=False)
        for i, line in enumerate(lines)
    )
    span = f"line {piece.first}" if len(lines) == 1 else f"lines {piece.first} to {piece.last}"
    return block(piece.path, f"{piece.path}, {span}", rows, "snippet")


def hunks(old: str, new: str) -> Iterator[list[Row]]:
    """The changes from one file to another, each with its context."""
    before, after = lines_of(old), lines_of(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        rows: list[Row] = []
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                rows += [
                    Row(old_from + i + 1, new_from + i + 1, after[new_from + i])
                    for i in range(old_to - old_from)
                ]
                continue
            rows += [Row(i + 1, None, before[i]) for i in range(old_from, old_to)]
            rows += [Row(None, i + 1, after[i]) for i in range(new_from, new_to)]
        yield rows


def diff(old: str, new: str, piece: Optional[Piece] = None) -> str:
    """What changed from `old` to `new`; with a piece of the new file only what is within that."""
    shown = []
    for rows in hunks(old, new):
        if piece is not None:
            rows = [row for row in rows if piece.first <= _place(rows, row) <= piece.last]
        if any(not (row.old and row.new) for row in rows):
            shown.append("".join(_row(row, new, both=True) for row in rows))
    gap = '<span class="gap" aria-hidden="true">...</span>\n'
    return block(new, f"{old} → {new}", gap.join(shown), "diff") if shown else ""


def _place(rows: list[Row], shown: Row) -> int:
    """Where in the new file a line stands, or would: a removed one before the next one."""
    after = rows[rows.index(shown) :]
    return next((row.new for row in after if row.new), 0)


def patch_rows(text: str) -> str:
    """A patch file as the same kind of lines; its headers are left out."""
    rows, old, new, path = [], 0, 0, ""
    for line in text.splitlines():
        if line.startswith("+++ "):
            path = line[4:].split("\t")[0].removeprefix("b/")
        elif found := re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)", line):
            old, new = int(found[1]), int(found[2])
            rows.append("" if not rows else '<span class="gap" aria-hidden="true">...</span>\n')
        elif line.startswith(("-", "+", " ")) and not line.startswith("--- "):
            row = Row(old if line[0] != "+" else None, new if line[0] != "-" else None, line[1:])
            old, new = old + (line[0] != "+"), new + (line[0] != "-")
            rows.append(_row(row, path, both=True))
    return "".join(rows)
