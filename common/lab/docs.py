"""The verbs `docs` and `book`: the book and the reference, made by Doxygen."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import book_appendix
import book_check
import book_pages
import book_print
import book_record
import book_reference
import serving
from book_pages import Chapter, Page
from console import LabError, Progress, say
from stages import ROOT

OUT = ROOT / "build" / "docs"
DOXYGEN = ROOT / "docs" / "doxygen"
THEME = Path("/usr/share/doxygen-awesome-css")
THEME_STYLES = ("doxygen-awesome.css", "doxygen-awesome-sidebar-only.css",
                "doxygen-awesome-sidebar-only-darkmode-toggle.css")
THEME_SCRIPTS = ("doxygen-awesome-darkmode-toggle.js", "doxygen-awesome-interactive-toc.js")
BOOK_PORT = 8008


def main(arguments: list[str]) -> int:
    """`lab docs [--refresh [NAME...] | --drift]`"""
    parser = argparse.ArgumentParser("lab docs", allow_abbrev=False)
    parser.add_argument("--refresh", nargs="*", metavar="NAME")
    parser.add_argument("--drift", action="store_true")
    wanted = parser.parse_args(arguments)
    if wanted.refresh is not None or wanted.drift:
        runs = all_runs()
        return book_record.drift(runs) if wanted.drift else book_record.refresh(runs,
                                                                                wanted.refresh)
    return build_book()


def book(arguments: list[str]) -> int:
    """`lab book [PORT]`: builds it and serves it with the last stage; does not return."""
    code = build_book()
    if code != 0:
        return code
    port = next((word for word in arguments if word.isdecimal()), str(BOOK_PORT))
    say(f"the book: http://127.0.0.1:{port}/index.html")
    return serving.main([str(OUT / "html"), *(arguments or [port])])


def all_runs() -> list[book_record.Run]:
    """The runs of all chapters, without anything being built."""
    runs = []
    for chapter in book_pages.contents():
        lines = (book_pages.BOOK / f"{chapter.name}.md").read_text(encoding="utf-8").splitlines()
        for at, line in enumerate(lines):
            found = re.fullmatch(r"\{\{run (.*)\}\}", line)
            if found:
                end = next(i for i in range(at, len(lines)) if lines[i] == "{{end}}")
                runs.append(book_record.parse_run(found[1], lines[at + 1 : end]))
    return runs


def build_book() -> int:
    """Makes everything in build/docs; the exit code."""
    progress = Progress()
    progress.update("cutting snippets and differences out of the sources")
    shutil.rmtree(OUT / "source", ignore_errors=True)
    shutil.rmtree(OUT / "html", ignore_errors=True)
    (OUT / "source").mkdir(parents=True)
    write_pages(OUT / "source")
    book_reference.write_headers(OUT / "source" / "code")
    write_configuration()
    progress.update("Doxygen makes the pages")
    ran = subprocess.run(["doxygen", "Doxyfile"], cwd=OUT, capture_output=True, text=True,
                         check=False)
    warnings = (OUT / "warnings.txt").read_text(encoding="utf-8")
    complaints = book_reference.complaints(warnings.replace(f"{OUT}/source/code/", ""))
    if ran.returncode != 0 and not complaints:
        complaints = [ran.stderr]
    if not complaints:
        book_print.write(OUT / "html", book_pages.contents())
    progress.update("counting the lines that stand in the book, following its links")
    complaints += book_check.check(OUT / "html")
    progress.clear()
    for complaint in complaints:
        print(complaint)
    if complaints:
        raise LabError(f"the book has {len(complaints)} faults, listed above")
    say(f"the book is in build/docs/html, after {progress.seconds():.0f} s: ./lab book serves it")
    return 0


def write_pages(folder: Path) -> None:
    """All pages of the book, written or generated, and the layout that lists them."""
    chapters = book_pages.contents()
    wholes = book_appendix.wholes()
    every = chapters + [Chapter(page.label, page.title, page.part) for page in wholes]
    for number, chapter in enumerate(chapters):
        page = Page(chapter, folder)
        text = (book_pages.BOOK / f"{chapter.name}.md").read_text(encoding="utf-8")
        label = "mainpage" if chapter.label == "index" else chapter.label
        title, _, rest = text.partition("\n")
        contents = "" if label == "mainpage" else "\n[TOC]\n"
        after = chapters[number + 1] if number + 1 < len(chapters) else None
        way = book_pages.previous_and_next(chapters[number - 1] if number else None, after)
        (folder / f"{chapter.label}.way.html").write_text(way, encoding="utf-8")
        body = page.convert(rest)
        (folder / f"{number:02}-{chapter.name}.md").write_text(
            f"{title} {{#{label}}}\n{contents}{body}\n"
            f"\\htmlinclude[block] {chapter.label}.way.html\n", encoding="utf-8")
    for page in wholes:
        (folder / f"{page.label}.md").write_text(
            f"# {page.title} {{#{page.label}}}\n\n[TOC]\n\n"
            f"{book_appendix.markdown(page, folder)}", encoding="utf-8")
    write_layout(every)


def write_layout(every: list[Chapter]) -> None:
    """Doxygen's own layout, with the chapters in front, by hand-made order."""
    subprocess.run(["doxygen", "-l", str(OUT / "layout.xml")], check=True, capture_output=True)
    layout = (OUT / "layout.xml").read_text(encoding="utf-8")
    parts: dict[str, list[str]] = {}
    for chapter in every:
        if chapter.label != "index":
            label = chapter.name if chapter.name.startswith("whole-") else chapter.label
            title = chapter.title.replace("`", "").replace("&", "&amp;").replace('"', "&quot;")
            parts.setdefault(chapter.part, []).append(
                f'<tab type="user" url="@ref {label}" title="{title}"/>')
    tabs = "".join(f'<tab type="usergroup" title="{part}">{"".join(items)}</tab>\n'
                   for part, items in parts.items())
    reference = re.search(r'<tab type="classes".*?</tab>', layout, re.DOTALL)
    assert reference
    tabs += f'<tab type="usergroup" title="Reference">{reference[0]}</tab>'
    layout = re.sub(r"<navindex>.*?</navindex>", lambda _: (
        f'<navindex><tab type="mainpage" visible="yes" title="Stagecraft"/>{tabs}</navindex>'),
        layout, flags=re.DOTALL)
    (OUT / "layout.xml").write_text(layout, encoding="utf-8")


def write_configuration() -> None:
    """The Doxyfile, and the head of every page, with the theme's scripts in it."""
    for command in ("doxygen", "patch"):
        if shutil.which(command) is None:
            raise LabError(f"{command} is not installed")
    themed = THEME.is_dir()
    styles = [str(THEME / name) for name in THEME_STYLES if themed] + [str(DOXYGEN / "book.css"),
                                                                       str(DOXYGEN / "drawing.css")]
    scripts = [str(THEME / name) for name in THEME_SCRIPTS if themed] + [str(DOXYGEN / "book.js")]
    text = (DOXYGEN / "Doxyfile.in").read_text(encoding="utf-8")
    for name, value in (("OUT", str(OUT)), ("STYLES", " ".join(styles)),
                        ("SCRIPTS", " ".join(scripts))):
        text = text.replace(f"@{name}@", value)
    (OUT / "Doxyfile").write_text(text, encoding="utf-8")
    subprocess.run(["doxygen", "-w", "html", "header.html", "footer.html", "unused.css",
                    "Doxyfile"], cwd=OUT, check=True, capture_output=True)
    head = "".join(f'<script src="$relpath^{Path(name).name}"></script>\n' for name in scripts)
    header = (OUT / "header.html").read_text(encoding="utf-8")
    header = header.replace("</head>", f"{head}</head>").replace("<html xmlns",
                                                                  '<html lang="en" xmlns')
    header = header.replace('lang="$langISO" ', "") if 'lang="en" xmlns' in header else header
    (OUT / "header.html").write_text(header, encoding="utf-8")
