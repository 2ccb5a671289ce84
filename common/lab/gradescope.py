"""The verb `gradescope`: an autograder archive, set up once and run for every submission."""

from __future__ import annotations

import argparse
import json
import tempfile
import zipfile
from pathlib import Path

from console import say
from exercise_build import build, solution_of
from exercise_files import all_exercises, files_in, find_exercise
from exercise_origin import seed_number
from handout import lay_out

# Runs once, as root, in an image of Ubuntu or Debian; what it builds stays in the image.
_SETUP = """\
#!/usr/bin/env bash
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends \\
  python3 g++ cmake ninja-build catch2 libcli11-dev libre2-dev libsodium-dev util-linux
cd /autograder/source/stagecraft
LAB_NO_INSTALL=1 sh lab exercises prepare {exercises}
"""

_RUN = """\
#!/usr/bin/env bash
# One submission: the files themselves, or what ./lab submit has packed.
cd /autograder/source/stagecraft
submission=/autograder/submission
[ ! -f "$submission/submission.tar.gz" ] || submission=$submission/submission.tar.gz
export LAB_NO_INSTALL=1 STAGECRAFT_TIME_SCALE=4
rm -rf build/grades
sh lab grade "$submission" {chosen} --seed {seed} || true
mkdir -p /autograder/results
for result in build/grades/gradescope/*.json; do
  [ ! -f "$result" ] || cp "$result" /autograder/results/results.json
done
[ -f /autograder/results/results.json ] || cat >/autograder/results/results.json <<'END'
{nothing}
END
"""


def main(arguments: list[str]) -> int:
    """`lab gradescope FILE.zip --exercise NN... [--seed S] [--overlay DIR]`"""
    parser = argparse.ArgumentParser("lab gradescope", allow_abbrev=False)
    parser.add_argument("file", type=Path)
    parser.add_argument("--exercise", action="append", required=True)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--overlay", type=Path)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    seed = seed_number(chosen.seed)
    with tempfile.TemporaryDirectory(prefix="stagecraft-gradescope-") as name:
        whole = Path(name) / "stagecraft"
        lay_out(whole, chosen.overlay, seed)
        there = all_exercises(whole / "exercises")
        names = [find_exercise(text, there).name for text in chosen.exercise]
        _write(chosen.file, whole, scripts(names, seed))
    if chosen.json:
        print(json.dumps({"file": str(chosen.file), "exercises": names, "seed": seed}))
    else:
        say("it has the solutions: upload it to Gradescope and give it to nobody")
        print(chosen.file)
    return 0


def scripts(names: list[str], seed: int) -> dict[str, str]:
    """The two that Gradescope starts."""
    nothing = {"score": 0, "output": "no file of " + ", ".join(names) + " was handed in"}
    chosen = " ".join(f"--exercise {name}" for name in names)
    return {
        "setup.sh": _SETUP.format(exercises=" ".join(names)),
        "run_autograder": _RUN.format(chosen=chosen, seed=seed, nothing=json.dumps(nothing)),
    }


def _write(file: Path, whole: Path, texts: dict[str, str]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o755 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
        for name in files_in(whole):
            entry = zipfile.ZipInfo(f"stagecraft/{name}")
            entry.external_attr = (whole / name).stat().st_mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, (whole / name).read_bytes())


def prepare(names: list[str]) -> int:
    """Builds what all submissions of these exercises share, and our own solutions."""
    there = all_exercises()
    exercises = [find_exercise(text, there) for text in names] or there
    failed = build([solution_of(each) for each in exercises], "asan")
    for name, said in failed.items():
        say(f"{name}:\n{said}")
    print(f"prepared: {len(exercises) - len(failed)} of {len(exercises)} exercises")
    return 1 if failed else 0
