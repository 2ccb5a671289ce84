"""What lab remembers of a student's work: work/.state.json, which the student may delete."""

from __future__ import annotations

import json
from typing import Any

from exercise_files import WORK, Exercise

FILE = WORK / ".state.json"


def _all() -> dict[str, Any]:
    try:
        told = json.loads(FILE.read_text())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def recall(exercise: Exercise) -> dict[str, Any]:
    """What is known of one exercise: `points`, `of`, `solved`, `failing`, `hints`."""
    told = _all().get(exercise.name, {})
    return told if isinstance(told, dict) else {}


def remember(exercise: Exercise, **facts: Any) -> None:
    """Adds to it."""
    told = _all()
    told[exercise.name] = {**recall(exercise), **facts}
    WORK.mkdir(exist_ok=True)
    partial = FILE.with_suffix(".partial")
    partial.write_text(json.dumps(told, indent=1) + "\n")
    partial.replace(FILE)


def last_exercise() -> str:
    """The one that was last started or checked, so that a bare `./lab check` knows which."""
    told = _all().get("last", "")
    return told if isinstance(told, str) else ""


def remember_last(exercise: Exercise) -> None:
    """See last_exercise()."""
    told = _all()
    told["last"] = exercise.name
    WORK.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(told, indent=1) + "\n")
