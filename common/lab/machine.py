"""Facts about this machine, each read in one place. Nothing here judges; `doctor` does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Optional

CMAKE_NEEDED = (3, 25)

# The compilers that every change is tested with. Older ones lack parts of C++20; newer ones work,
# and may know new warnings.
TESTED_COMPILERS = {"gcc": 12, "clang": 14}

# What the hungriest of our files takes to compile (Catch2 under a sanitizer), rounded up.
_BYTES_PER_COMPILER = 1 << 30


def read(path: str) -> str:
    """The text of a small file, or nothing where there is none or we may not read it."""
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return ""


def output_of(*command: str) -> str:
    """What a program prints, or nothing if it is not there or fails."""
    try:
        ran = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout.strip()


def version_in(text: str) -> Optional[tuple[int, ...]]:
    """The first dotted number in a text: `cmake version 3.25.1` -> (3, 25, 1)."""
    found = re.search(r"\d+(\.\d+)+", text)
    return tuple(int(number) for number in found[0].split(".")) if found else None


def dotted(version: Optional[tuple[int, ...]]) -> str:
    """(3, 25, 1) -> `3.25.1`."""
    return ".".join(map(str, version)) if version else "of unknown version"


def cmake_version() -> Optional[tuple[int, ...]]:
    """CMake's version, or None if there is none."""
    return version_in(output_of("cmake", "--version"))


def compiler() -> Optional[str]:
    """The compiler that CMake will choose, in its order."""
    for candidate in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        if candidate and shutil.which(candidate):
            return candidate
    return None


def compiler_version(name: str) -> tuple[str, tuple[int, ...]]:
    """What a compiler really is and its version: `c++` -> ("gcc", (12, 2, 0)); () if unknown."""
    line = output_of(name, "--version").partition("\n")[0]
    version = version_in(re.sub(r"\(.*?\)", "", line))  # in parentheses stands the package's
    return "clang" if "clang" in line else "gcc", version or ()


def macros_of(header: str) -> dict[str, str]:
    """What a header defines, by name; empty if the compiler does not find it."""
    name = compiler()
    if name is None:
        return {}
    lines = output_of(name, "-E", "-dM", "-x", "c++", "-include", header, "/dev/null").splitlines()
    words = (line.split(" ", 2) for line in lines)
    return {word[1]: word[2] for word in words if len(word) == 3}


def cpus() -> float:
    """How many CPUs we may use: by affinity, and by the cgroup's quota (a container's)."""
    count = float(len(os.sched_getaffinity(0)))
    quota, _, period = read(f"{cgroup_folder()}/cpu.max").partition(" ")
    if quota.isdecimal() and period.isdecimal():
        count = min(count, int(quota) / int(period))
    return count


def available_memory_bytes() -> int:
    """What can be allocated without swapping, as the kernel estimates it."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB$", read("/proc/meminfo"), re.MULTILINE)
    return int(found[1]) * 1024 if found else _BYTES_PER_COMPILER


def cgroup_folder() -> str:
    """Where this process's cgroup (version 2) shows its limits."""
    return "/sys/fs/cgroup" + read("/proc/self/cgroup").rpartition("::")[2].rstrip("/")


def build_jobs() -> int:
    """How many compilers to run at once: one per CPU, as far as there is memory for them."""
    return max(1, min(round(cpus()), available_memory_bytes() // _BYTES_PER_COMPILER))
