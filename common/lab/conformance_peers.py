"""Well-known servers, set up so that the conformance suite can judge them.

Nothing here installs them: Debian's packages of servers also start these servers.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional

from bench_servers import any_free_port
from console import LabError
from processes import end
from stages import ROOT

FOLDER = ROOT / "tests" / "conformance" / "peers"
START_SECONDS = 10.0


@dataclass(frozen=True)
class Peer:
    """A server: its words on the command line, and the files that it needs beside it."""

    name: str
    package: str
    command: tuple[str, ...]
    files: tuple[str, ...]
    version: tuple[str, ...]  # prints its version somewhere

    def program(self) -> Optional[str]:
        """Where it is, or None if it is not installed."""
        found = shutil.which(self.command[0])
        beside = f"/usr/sbin/{self.command[0]}"
        return found or (beside if Path(beside).exists() else None)

    def version_text(self) -> str:
        """`nginx 1.22.1`."""
        printed = subprocess.run(
            [self.program() or self.command[0], *self.version],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
        ).stdout
        number = re.search(r"\d+\.\d+(\.\d+)?", printed)
        return f"{self.name} {number[0]}" if number else self.name


PEERS = [
    Peer("nginx", "nginx-light and libnginx-mod-http-perl",
         ("nginx", "-p", "{folder}", "-c", "{folder}/nginx.conf", "-e", "stderr"),
         ("nginx.conf", "Echo.pm"), ("-v",)),
    Peer("Apache", "apache2-bin", ("apache2", "-DFOREGROUND", "-f", "{folder}/apache.conf"),
         ("apache.conf", "echo.pl"), ("-v",)),
    Peer("lighttpd", "lighttpd", ("lighttpd", "-D", "-f", "{folder}/lighttpd.conf"),
         ("lighttpd.conf", "echo.pl"), ("-v",)),
    Peer("node", "nodejs", ("node", "{folder}/echo.js", "{port}"), ("echo.js",), ("--version",)),
]


def find_peer(name: str) -> Peer:
    """A server by its name; says what is missing if it is not installed."""
    for peer in PEERS:
        if peer.name.lower() == name.lower():
            if peer.program() is None:
                raise LabError(f"{peer.name} is not installed. Debian's package is {peer.package}; "
                               "if it is a server's, installing it also starts that server")
            return peer
    raise LabError(f"there is no server '{name}'; there are: "
                   + ", ".join(peer.name for peer in PEERS))


@contextlib.contextmanager
def running(peer: Peer) -> Iterator[str]:
    """Starts a server on a free port of 127.0.0.1; its `HOST:PORT`. Ends it afterwards."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # Apache's workers are nobody, where root starts it
        port = any_free_port()
        _write_files(peer, folder, port)
        words = [_filled(word, folder, port) for word in peer.command]
        words[0] = peer.program() or words[0]
        process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            _await_port(peer, process, port)
            yield f"127.0.0.1:{port}"
        finally:
            end([process])
            if process.stderr is not None:
                process.stderr.close()


def _filled(text: str, folder: Path, port: int) -> str:
    return text.replace("{folder}", str(folder)).replace("{port}", str(port))


def _write_files(peer: Peer, folder: Path, port: int) -> None:
    (folder / "sentinel.txt").write_text("/path/sentinel\n\n")
    for name in peer.files:
        text = (FOLDER / name).read_text()
        if name.endswith(".conf"):
            text = _filled(text, folder, port)
        (folder / name).write_text(text)
        os.chmod(folder / name, 0o755)


def _await_port(peer: Peer, process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
            return
        time.sleep(0.05)
    said = process.stderr.read().decode(errors="replace") if process.poll() is not None and \
        process.stderr is not None else ""
    raise LabError(f"{peer.name} does not start: {said.strip() or 'it listens nowhere'}")
