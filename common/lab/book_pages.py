"""From the chapters in docs/book to what Doxygen reads: directives become parts in HTML.

A directive is a line `{{name ...}}` of its own; some go on to a line `{{end}}`.
docs/book/AUTHORS.md explains them to who writes a chapter.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Callable, NamedTuple, Optional

import book_code
import book_record
from book_source import Piece, cut, cut_between, file_before, lines_of
from console import LabError
from stages import ROOT, all_stages

BOOK = ROOT / "docs" / "book"
_DIRECTIVE = re.compile(r"\{\{(\w+)\s*(.*?)\}\}\s*")
_TITLE = re.compile(r"#\s+(.*?)\s*")


class Chapter(NamedTuple):
    """A file of docs/book: its name without .md, its title, and the part that it stands in."""

    name: str
    title: str
    part: str

    @property
    def label(self) -> str:
        return "index" if self.name == "index" else f"chapter-{self.name}"


def contents() -> list[Chapter]:
    """The chapters in their order, from docs/book/contents.txt: `## PART`, or a file's name."""
    chapters, part = [], ""
    for line in (BOOK / "contents.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            part = line[3:].strip()
        elif line.strip() and not line.startswith("#"):
            name = line.strip()
            first = (BOOK / f"{name}.md").read_text(encoding="utf-8").split("\n", 1)[0]
            title = _TITLE.fullmatch(first)
            if not title:
                raise LabError(f"docs/book/{name}.md does not begin with '# TITLE'")
            chapters.append(Chapter(name, title[1], part))
    listed = {chapter.name for chapter in chapters} | {"AUTHORS"}
    for path in BOOK.glob("*.md"):
        if path.stem not in listed:
            raise LabError(f"docs/book/{path.name} is not in docs/book/contents.txt")
    return chapters


class Page:
    """One chapter on its way to Doxygen. Parts go to `folder`, to be included by their names."""

    def __init__(self, chapter: Chapter, folder: Path) -> None:
        self.runs: list[book_record.Run] = []
        self._chapter = chapter
        self._folder = folder
        self._parts = 0
        self._open: list[str] = []
        self._where = ""

    def convert(self, text: str) -> str:
        """The chapter as Doxygen takes it."""
        out: list[str] = []
        lines = text.splitlines()
        at, fenced = 0, False
        while at < len(lines):
            self._where = f"docs/book/{self._chapter.name}.md:{at + 1}"
            fenced ^= lines[at].startswith("```")
            found = None if fenced else _DIRECTIVE.fullmatch(lines[at])
            at += 1
            if not found:
                out.append(lines[at - 1])
            elif found[1] == "run":
                end = next((i for i in range(at, len(lines)) if lines[i] == "{{end}}"), None)
                if end is None:
                    raise LabError(f"{self._where}: the run has no {{{{end}}}}")
                out.append(self._run(found[2], lines[at:end]))
                at = end + 1
            else:
                out.append(self._directive(found[1], found[2]))
        if self._open:
            raise LabError(f"{self._where}: {self._open[-1]} has no {{{{end}}}}")
        return "\n".join(out) + "\n"

    def _directive(self, name: str, rest: str) -> str:
        known: dict[str, Callable[[str], str]] = {
            "snippet": self._snippet, "diff": self._diff, "change": self._change,
            "drawing": self._drawing, "picture": self._picture, "here": self._here,
            "predict": self._predict, "wrong": self._wrong,
            "aside": self._aside, "end": self._end, "chapters": self._chapters,
        }
        if name not in known:
            raise LabError(f"{self._where}: there is no directive {name}")
        try:
            return known[name](rest)
        except LabError as error:
            raise LabError(f"{self._where}: {error}") from error

    def _part(self, text: str) -> str:
        """Stores HTML and returns what includes it: Doxygen looks at no word of it."""
        self._parts += 1
        name = f"{self._chapter.label}-{self._parts}.part.html"
        (self._folder / name).write_text(text, encoding="utf-8")
        return f"\n\\htmlinclude[block] {name}\n"

    # --- Code ---

    def _snippet(self, rest: str) -> str:
        path, _, what = rest.partition(" ")
        if not what:
            return self._part(book_code.snippet(Piece(path, 1, len(lines_of(path)))))
        between = re.fullmatch(r'from "(.*)" to "(.*)"', what)
        if between:
            return self._part(book_code.snippet(cut_between(path, between[1], between[2])))
        names = [name.strip() for name in what.split(",")]
        return self._part("".join(book_code.snippet(cut(path, name)) for name in names))

    def _diff(self, rest: str) -> str:
        """`STAGE FILE [NAME, ...] [against STAGE]`"""
        rest, _, other = rest.partition(" against ")
        stage, name, what = (rest.split(None, 2) + [""])[:3]
        new = f"stages/{stage}/{name}"
        old = f"stages/{other}/{name}" if other else file_before(new)
        if stage not in all_stages() or old is None:
            raise LabError(f"there is nothing to compare {new} with")
        pieces = [cut(new, part.strip()) for part in what.split(",") if part.strip()]
        shown = [book_code.diff(old, new, piece) for piece in pieces or [None]]
        if not all(shown):
            raise LabError(f"nothing changed there between {old} and {new}")
        return self._part("".join(shown))

    def _change(self, name: str) -> str:
        path = book_record.CHANGES / f"{name}.patch"
        if not path.exists():
            raise LabError(f"there is no {path.relative_to(ROOT)}")
        book_record.patch(ROOT, name, "--dry-run")
        text = path.read_text(encoding="utf-8")
        changed = re.findall(r"^\+\+\+ b/(\S+)", text, flags=re.MULTILINE)
        rows = book_code.patch_rows(text)
        return self._part(book_code.block("", f"change {', '.join(changed)}", rows, "diff change"))

    def _run(self, head: str, body: list[str]) -> str:
        run = book_record.parse_run(head, body)
        self.runs.append(run)
        try:
            return self._part(book_record.transcript(run))
        except LabError as error:
            raise LabError(f"{self._where}: {error}") from error

    # --- Drawings ---

    def _drawing(self, rest: str) -> str:
        """`NAME | CAPTION`: an SVG of docs/book/images, as a part of the page."""
        name, _, caption = (part.strip() for part in rest.partition("|"))
        path = BOOK / "images" / f"{name}.svg"
        if not path.exists():
            raise LabError(f"there is no docs/book/images/{name}.svg")
        text = re.sub(r"<\?xml.*?\?>\s*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        if not re.search(r"<title\b.*?>.+?</title>.*<desc\b.*?>.+?</desc>", text, re.DOTALL):
            raise LabError(f"docs/book/images/{name}.svg has no <title> and <desc>")
        # Several drawings share a page, and so do their ids.
        text = re.sub(r'\bid="', f'id="{name}-', text)
        text = re.sub(r"url\(#", f"url(#{name}-", text)
        text = re.sub(r'\baria-labelledby="[^"]*"', f'aria-labelledby="{name}-title {name}-desc"',
                      text)
        below = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
        return self._part(f'<figure class="drawing">{text}{below}</figure>\n')

    def _picture(self, rest: str) -> str:
        """`PATH | ALT`: a picture that was made by a program, such as a timeline."""
        path, _, alt = (part.strip() for part in rest.partition("|"))
        if not alt or not (ROOT / path).is_file():
            raise LabError(f"{path}: no such picture, or no words for who cannot see it")
        name = path.replace("/", "-")
        (self._folder.parent / "html").mkdir(exist_ok=True)
        (self._folder.parent / "html" / name).write_bytes((ROOT / path).read_bytes())
        return self._part(f'<figure class="picture"><img src="{name}" loading="lazy" '
                          f'alt="{html.escape(alt, quote=True)}"></figure>\n')

    # --- Frames ---

    def _here(self, rest: str) -> str:
        """`STAGE | MINUTES | WHAT YOU NEED`: the ladder with this stage marked, and two facts."""
        stage, minutes, needed = (part.strip() for part in (rest + "||").split("|")[:3])
        steps = "".join(_step(name, name.startswith(stage) if stage else False)
                        for name in all_stages())
        facts = [f"<strong>{minutes} minutes.</strong>"] if minutes else []
        facts += [f"You need {inline(needed)}."] if needed else []
        return self._part(f'<div class="here"><ol class="ladder" aria-label="Where you are">{steps}'
                          f"</ol><p>{' '.join(facts)}</p></div>\n")

    def _predict(self, rest: str) -> str:
        self._open.append("predict")
        return self._part(f'<section class="predict"><p class="question">{inline(rest)}</p>'
                          "<details><summary>The answer</summary>\n")

    def _wrong(self, rest: str) -> str:
        self._open.append("wrong")
        return self._part('<section class="wrong"><p class="claim">'
                          f'<span>One may think:</span> {inline(rest)}</p>\n')

    def _aside(self, rest: str) -> str:
        self._open.append("aside")
        return self._part(f'<aside><p class="aside-title">{inline(rest)}</p>\n')

    def _end(self, _rest: str) -> str:
        if not self._open:
            raise LabError("there is nothing to end")
        closed = {"predict": "</details></section>", "wrong": "</section>", "aside": "</aside>"}
        return self._part(closed[self._open.pop()])

    def _chapters(self, _rest: str) -> str:
        return self._part(list_of_chapters(contents()))


def _step(stage: str, here: bool) -> str:
    number = stage.split("-")[0]
    chapter = next((it.label for it in contents() if it.name.startswith(f"{number}-")),
                   f"whole-{stage}")
    marked = ' aria-current="step"' if here else ""
    return f'<li{marked}><a href="{chapter}.html" title="{stage}">{number}</a></li>'


def inline(text: str) -> str:
    """A line with `code` and [links](@ref page) in it as HTML."""
    text = re.sub(r"`(.*?)`", r"<code>\1</code>", html.escape(text, quote=False))
    return re.sub(r"\[([^\]]*)\]\(@ref ([\w-]+)\)", r'<a href="\2.html">\1</a>', text)


def list_of_chapters(chapters: list[Chapter]) -> str:
    """The contents as HTML, part by part."""
    parts: dict[str, list[str]] = {}
    for chapter in chapters:
        if chapter.label != "index":
            item = f'<li><a href="{chapter.label}.html">{inline(chapter.title)}</a></li>'
            parts.setdefault(chapter.part, []).append(item)
    return "".join(f"<h2>{html.escape(part)}</h2><ul>{''.join(items)}</ul>"
                   for part, items in parts.items())


def previous_and_next(before: Optional[Chapter], after: Optional[Chapter]) -> str:
    """The way on, at the end of a page."""
    links = []
    for chapter, kind, word in ((before, "prev", "Before"), (after, "next", "Next")):
        if chapter:
            links.append(f'<a rel="{kind}" class="{kind}" href="{chapter.label}.html">'
                         f"<span>{word}</span> {inline(chapter.title)}</a>")
    return f'<nav class="way" aria-label="Chapters">{"".join(links)}</nav>\n'
