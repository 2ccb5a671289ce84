"""The verb `stages`: what each stage can do and cannot, as the capability tests found it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import testing
from building import build_folder, check_preset
from console import LabError
from stages import all_stages


def found_cells(folder: Path) -> dict[str, dict[str, str]]:
    """What was found: for each question, in the order of the tests' table, stage -> answer."""
    rows: dict[tuple[int, str], dict[str, str]] = {}
    for file in folder.glob("*/*.json"):
        cell = json.loads(file.read_text())
        row = rows.setdefault((cell["order"], cell["question"]), {})
        row[file.parent.name] = cell["found"]
    return {question: rows[order, question] for order, question in sorted(rows)}


def table_lines(cells: dict[str, dict[str, str]], stages: list[str]) -> list[str]:
    """The table as text: a line for each question, a column for each stage's number."""
    rows = [["", *(stage.split("-")[0] for stage in stages)]]
    for question, answers in cells.items():
        rows.append([question, *(answers.get(stage, "") for stage in stages)])
    widths = [max(len(cell) for cell in column) for column in zip(*rows)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    ]


def main(arguments: list[str]) -> int:
    """`lab stages [--preset PRESET]`"""
    parser = argparse.ArgumentParser("lab stages", allow_abbrev=False)
    parser.add_argument("--preset", default="dev")
    preset = check_preset(parser.parse_args(arguments).preset)
    stages = all_stages()
    folder = build_folder(preset) / "capability"
    code = 0
    if not folder.exists():
        code = testing.main(["--preset", preset, "--label", "capability"])
    cells = found_cells(folder)
    if not cells:
        raise LabError(f"the capability tests left nothing in {folder}")
    print("\n".join(table_lines(cells, stages)))
    return code
