"""What a figure was measured on: without it, it says nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from typing import Any

import machine
from building import build_folder
from machine import read
from stages import ROOT


def facts(preset: str) -> dict[str, Any]:
    """The machine, the compiler and the checkout, as they go into the JSON."""
    cache = read(str(build_folder(preset) / "CMakeCache.txt"))
    compiler = _cached(cache, "CMAKE_CXX_COMPILER") or machine.compiler() or "c++"
    build_type = _cached(cache, "CMAKE_BUILD_TYPE")
    kind, version = machine.compiler_version(compiler)
    cpu = "/sys/devices/system/cpu"
    return {
        "processor": _in_cpuinfo("model name"),
        "cpus": os.cpu_count(),
        "virtual": "hypervisor" in _in_cpuinfo("flags").split(),
        "memory_mib": machine.available_memory_bytes() >> 20,
        "kernel": f"{os.uname().sysname} {os.uname().release}",
        "governor": read(f"{cpu}/cpu0/cpufreq/scaling_governor") or "unknown",
        "turbo": turbo(read(f"{cpu}/intel_pstate/no_turbo"), read(f"{cpu}/cpufreq/boost")),
        "load_average": os.getloadavg()[0],
        "compiler": f"{kind} {machine.dotted(version)}",
        "flags": _cached(cache, f"CMAKE_CXX_FLAGS_{build_type.upper()}"),
        "commit": machine.output_of("git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"),
        "changed": bool(machine.output_of("git", "-C", str(ROOT), "status", "--porcelain",
                                          "--untracked-files=no")),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "generators": {name: _version(name) for name in ("wrk", "ab", "h2load")},
    }


def turbo(no_turbo: str, boost: str) -> str:
    """on, off or unknown, from the two places where Linux may tell."""
    if no_turbo in ("0", "1"):
        return "off" if no_turbo == "1" else "on"
    return {"0": "off", "1": "on"}.get(boost, "unknown")


def in_words(facts_of: dict[str, Any], steal: float) -> str:
    """The line under every chart."""
    virtual = ", virtual" if facts_of["virtual"] else ""
    changed = " with changes" if facts_of["changed"] else ""
    return (f"{facts_of['processor']}, {facts_of['cpus']} CPUs{virtual}, {facts_of['kernel']}; "
            f"governor {facts_of['governor']}, turbo {facts_of['turbo']}, "
            f"steal {steal:.1%}, load before {facts_of['load_average']:.1f}; "
            f"{facts_of['compiler']} {facts_of['flags']}; "
            f"commit {facts_of['commit'] or 'unknown'}{changed}; {facts_of['date']}")


def warnings(facts_of: dict[str, Any]) -> list[str]:
    """What makes figures of this machine doubtful, before a minute is spent."""
    doubts = []
    if facts_of["load_average"] > 0.5:
        doubts.append(f"the machine is busy (load {facts_of['load_average']:.1f}): try again later")
    if facts_of["cpus"] < 2:
        doubts.append("there is one CPU: server and generator share it")
    if facts_of["governor"] not in ("unknown", "performance"):
        doubts.append(f"the governor is {facts_of['governor']}: the clock will change")
    return doubts


def _version(program: str) -> str:
    if shutil.which(program) is None:
        return "not installed"
    option = {"wrk": "-v", "ab": "-V"}.get(program, "--version")
    # wrk says its version and then complains of having nothing to do.
    ran = subprocess.run([program, option], capture_output=True, text=True, check=False)
    return machine.dotted(machine.version_in(ran.stdout))


def _cached(cache: str, name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE)
    return found[1] if found else ""


def _in_cpuinfo(name: str) -> str:
    found = re.search(rf"^{name}\s*:\s*(.*)$", read("/proc/cpuinfo"), re.MULTILINE)
    return found[1] if found else "unknown"
