"""The whole book on one page, for printing and for searching in a browser: print.html."""

from __future__ import annotations

import re
from pathlib import Path

from book_pages import Chapter, inline

_HEAD = """<!DOCTYPE html>
<html lang="en" class="light-mode"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stagecraft, on one page</title>
<link href="doxygen.css" rel="stylesheet"><link href="doxygen-awesome.css" rel="stylesheet">
<link href="book.css" rel="stylesheet"><link href="drawing.css" rel="stylesheet">
</head><body class="print-page"><main>
"""
_CONTENTS = re.compile(r'<div class="contents">(.*)</div></div><!-- contents -->', re.DOTALL)
_TOC = re.compile(r'<div class="toc">.*?</div>', re.DOTALL)
_WAY = re.compile(r'<nav class="way".*?</nav>', re.DOTALL)


def write(html: Path, chapters: list[Chapter]) -> None:
    """Puts the finished chapters behind each other, with all answers open."""
    parts = [_HEAD]
    for chapter in chapters:
        found = _CONTENTS.search((html / f"{chapter.label}.html").read_text(encoding="utf-8"))
        if found is None:
            continue
        text = _WAY.sub("", _TOC.sub("", found[1])).replace("<details>", "<details open>")
        for other in chapters:
            text = text.replace(f'href="{other.label}.html"', f'href="#{other.label}"')
        parts.append(f'<section id="{chapter.label}"><h1>{inline(chapter.title)}</h1>'
                     f'<div class="contents">{text}</div></div></section>\n')
    parts.append("</main></body></html>\n")
    (html / "print.html").write_text("".join(parts), encoding="utf-8")
