"""The pages of the book that nobody writes: every line of every stage and of the core."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Optional

import book_code
from book_source import SHARED_FOLDERS, Piece, file_before, files_of, lines_of, stage_before
from stages import all_stages


class Whole(NamedTuple):
    """A page that shows files from their first line to their last."""

    label: str
    title: str
    part: str
    text: str  # what stands above the files, in Markdown
    files: tuple[str, ...]


def wholes() -> list[Whole]:
    """All pages, in the order in which they stand in the book."""
    pages = []
    for stage in all_stages():
        before = stage_before(stage)
        files = tuple(files_of(f"stages/{stage}"))
        grown = f"It grows out of [{before}](@ref whole-{before})." if before else ""
        text = (f"Every line of `stages/{stage}`. {grown} A file that changed is shown as a"
                " difference; a line that is not shown is the one that it was. `*` stands beside"
                " nothing new.\n").replace(" `*` stands beside nothing new.", "")
        if not before:
            text = f"Every line of `stages/{stage}`.\n"
        pages.append(Whole(f"whole-{stage}", f"All of {stage}", "Every line of the stages", text,
                           files))
    for folder in SHARED_FOLDERS:
        short = folder.split("/")[1]
        stems: dict[str, list[str]] = {}
        for path in files_of(folder):
            stems.setdefault(Path(path).name.split(".")[0], []).append(path)
        for stem, files in stems.items():
            pages.append(Whole(f"whole-{short}-{stem.lower().replace('_', '-')}",
                               f"{folder}/{stem}", f"Every line of {folder}",
                               f"Every line of `{stem}` in `{folder}`.\n", tuple(files)))
    return pages


def markdown(page: Whole, folder: Path) -> str:
    """The page as Doxygen takes it; its parts go to `folder`."""
    out = [page.text]
    for number, path in enumerate(page.files):
        name = f"{page.label}-{number}.part.html"
        out.append(f"## {path.split('/')[-1]}\n")
        old = file_before(path) if path.startswith("stages/") else None
        changed = book_code.diff(old, path) if old else whole_file(path)
        if not changed:
            out.append(f"As in `{old}`.\n")
            continue
        (folder / name).write_text(changed, encoding="utf-8")
        out.append(f"\\htmlinclude[block] {name}\n")
    return "\n".join(out)


def whole_file(path: str) -> str:
    """A file from its first line to its last."""
    return book_code.snippet(Piece(path, 1, len(lines_of(path))))


def stage_of(label: str) -> Optional[str]:
    """The stage that a page shows, if it is one of a stage."""
    name = label.removeprefix("whole-")
    return name if name in all_stages() else None
