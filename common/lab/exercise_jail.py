"""Makes the room that a submission's program runs in, and becomes that program.

    exercise_jail.py [--uid N] [--scratch DIR] [--hide DIR] [--processes N] -- PROGRAM...

Started by exercise_sandbox.py within namespaces of its own, if the machine allows those. Imports
nothing of lab, since it runs once for every test.
"""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import struct
import subprocess
import sys

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1
SCRATCH_SIZE = "64m"


def main(words: list[str]) -> None:
    """Does what the options say and becomes the program."""
    uid, processes, program = -1, 0, []
    while words:
        word = words.pop(0)
        if word == "--":
            program = words
            break
        value = words.pop(0)
        if word == "--uid":
            uid = int(value)
        elif word == "--processes":
            processes = int(value)
        elif word == "--hide":
            _mount(value, "mode=0755,size=4k")
        elif word == "--scratch":
            _mount(value, f"mode=1777,size={SCRATCH_SIZE}")
        elif word == "--loopback":
            _loopback_up()
        else:
            sys.exit(f"exercise_jail: {word}?")
    if processes:
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    if uid >= 0:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    os.execv(program[0], program)


def _mount(folder: str, options: str) -> None:
    """An empty folder in memory in the place of one that is there."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True,
                   stdin=subprocess.DEVNULL)  # fmt: skip


def _loopback_up() -> None:
    """A namespace of its own has a network of its own, in which even 127.0.0.1 is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))


if __name__ == "__main__":
    main(sys.argv[1:])
