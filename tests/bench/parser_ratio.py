#!/usr/bin/env python3
"""Our parser against picohttpparser: the same two requests, compilers and flags, in one run.

    tests/bench/parser_ratio.py [--source FOLDER] [--build FOLDER] [--rounds N] [--cpu N]

Builds the microbenchmark of the parser four times (gcc and clang, -O2 and -O3 -march=native), runs
the four by turns, and prints a Markdown table of medians. Ratios are medians of the ratios of each
round, since a noisy minute then slows both sides. Needs what a build needs, clang++, the package
libbenchmark-dev and, without --source (the folder of picohttpparser.c), apt with access to source
packages: h2o's contains it.
"""

import argparse
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ("-O2", "-O3 -march=native")
REQUESTS = {"minimal": "44 bytes, 1 field", "browser": "678 bytes, 12 fields"}


def fetch(folder):
    """Unpacks h2o's source package and returns the folder of the parser in it."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = []
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        sources.append(("sources", text.replace("Types: deb\n", "Types: deb-src\n")))
    for path in ["/etc/apt/sources.list", *glob.glob("/etc/apt/sources.list.d/*.list")]:
        if os.path.exists(path):
            text = pathlib.Path(path).read_text(encoding="utf-8")
            lines = [line.replace("deb ", "deb-src ", 1) for line in text.splitlines()]
            sources.append(("list", "\n".join(lines) + "\n"))
    parts = folder / "sources.list.d"
    parts.mkdir(exist_ok=True)
    for number, (kind, text) in enumerate(sources):
        (parts / f"source-{number}.{kind}").write_text(text, encoding="utf-8")
    settings = ["Dir::Etc::sourcelist=/dev/null", f"Dir::Etc::sourceparts={parts}",
                f"Dir::State::lists={folder}/lists", "APT::Sandbox::User="]
    apt = ["apt-get", "-qq", *(f"-o{setting}" for setting in settings)]
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    subprocess.run([*apt, "update"], check=False)  # one without sources is no reason to stop
    subprocess.run([*apt, "source", "--download-only", "h2o"], check=True, cwd=folder)
    archive = next(folder.glob("h2o_*.orig.tar.*"))
    subprocess.run(["tar", "-xf", archive], check=True, cwd=folder)
    return next(folder.glob("h2o-*/deps/picohttpparser"))


def build(folder, source, compiler, flags):
    """Returns the program."""
    other = {"g++": "gcc", "clang++": "clang"}[compiler]
    subprocess.run(
        ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_C_COMPILER={other}",
         f"-DCMAKE_CXX_FLAGS_RELEASE={flags} -DNDEBUG",
         f"-DCMAKE_C_FLAGS_RELEASE={flags} -DNDEBUG",
         "-DSTAGECRAFT_BENCH=ON", f"-DSTAGECRAFT_PICOHTTPPARSER={source}"],
        check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "bench-parser"], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / "bin" / "bench-parser"


def measure(program, cpu):
    """Returns the nanoseconds of CPU time by the benchmark's name, for one round."""
    run = subprocess.run(
        ["taskset", "-c", str(cpu), program, "--benchmark_format=json", "--benchmark_min_time=0.1",
         "--benchmark_filter=^(parse_head|picohttpparser)/"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return {entry["name"]: entry["cpu_time"] for entry in json.loads(run.stdout)["benchmarks"]}


def print_table(variants, rounds):
    print("| compiler and flags | request | ours, ns | picohttpparser, ns | ratio |")
    print("|---|---|---|---|---|")
    for variant in variants:
        for request, words in REQUESTS.items():
            pairs = [(one[f"parse_head/{request}"], one[f"picohttpparser/{request}"])
                     for one in rounds[variant]]
            ours, peer = (statistics.median(column) for column in zip(*pairs))
            ratio = statistics.median(a / b for a, b in pairs)
            print(f"| {' '.join(variant)} | {words} | {ours:.1f} | {peer:.1f} | {ratio:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, help="the folder of picohttpparser.c")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "parser-ratio")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cpu", type=int, default=os.cpu_count() - 1)
    arguments = parser.parse_args()
    source = arguments.source or fetch(arguments.build / "source")
    programs = {}
    for compiler in ("g++", "clang++"):
        for number, flags in enumerate(FLAGS):
            folder = arguments.build / f"{compiler}-{number}"
            programs[compiler, flags] = build(folder, source.resolve(), compiler, flags)
    rounds = {variant: [] for variant in programs}
    for number in range(arguments.rounds):
        print(f"\rround {number + 1} of {arguments.rounds}", end="", file=sys.stderr, flush=True)
        for variant, program in programs.items():
            rounds[variant].append(measure(program, arguments.cpu))
    print(file=sys.stderr)
    print_table(programs, rounds)


if __name__ == "__main__":
    main()
