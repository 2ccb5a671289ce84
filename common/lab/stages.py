"""The stages there are: the folders stages/NN-name that have a CMakeLists.txt."""

from __future__ import annotations

import re
from pathlib import Path

from console import LabError, UsageError

ROOT = Path(__file__).resolve().parents[2]

# From here on a bare number is a port: below are the stages, and the ports that need root.
FIRST_PORT = 1024

_STAGE_NAME = re.compile(r"\d\d-[a-z0-9-]+")


def all_stages(root: Path = ROOT) -> list[str]:
    """The names of all stages, in the order of the ladder."""
    folders = (root / "stages").glob("*/CMakeLists.txt")
    names = sorted(folder.parent.name for folder in folders)
    names = [name for name in names if _STAGE_NAME.fullmatch(name)]
    if not names:
        raise LabError(f"there is no stage in {root / 'stages'}; is this checkout complete?")
    return names


def find_stage(text: str, stages: list[str]) -> str:
    """The stage that is meant by its name, its number (`01`, `1`) or its words (`blocking`)."""
    for name in stages:
        number, words = name.split("-", 1)
        if text in (name, words) or (text.isdecimal() and int(text) == int(number)):
            return name
    raise UsageError(f"there is no stage '{text}'; there are: {', '.join(stages)}")


def is_port(text: str) -> bool:
    """Whether a bare argument is a port rather than a stage."""
    return text.isdecimal() and FIRST_PORT <= int(text) <= 65535


def split_stage(arguments: list[str], stages: list[str]) -> tuple[str, list[str]]:
    """Takes the stage off the front of `arguments`: (stage, the rest). The last one by default."""
    if not arguments or arguments[0].startswith("-") or is_port(arguments[0]):
        return stages[-1], arguments
    return find_stage(arguments[0], stages), arguments[1:]
