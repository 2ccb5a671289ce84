"""The verb `serve`: the last stage as a server of files."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import NoReturn

from building import build, program_path
from console import LabError, UsageError, say
from running import become
from stages import ROOT, all_stages

DEFAULT_PORT = 8008
LOOPBACK = ("127.0.0.1", "::1", "localhost")
# What goes to the terminal, by jwebserver's words, and what the server calls it.
OUTPUT = {"none": "off", "info": "access", "verbose": "verbose"}

_SETTING = re.compile(r"\s*([a-z-]+)\s*=")


class _Parser(argparse.ArgumentParser):
    """argparse, but its complaints are lab's."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; ./lab help serve")


def main(arguments: list[str]) -> int:
    """`lab serve [FOLDER] [PORT] [-b -p -d -o -c]`; does not return if all goes well."""
    stage = all_stages()[-1]
    wanted = _parse(arguments)
    if wanted.help:
        print((ROOT / "common" / "lab" / "help" / "serve.txt").read_text(encoding="utf-8"), end="")
        return 0
    options = ["--version"] if wanted.version else server_options(wanted)
    check_folder(options)
    build("release", [stage], with_tests=False)
    if not wanted.version:
        say(description(stage, options))
    become(program_path(stage, "release"), [stage, *options])


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="lab serve", add_help=False, allow_abbrev=False)
    parser.add_argument("bare", nargs="*")
    parser.add_argument("-b", "--bind-address", "--bind")
    parser.add_argument("-p", "--port")
    parser.add_argument("-d", "--directory")
    parser.add_argument("-o", "--output", choices=OUTPUT)
    parser.add_argument("-c", "--config")
    parser.add_argument("--no-listing", action="store_true")
    parser.add_argument("-V", "--version", action="store_true")
    parser.add_argument("-h", "--help", "-?", action="store_true")
    wanted = parser.parse_args(arguments)
    for bare in wanted.bare:
        # A folder that is called 8080 is ./8080.
        name = "port" if bare.isdecimal() else "directory"
        if getattr(wanted, name) is not None:
            raise UsageError(f"two times a {name}: {getattr(wanted, name)} and {bare}")
        setattr(wanted, name, bare)
    return wanted


def settings_in(config: str) -> set[str]:
    """The names that a configuration file sets: what it says need not be said by us."""
    try:
        lines = Path(config).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise LabError(f"cannot read {config}: {error.strerror}") from error
    found = (_SETTING.match(line) for line in lines)
    return {match[1] for match in found if match}


def server_options(wanted: argparse.Namespace) -> list[str]:
    """The options of the server program. What was asked for wins over the configuration file, and
    that over what lab would say by itself."""
    options = ["--app", "files"]
    configured = settings_in(wanted.config) if wanted.config is not None else set()
    if wanted.config is not None:
        options += ["--config", os.path.abspath(wanted.config)]
    log = OUTPUT[wanted.output] if wanted.output is not None else None
    listing = "off" if wanted.no_listing else None
    for name, value, otherwise in (
        ("host", wanted.bind_address, "127.0.0.1"),
        ("port", wanted.port, str(DEFAULT_PORT)),
        ("root", wanted.directory, "."),
        ("log", log, "access"),
        ("listing", listing, "on"),
    ):
        if value is None and name in configured:
            continue
        value = otherwise if value is None else value
        options += [f"--{name}", os.path.abspath(value) if name == "root" else value]
    return options


def check_folder(options: list[str]) -> None:
    """Before anything is built, or said to be served."""
    folder = dict(zip(options[::2], options[1::2])).get("--root")
    if folder is not None and not os.path.isdir(folder):
        raise UsageError(f"{folder} is not a folder")


def description(stage: str, options: list[str]) -> str:
    """What is served to whom, for the one who starts it."""
    given = dict(zip(options[::2], options[1::2]))
    folder = given.get("--root", f"the folder that {given.get('--config')} names")
    host = given.get("--host", "")
    reach = "this machine alone" if host in LOOPBACK else "everybody who can reach this machine"
    if not host:
        reach = f"those whom {given['--config']} lets in"
    return f"{stage} serves {folder} to {reach}; Ctrl-C ends it"
