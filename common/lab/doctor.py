"""The verb `doctor`: looks at this machine and says what would be in the way, and what helps."""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable

import machine
from machine import dotted, read
from stages import ROOT

DESCRIPTORS_WORTH_HAVING = 4096
THREADS_WORTH_HAVING = 4096
DISK_WORTH_HAVING = 2 << 30

# With more random bits in addresses than this, the ThreadSanitizer of gcc 12 and clang 14 may find
# the memory taken that it wants for itself: "unexpected memory mapping".
TSAN_RANDOM_BITS = 28

UNLIMITED = resource.RLIM_INFINITY


@dataclass(frozen=True)
class Check:
    """One line of the report. `status` is ok, warn or missing; an ok needs no remedy."""

    name: str
    status: str
    detail: str
    remedy: str = ""


def ok_or_warn(name: str, is_ok: bool, detail: str, remedy: str) -> Check:
    """A check that can only warn; the remedy is for that case."""
    return Check(name, "ok", detail) if is_ok else Check(name, "warn", detail, remedy)


def check_compiler() -> Check:
    """Which compiler CMake will take, and whether it is new enough."""
    compiler = machine.compiler()
    if compiler is None:
        return Check("compiler", "missing", "there is no C++ compiler", "apt-get install g++")
    kind, version = machine.compiler_version(compiler)
    tested = machine.TESTED_COMPILERS[kind]
    return ok_or_warn(
        "compiler",
        version >= (tested,),
        f"{kind} {dotted(version)} ({compiler})",
        f"tested with {kind} {tested}; older ones lack parts of C++20",
    )


def check_cmake() -> Check:
    """CMake's version against the one that our presets need."""
    version = machine.cmake_version()
    if version is None:
        return Check("CMake", "missing", "not installed", "apt-get install cmake")
    if version < machine.CMAKE_NEEDED:
        remedy = f"{dotted(machine.CMAKE_NEEDED)} is needed: Debian 12, Ubuntu 24.04 or newer"
        return Check("CMake", "missing", dotted(version), remedy)
    return Check("CMake", "ok", dotted(version))


def check_ninja() -> Check:
    """Ninja, under either of its names."""
    for program in ("ninja", "ninja-build"):
        version = machine.output_of(program, "--version")
        if version:
            return Check("Ninja", "ok", version)
    return Check("Ninja", "missing", "not installed", "apt-get install ninja-build")


def check_library(name: str, package: str, headers: list[str], macro: str) -> Check:
    """A header-only library, by the version that the first of its headers that is there defines."""
    parts = (f"{macro}_MAJOR", f"{macro}_MINOR", f"{macro}_PATCH")
    for header in headers:
        macros = machine.macros_of(header)
        if macros:
            return Check(name, "ok", ".".join(macros.get(part, "?") for part in parts))
    detail = "the compiler finds no header of it"
    return Check(name, "missing", detail, f"apt-get install {package}")


def check_catch2() -> Check:
    """Catch2: versions 2 and 3 have different headers."""
    headers = ["catch2/catch_version_macros.hpp", "catch2/catch.hpp"]
    return check_library("Catch2", "catch2", headers, "CATCH_VERSION")


def check_cli11() -> Check:
    """CLI11, which reads the options of the servers."""
    return check_library("CLI11", "libcli11-dev", ["CLI/Version.hpp"], "CLI11_VERSION")


def check_re2() -> Check:
    """RE2, which matches the regular expressions in routes. Its headers do not tell its version."""
    if machine.macros_of("re2/re2.h"):
        return Check("RE2", "ok", "there")
    remedy = "apt-get install libre2-dev"
    return Check("RE2", "missing", "the compiler finds no header of it", remedy)


def check_sodium() -> Check:
    """libsodium, which signs sessions."""
    version = machine.macros_of("sodium.h").get("SODIUM_VERSION_STRING", "").strip('"')
    if version:
        return Check("libsodium", "ok", version)
    remedy = "apt-get install libsodium-dev"
    return Check("libsodium", "missing", "the compiler finds no header of it", remedy)


def check_tools(name: str, purpose: str, package_of: dict[str, str]) -> Check:
    """Programs that only some verb needs, which then installs them; each with its package."""
    absent = [program for program in package_of if shutil.which(program) is None]
    if not absent:
        return Check(name, "ok", f"for {purpose}: {', '.join(package_of)}")
    packages = " ".join(dict.fromkeys(package_of[program] for program in absent))
    detail = f"{purpose} lacks {', '.join(absent)}"
    return Check(name, "warn", detail, f"only for that: apt-get install {packages}")


def check_clang() -> Check:
    """The second compiler."""
    return check_tools("clang", "./lab test --preset clang", {"clang++": "clang"})


def check_browser() -> Check:
    """What opens the page in a test."""
    programs = {"chromium": "chromium", "chromedriver": "chromium-driver"}
    return check_tools("Chromium", "./lab test --browser", programs)


def check_bench_tools() -> Check:
    """What puts load on servers, and looks at sockets and system calls meanwhile."""
    programs = {
        "wrk": "wrk",
        "ab": "apache2-utils",
        "h2load": "nghttp2-client",
        "ss": "iproute2",
        "strace": "strace",
    }
    return check_tools("load tools", "./lab bench", programs)


def check_docs_tools() -> Check:
    """What makes the book and its reference."""
    return check_tools("book tools", "./lab docs", {"doxygen": "doxygen", "patch": "patch"})


def check_descriptors() -> Check:
    """How many files and connections one process may hold: a server needs one for each client."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return ok_or_warn(
        "descriptors",
        soft == UNLIMITED or soft >= DESCRIPTORS_WORTH_HAVING,
        f"{_limit(soft)} per process (can be raised to {_limit(hard)})",
        f"for experiments with many clients: ulimit -n {_limit(hard)}",
    )


def check_threads() -> Check:
    """How many threads there can be: the tightest of the four limits that Linux has."""
    limits = {
        "ulimit -u": _number(resource.getrlimit(resource.RLIMIT_NPROC)[0]),
        "the cgroup's pids.max": _number(read(f"{machine.cgroup_folder()}/pids.max")),
        "kernel.threads-max": _number(read("/proc/sys/kernel/threads-max")),
        "kernel.pid_max": _number(read("/proc/sys/kernel/pid_max")),
    }
    tightest = min(limits, key=limits.__getitem__)
    return ok_or_warn(
        "threads",
        limits[tightest] >= THREADS_WORTH_HAVING,
        f"about {limits[tightest]:.0f} (by {tightest})",
        f"a thread for each client will end here; raise {tightest} for such experiments",
    )


def check_thread_sanitizer() -> Check:
    """Builds a program with -fsanitize=thread and sees whether it starts."""
    name = "TSan"
    compiler = machine.compiler()
    if compiler is None:
        return Check(name, "missing", "there is no C++ compiler", "apt-get install g++")
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "probe")
        build = [compiler, "-fsanitize=thread", "-x", "c++", "-", "-o", program]
        built = subprocess.run(
            build, input=b"int main() {}\n", capture_output=True, timeout=60, check=False
        )
        if built.returncode != 0:
            remedy = "install the compiler's library for it (libtsan2, or libclang-rt-14-dev)"
            return Check(name, "warn", "a program does not link with -fsanitize=thread", remedy)
        ran = subprocess.run([program], capture_output=True, timeout=60, check=False)
    if ran.returncode == 0:
        return Check(name, "ok", "a program with -fsanitize=thread starts")
    return explain_tsan(ran.stderr.decode(errors="replace"), read("/proc/sys/vm/mmap_rnd_bits"))


def explain_tsan(message: str, random_bits: str) -> Check:
    """Why a program under ThreadSanitizer did not start, as far as that is known."""
    detail = "a program with -fsanitize=thread does not start"
    if "unexpected memory mapping" in message or _number(random_bits) > TSAN_RANDOM_BITS:
        detail += f" (vm.mmap_rnd_bits is {random_bits or 'unknown'})"
        return Check("TSan", "warn", detail, f"sudo sysctl vm.mmap_rnd_bits={TSAN_RANDOM_BITS}")
    said = message.strip().partition("\n")[0]
    return Check("TSan", "warn", f"{detail}: {said}", "./lab test --preset tsan will not work here")


def check_port(port: int = 8080) -> Check:
    """Whether the port that the servers use unless told otherwise is free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            remedy = "use another one: ./lab run 8081"
            return Check(f"port {port}", "warn", error.strerror or str(error), remedy)
    return Check(f"port {port}", "ok", "free")


def check_cpus() -> Check:
    """How many CPUs there are for a server and the load on it."""
    cpus = machine.cpus()
    remedy = "stages with several threads will look no faster than those with one"
    return ok_or_warn("CPUs", cpus >= 2, f"{cpus:g}", remedy)


def check_memory() -> Check:
    """What is left for compilers."""
    available = machine.available_memory_bytes()
    return ok_or_warn(
        "memory",
        available >= 1 << 30,
        f"{available / (1 << 30):.1f} GiB available",
        "compiling may need a little more; close something",
    )


def check_disk() -> Check:
    """What is left for build/; a sanitizer's build is the largest."""
    free = shutil.disk_usage(ROOT).free
    remedy = "a build folder takes some hundred MB; delete those in build/ that you do not need"
    return ok_or_warn("disk", free >= DISK_WORTH_HAVING, f"{free / (1 << 30):.1f} GiB free", remedy)


def check_wsl() -> Check:
    """Windows' Linux works, but not well on Windows' own drives."""
    if "microsoft" not in read("/proc/version").lower():
        return Check("WSL", "ok", "no")
    on_windows = str(ROOT).startswith("/mnt/")
    where = "in a folder of Windows" if on_windows else "in Linux's own folders"
    remedy = "clone it into your Linux home: builds there are many times faster"
    return ok_or_warn("WSL", not on_windows, f"yes, and this checkout is {where}", remedy)


def check_container() -> Check:
    """In a container a server on 127.0.0.1 cannot be reached from outside."""
    found = [mark for mark in ("/.dockerenv", "/run/.containerenv") if Path(mark).exists()]
    if not found and not read("/proc/1/environ").count("container="):
        return Check("container", "ok", "no sign of one")
    remedy = "for a browser outside of it: ./lab run --host 0.0.0.0, and publish port 8080"
    return Check("container", "warn", "yes: 127.0.0.1 may be its own", remedy)


CHECKS: tuple[Callable[[], Check], ...] = (
    check_compiler,
    check_cmake,
    check_ninja,
    check_cli11,
    check_re2,
    check_sodium,
    check_catch2,
    check_clang,
    check_browser,
    check_bench_tools,
    check_docs_tools,
    check_thread_sanitizer,
    check_port,
    check_descriptors,
    check_threads,
    check_cpus,
    check_memory,
    check_disk,
    check_wsl,
    check_container,
)


def _limit(value: int) -> str:
    return "unlimited" if value == UNLIMITED else str(value)


def _number(value: object) -> float:
    """A limit as a number; what is not one (`max`, unknown, unlimited) does not limit."""
    text = str(value)
    return float(text) if text.isdecimal() else float("inf")


def main(arguments: list[str]) -> int:
    """`lab doctor [--json]`"""
    parser = argparse.ArgumentParser("lab doctor", allow_abbrev=False)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args(arguments).json
    checks = []
    for check in CHECKS:
        result = check()
        checks.append(result)
        if not as_json:
            print(f"{result.status:8}{result.name:12} {result.detail}", flush=True)
            if result.remedy:
                print(f"{'':21}-> {result.remedy}", flush=True)
    if as_json:
        json.dump([asdict(check) for check in checks], sys.stdout, indent=2)
        print()
    return 1 if any(check.status == "missing" for check in checks) else 0
