"""The server that `lab survive` does things to, looked at from outside."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence

from console import LabError
from survive_client import Address, ask_once

_READY = re.compile(rb"listening on http://([\d.]+):(\d+)\n")
_OPEN = re.compile(rb"^stagecraft_connections_open(?:\{[^}]*\})? (\d+)$", re.MULTILINE)
# What a sanitizer or an assertion writes when it ends a program.
_REPORT = re.compile(r"Sanitizer|runtime error:|Assertion|terminate called")

PAUSE_S = 0.002


def wait_until(condition: Callable[[], bool], patience_s: float) -> bool:
    """Waits for something that cannot be waited for otherwise; whether it has come."""
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return condition()
        time.sleep(PAUSE_S)
    return True


def server_options(program: Path) -> str:
    """What --help says that a program knows."""
    helped = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
    return helped.stdout


class Server:
    """A server program, from its start to its end."""

    def __init__(
        self,
        program: Path,
        options: Sequence[str] = (),
        environment: Optional[Mapping[str, str]] = None,
        launcher: Sequence[str] = (),
    ) -> None:
        self.stage = program.name
        self._errors = tempfile.TemporaryFile()
        arguments = [] if "--port" in options else ["--port", "0"]
        self.process = subprocess.Popen(
            [*launcher, str(program), *arguments, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **(environment or {})},
        )
        assert self.process.stdout is not None
        self.output = self.process.stdout.readline()
        ready = _READY.fullmatch(self.output)
        self.serves = ready is not None
        self.address: Address = (ready[1].decode(), int(ready[2])) if ready else ("", 0)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._errors.close()

    def must_serve(self) -> Server:
        """Throws LabError with what it has said if it does not."""
        if not self.serves:
            self.process.wait()
            raise LabError(f"{self.stage} does not start: {self.errors().strip()}")
        return self

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    def errors(self) -> str:
        """What it has written to stderr so far."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), size, 0).decode(errors="replace")

    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def end_text(self) -> str:
        """How it has ended, and what it said."""
        code = self.process.returncode
        how = f"signal {-code}" if code and code < 0 else f"exit status {code}"
        said = self.errors().strip()
        report = _REPORT.search(said)
        return how + (f": {said[report.start() - 80 if report else 0 :][:400]}" if said else "")

    # --- Looks at it (man 5 proc) ---

    def descriptors(self) -> int:
        """How many are open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self) -> int:
        """How many there are."""
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def thread_numbers(self) -> list[int]:
        """Its threads, the first one first."""
        return sorted(map(int, os.listdir(f"/proc/{self.pid}/task")))

    def status(self, name: str, thread: int = 0) -> str:
        """A line of /proc/PID/status, or of that of one thread."""
        file = Path(f"/proc/{self.pid}/task/{thread or self.pid}/status")
        for line in file.read_text().splitlines():
            if line.startswith(name + ":"):
                return line.split(":", 1)[1].strip()
        return ""

    def memory_kib(self) -> int:
        """Memory of its own: heap and stacks."""
        return int(self.status("RssAnon").split()[0])

    def processor_s(self) -> float:
        """Processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def open_connections(self) -> int:
        """What /metrics says, less the one that asks; -1 if it does not say."""
        status, text = ask_once(self.address, "/metrics")
        numbers = _OPEN.findall(text)
        return sum(map(int, numbers)) - 1 if status == 200 and numbers else -1

    # --- What must hold of it ---

    def complaints_if_harmed(self, descriptors: int, patience_s: float = 5.0) -> list[str]:
        """What is wrong with it when nobody is there any more; `descriptors` it had before."""
        if not self.runs():
            return [f"the server has ended: {self.end_text()}"]
        found = []
        status, body = ask_once(self.address, "/plaintext")
        if (status, body) != (200, b"hello world\n"):
            found.append(f"a new client is not served: {status} {body[:60]!r}")
        if not wait_until(lambda: self.open_connections() == 0, patience_s):
            found.append(f"it counts {self.open_connections()} connections that are none")
        if not wait_until(lambda: self.descriptors() <= descriptors, patience_s):
            found.append(f"{self.descriptors()} descriptors are open, {descriptors} were before")
        return found

    def stop(self, patience_s: float = 15.0) -> list[str]:
        """Ends it by SIGTERM; complaints if that is not all well."""
        if self.runs():
            self.process.send_signal(signal.SIGTERM)
        return self.wait_for_end(patience_s)

    def wait_for_end(self, patience_s: float = 15.0) -> list[str]:
        """After SIGTERM; complaints if its end is not all well."""
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return [f"it does not end within {patience_s:.0f} s of SIGTERM"]
        if self.process.returncode != 0 or _REPORT.search(self.errors()):
            return [f"it ended with {self.end_text()}"]
        return []

    def kill(self) -> None:
        """Ends it in any case."""
        if self.runs():
            self.process.kill()
        self.process.wait()
