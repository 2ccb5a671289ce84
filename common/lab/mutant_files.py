"""Mutants as they are described in tests/mutants/*.txt, and what they make of a source.

    [second-host]
    breaks: A second Host is taken, and nobody knows which of the two counts.
    file: common/http/request_parser.cpp
    test: conformance: Host more than once is refused in any version
    - if (host_seen_) return fail(Status::bad_request, "there is more than one Host");

tests/mutants/README.md explains the lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from console import LabError
from stages import ROOT, all_stages, find_stage

FOLDER = ROOT / "tests" / "mutants"

# Programs that know a server from outside only: what they judge is the program of a stage.
BLACK_BOXES = ("conformance", "robustness", "capability", "faults-test")

_KEYS = ("breaks", "file", "through", "stage", "test")


class MutantError(LabError):
    """A description that is wrong, or that does not fit its source any more."""


@dataclass(frozen=True)
class Mutant:
    """A source with one place replaced."""

    name: str
    kind: str  # the name of the file that describes it
    breaks: str
    file: str  # relative to the checkout
    compiled: tuple[str, ...]  # what is compiled anew: the file, or for a header who includes it
    stage: str  # whose program the black boxes judge
    program: str  # the program with the test that catches it: `conformance`, `unit-http`, ...
    test: str  # the name of that test case
    hunk: tuple[tuple[str, str], ...]  # ("-" or "+" or "=", a line without its indentation)
    is_copy: bool = False  # whether an earlier stage has the same mutant

    def applied_to(self, source: str) -> str:
        """The source with the mutant's lines in it. Throws MutantError where they do not fit."""
        lines = source.split("\n")
        bare = [line.strip() for line in lines]
        old = [text for mark, text in self.hunk if mark in "-="]
        places = [at for at in range(len(bare)) if bare[at : at + len(old)] == old]
        if len(places) != 1:
            found = "are not there" if not places else f"stand there {len(places)} times"
            raise MutantError(f"{self.name} is stale: its lines {found} in {self.file}")
        at = places[0]
        new = []
        for mark, text in self.hunk:
            if mark == "+":
                new.append(_indentation(lines[at - 1] if at > places[0] else lines[at]) + text)
            else:
                new += [lines[at]] if mark == "=" else []
                at += 1
        return "\n".join(lines[: places[0]] + new + lines[at:])


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


@dataclass
class _Block:
    """One description, as it is read."""

    name: str
    kind: str
    keys: dict[str, str] = field(default_factory=dict)
    hunk: list[tuple[str, str]] = field(default_factory=list)

    def mutants(self, stages: list[str]) -> list[Mutant]:
        """One mutant, or one for each stage that has the place."""
        missing = [key for key in ("breaks", "file", "test") if not self.keys.get(key)]
        if missing:
            raise MutantError(f"{self.name} does not say: {', '.join(missing)}")
        if not any(mark == "-" for mark, _ in self.hunk):
            raise MutantError(f"{self.name} replaces nothing: it has no line with a -")
        program, _, test = self.keys["test"].partition(": ")
        if not test:
            raise MutantError(f"{self.name}: a test is `PROGRAM: NAME OF THE CASE`")
        chosen = [find_stage(word, stages) for word in self.keys.get("stage", "").split()]
        in_stages = "/" not in self.keys["file"]
        if in_stages and not chosen:
            raise MutantError(f"{self.name}: which stages have {self.keys['file']}?")
        if self.keys["file"].endswith(".h") and not self.keys.get("through"):
            raise MutantError(f"{self.name}: through which sources is its header compiled?")
        return [
            Mutant(
                name=f"{self.name}@{stage[:2]}" if len(chosen) > 1 else self.name,
                kind=self.kind,
                breaks=self.keys["breaks"],
                file=_path(self.keys["file"], stage),
                compiled=tuple(
                    _path(file, stage)
                    for file in self.keys.get("through", self.keys["file"]).split()
                ),
                stage=stage,
                program=f"server-{stage}" if program == "server" else program,
                test=test,
                hunk=tuple(self.hunk),
                is_copy=at > 0,
            )
            for at, stage in enumerate(chosen or [stages[-1]])
        ]


def _path(file: str, stage: str) -> str:
    """A file without a folder is one of the stage's."""
    return file if "/" in file else f"stages/{stage}/{file}"


def _read(text: str, kind: str) -> list[_Block]:
    """The descriptions in one file's text."""
    blocks: list[_Block] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        key, colon, value = line.partition(":")
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            blocks.append(_Block(line[1:-1], kind))
        elif blocks and line[0] in "-+=" and line[1:2] in ("", " "):
            blocks[-1].hunk.append((line[0], line[2:].strip()))
        elif blocks and colon and key in _KEYS and key not in blocks[-1].keys:
            blocks[-1].keys[key] = value.strip()
        else:
            raise MutantError(f"{kind}.txt:{number}: what is `{line}`?")
    return blocks


def read_mutants(text: str, kind: str, stages: list[str]) -> list[Mutant]:
    """All mutants of one file's text."""
    return [mutant for block in _read(text, kind) for mutant in block.mutants(stages)]


def all_mutants(folder: Path = FOLDER, stages: Optional[list[str]] = None) -> list[Mutant]:
    """All mutants there are, in the order of their files. Throws MutantError."""
    stages = stages or all_stages()
    mutants = [
        mutant
        for file in sorted(folder.glob("*.txt"))
        for mutant in read_mutants(file.read_text(), file.stem, stages)
    ]
    names = [mutant.name for mutant in mutants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MutantError(f"two mutants have the same name: {', '.join(twice)}")
    return mutants


def stale_mutants(mutants: list[Mutant], root: Path = ROOT) -> list[str]:
    """What is wrong with those that do not fit their source, a line for each."""
    complaints = []
    for mutant in mutants:
        try:
            mutant.applied_to((root / mutant.file).read_text())
        except MutantError as error:
            complaints.append(str(error))
        except OSError:
            complaints.append(f"{mutant.name} is stale: there is no {mutant.file}")
    return complaints
