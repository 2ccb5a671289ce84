"""What has to hold of the book that was built, read from its pages and not from what made them:

- every line of every stage, of common/net and of common/http stands in it, word by word;
- every link leads somewhere, and every picture is there;
- no page is larger than a megabyte.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Optional
from urllib.parse import unquote, urlsplit

from book_source import all_shown_files, file_before, lines_of, same_lines

LARGEST_PAGE = 1_000_000  # bytes

Lines = dict[str, dict[int, str]]  # file -> number -> what stands there


class _Page(HTMLParser):
    """Collects the shown lines, the links and the ids of one page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown: Lines = {}
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.without_alt: list[str] = []
        self._file: Optional[str] = None
        self._number: Optional[int] = None
        self._text = ""
        self._in_code = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, Optional[str]]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in ("img", "script") and given.get("src"):
            self.links.append(given["src"])
        if tag == "img" and not given.get("alt"):
            self.without_alt.append(given.get("src", "?"))
        if tag == "div" and "data-file" in given:
            self._file = given["data-file"] if "change" not in given["class"].split() else None
        elif tag == "span" and "data-new" in given and self._file:
            self._number, self._text = int(given["data-new"]), ""
        elif tag == "b" and self._number is not None:
            self._in_code = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "b" and self._in_code and self._file and self._number is not None:
            self.shown.setdefault(self._file, {})[self._number] = self._text
            self._in_code, self._number = False, None
        elif tag == "pre":
            self._file = None

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self._text += data


def check(html: Path) -> list[str]:
    """Reads all pages; what is wrong, one line each, and first of all the share that is shown."""
    pages = {path: _read(path) for path in sorted(html.rglob("*.html"))}
    complaints = []
    shown: Lines = {}
    for path, page in pages.items():
        for file, lines in page.shown.items():
            shown.setdefault(file, {}).update(lines)
        if path.stat().st_size > LARGEST_PAGE:
            complaints.append(f"{path.name} is larger than {LARGEST_PAGE} bytes")
        if path.name.startswith(("chapter-", "index", "whole-")):
            complaints += [f"{path.name}: the picture {name} has no words beside it"
                           for name in page.without_alt]
    complaints += broken_links(html, pages)
    total, missing = missing_lines(shown, all_shown_files())
    complaints += missing
    print(f"lines that stand in the book: {total - len(missing)} of {total}")
    return complaints


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8", errors="replace"))
    return page


def missing_lines(shown: Lines, files: list[str]) -> tuple[int, list[str]]:
    """How many lines there are, and those that stand nowhere. A line that is the same as in the
    stage before counts if it stands there. Files come in the order of the ladder."""
    covered: dict[str, set[int]] = {}
    total, missing = 0, []
    for file in files:
        lines = lines_of(file)
        found = {number for number, text in shown.get(file, {}).items()
                 if 0 < number <= len(lines) and lines[number - 1].strip() == text.strip()}
        before = file_before(file) if file.startswith("stages/") else None
        if before:
            found |= {number for number, old in same_lines(before, file).items()
                      if old in covered.get(before, ())}
        covered[file] = found
        total += len(lines)
        missing += [f"{file}:{number}: stands nowhere in the book: {line.strip()}"
                    for number, line in enumerate(lines, start=1) if number not in found]
    return total, missing


def broken_links(html: Path, pages: dict[Path, _Page]) -> list[str]:
    """The links of the book's own pages that lead nowhere; what is elsewhere is not looked at."""
    broken = []
    for path, page in pages.items():
        for link in sorted(set(page.links)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or re.match(r"javascript:|#?$", link):
                continue
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if not target.exists():
                broken.append(f"{path.name}: the link {link} leads nowhere")
            elif parts.fragment and target in pages:
                known = pages[target].ids | {"nested-classes"}  # Doxygen 1.9.4 forgets that one
                if unquote(parts.fragment) not in known:
                    broken.append(f"{path.name}: the link {link} names a place that is not there")
    return broken
