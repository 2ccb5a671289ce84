"""What an experiment of `lab survive` is given, and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional, Sequence

from survive_client import PATIENCE_S, ask_once
from survive_server import Server, wait_until


class NotJudged(Exception):
    """The machine does not let this be tried; says why."""


@dataclass
class Found:
    """What has come of one experiment."""

    figures: str = ""  # what was done, in numbers
    complaints: list[str] = field(default_factory=list)

    def check(self, holds: bool, otherwise: str) -> None:
        """Complains unless it holds."""
        if not holds:
            self.complaints.append(otherwise)


@dataclass
class Case:
    """One stage on which an experiment is made."""

    program: Path
    library: Path
    files: Path  # folder with large.bin and small.txt
    quick: bool
    sanitized: bool
    tell: Callable[[str], None]

    @property
    def stage(self) -> str:
        """Its number."""
        return self.program.name[:2]

    @property
    def slow_clients(self) -> int:
        """How many that are slow it bears: 01 none, which is why there is 02; 03 fewer than it has
        workers, which is why there is 04."""
        return {"01": 1, "03": 4}.get(self.stage, 8 if self.quick else 50)

    def scaled(self, number: int, quick: int) -> int:
        """The number, or the one for --quick."""
        return quick if self.quick else number

    def serve(
        self,
        *options: str,
        environment: Optional[dict[str, str]] = None,
        launcher: Sequence[str] = (),
    ) -> Server:
        """Starts a server, that has all threads it wants."""
        server = Server(
            self.program, ["--root", str(self.files), *options], environment, launcher
        ).must_serve()
        ask_once(server.address, "/block?ms=0")
        wait_until(lambda: server.open_connections() == 0, PATIENCE_S)
        return server
