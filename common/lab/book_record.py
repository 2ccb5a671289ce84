"""What the book shows of a terminal: commands that were run, and what they said.

The commands stand in the chapter, the outputs in docs/book/recorded/. `./lab docs --refresh` runs
the commands again; `./lab docs --drift` says whether they still say the same, but for numbers that
differ from run to run.
"""

from __future__ import annotations

import html
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from book_code import block, coloured
from building import build, program_path
from console import LabError, say
from stages import ROOT, find_stage, all_stages

RECORDED = ROOT / "docs" / "book" / "recorded"
CHANGES = ROOT / "docs" / "book" / "changes"
PORT = 8080  # what the reader types
SECONDS = 60  # for all commands of one recording
_MARK = "\x1e"


class Run(NamedTuple):
    """A block `{{run ...}}` of a chapter."""

    name: str
    server: tuple[str, ...]  # stage and options, or `in` and a folder; empty: none is started
    change: str  # the name of the patch it is built with; empty: none
    commands: tuple[str, ...]  # one may have several lines


def parse_run(head: str, body: list[str]) -> Run:
    """`NAME | STAGE OPTIONS | with CHANGE`, and the commands; an indented line goes on."""
    name, server, change = ([part.strip() for part in head.split("|")] + ["", ""])[:3]
    commands: list[str] = []
    for line in body:
        if line.startswith(" ") and commands:
            commands[-1] += "\n" + line
        elif line.strip():
            commands.append(line)
    if not commands:
        raise LabError(f"the run {name} has no command")
    return Run(name, tuple(shlex.split(server)), change.removeprefix("with ").strip(),
               tuple(commands))


def prompted(command: str) -> str:
    """A command as it stands on a terminal."""
    first, *rest = command.split("\n")
    return "\n".join([f"$ {first}", *(f"> {line}" for line in rest)])


def stored(run: Run) -> list[str]:
    """The output of each command, from the recording; it must be one of these commands."""
    path = RECORDED / f"{run.name}.txt"
    again = f"./lab docs --refresh {run.name}"
    if not path.exists():
        raise LabError(f"nothing is recorded of the run {run.name}; {again}")
    begun, *parts = path.read_text(encoding="utf-8").split("\n" + _LINE)
    outputs = []
    if begun != _begun(run) or len(parts) != len(run.commands):
        raise LabError(f"the recording of {run.name} is of other commands; {again}")
    for command, part in zip(run.commands, parts):
        shown = prompted(command)
        if not part.startswith(shown + "\n"):
            raise LabError(f"the recording of {run.name} is of other commands; {again}")
        outputs.append(part[len(shown) + 1 :].rstrip("\n"))
    return outputs


_LINE = "--------\n"


def _begun(run: Run) -> str:
    """The first line of a recording: the server, and what was changed in it."""
    changed = f", with {run.change}" if run.change else ""
    return f"server: {' '.join(run.server) or 'none'}{changed}"


def transcript(run: Run) -> str:
    """The run as HTML: which server to start, what to type, what it says."""
    rows = []
    for command, output in zip(run.commands, stored(run)):
        for line in prompted(command).split("\n"):
            code = coloured(line[2:], "sh")
            rows.append(f'<span class="line typed"><i class="sign" data-n="{line[0]}"></i>'
                        f"<b>{code}</b></span>\n")
        rows += [f'<span class="line said">{html.escape(line)}</span>\n'
                 for line in output.split("\n") if output]
    head = "in a terminal"
    if run.server[:1] == ("in",):
        head = f"in the folder {run.server[1]}"
    elif run.server:
        stage = run.server[0].split("-")[0]
        words = shlex.join(["./lab", "run", stage, *run.server[1:]])
        changed = " (changed as above)" if run.change else ""
        head = f"in one terminal: {words}{changed}, and in another:"
    return block("", head, "".join(rows), "terminal")


# --- Running ---


def record(run: Run, program: Path | None) -> list[str]:
    """Runs the commands, in one shell, beside a server of their own; the output of each."""
    with tempfile.TemporaryDirectory() as folder:
        server, port = None, _free_port()
        if program is not None:
            server, port = _start(program, run)
        elif run.server:  # programs that the reader types, which have their port in them
            for source in (ROOT / run.server[1]).iterdir():
                text = source.read_text(encoding="utf-8").replace(str(PORT), str(port))
                Path(folder, source.name).write_text(text, encoding="utf-8")
        try:
            script = "".join(f"printf '{_MARK}'\n{command}\n" for command in run.commands)
            script = script.replace(str(PORT), str(port))
            if server is not None:  # and not another one of that name
                script = re.sub(r"\$\(pidof [\w-]+\)", str(server.pid), script)
            ran = subprocess.run(
                ["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, timeout=SECONDS,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": folder},
            )
        except subprocess.TimeoutExpired as error:
            raise LabError(f"the run {run.name} takes longer than {SECONDS} s") from error
        finally:
            if server is not None:
                server.terminate()
                server.wait(timeout=SECONDS)
    outputs = ran.stdout.split(_MARK)[1:]
    return [_tidied(output, port) for output in outputs]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def _start(program: Path, run: Run) -> tuple[subprocess.Popen[str], int]:
    words = [str(program), "--port", "0", *run.server[1:]]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    assert server.stdout is not None
    ready = server.stdout.readline()
    found = re.search(r"listening on http://.*:(\d+)", ready)
    if not found:
        raise LabError(f"{program.name} does not serve; it says: {ready.strip()}")
    return server, int(found[1])


def _tidied(output: str, port: int) -> str:
    """Without what a terminal would not show, and with the port that the reader has."""
    output = output.replace("\r", "").replace(f":{port}", f":{PORT}")
    return "\n".join(line.rstrip() for line in output.rstrip("\n").split("\n"))


def comparable(output: str) -> str:
    """The output without what differs from run to run: times, dates, memory."""
    output = re.sub(r"\d+\.\d+|\d+(?= kB)", "#", output)
    output = re.sub(r"^(Date|Last-Modified): .*$", r"\1: #", output, flags=re.MULTILINE)
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:#", output)


def programs(runs: list[Run]) -> dict[str, Path]:
    """Builds what the runs need; the program of each run that has a server."""
    found: dict[str, Path] = {}
    plain = sorted({find_stage(run.server[0], all_stages()) for run in runs
                    if run.server and run.server[0] != "in" and not run.change})
    if plain:
        build("release", plain, with_tests=False)
    for run in runs:
        if run.server[:1] == ("in",):
            continue
        if run.server and run.change:
            found[run.name] = changed_program(run)
        elif run.server:
            found[run.name] = program_path(find_stage(run.server[0], all_stages()), "release")
    return found


def changed_program(run: Run) -> Path:
    """Builds a stage with a change of the book, in a copy of the sources."""
    tree = ROOT / "build" / "docs" / "changed"
    stage = find_stage(run.server[0], all_stages())
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True,
                            check=True)
    for name in listed.stdout.split("\n"):
        if name.startswith(("common/", "stages/", "cmake/", "tests/bench/", "CMake", "docs/book/")):
            _copy_if_other(ROOT / name, tree / name)
    patch(tree, run.change, "--batch")
    say(f"building {stage} with the change {run.change}")
    for command in (["cmake", "--preset", "release", "-DSTAGECRAFT_TESTS=OFF",
                     "-DSTAGECRAFT_BENCH=OFF"],
                    ["cmake", "--build", "build/release", "--target", stage]):
        ran = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise LabError(f"{stage} does not build with {run.change}:\n{ran.stdout}{ran.stderr}")
    kept = tree / "programs" / run.change
    kept.parent.mkdir(exist_ok=True)
    shutil.copy2(tree / "build" / "release" / "bin" / stage, kept)
    return kept


def _copy_if_other(source: Path, target: Path) -> None:
    """Copies what differs, so that only that is compiled again."""
    if not target.exists() or target.read_bytes() != source.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())


def patch(tree: Path, change: str, *options: str) -> None:
    """Applies a change of the book to a tree; LabError if it does not fit."""
    path = CHANGES / f"{change}.patch"
    if not path.exists():
        raise LabError(f"there is no change {change} in docs/book/changes")
    ran = subprocess.run(["patch", "-p1", "--fuzz=0", "-i", str(path), *options], cwd=tree,
                         capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise LabError(f"the change {change} does not fit the sources any more:\n{ran.stdout}")


def refresh(runs: list[Run], names: list[str]) -> int:
    """Runs the commands of all runs, or of the named ones, and stores what they say. A recording
    that differs only in numbers is left as it is, unless it was named."""
    chosen = [run for run in runs if not names or run.name in names]
    found = programs(chosen)
    RECORDED.mkdir(exist_ok=True)
    for run in chosen:
        say(f"recording {run.name}")
        outputs = record(run, found.get(run.name))
        parts = [_begun(run)] + [f"{prompted(command)}\n{output}".rstrip("\n") + "\n"
                                 for command, output in zip(run.commands, outputs)]
        text = ("\n" + _LINE).join(parts)
        path = RECORDED / f"{run.name}.txt"
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if run.name in names or comparable(old) != comparable(text):
            path.write_text(text, encoding="utf-8")
    return 0


def drift(runs: list[Run]) -> int:
    """Runs everything again; says which recording is not what happens now. The exit code."""
    found = programs(runs)
    stale = 0
    for run in runs:
        for command, was, now in zip(run.commands, stored(run),
                                     record(run, found.get(run.name))):
            if comparable(was) != comparable(now):
                stale += 1
                print(f"{run.name}: {prompted(command)}\n  recorded: {was}\n  now:      {now}")
    say(f"{len(runs)} recordings, {stale} stale outputs")
    return 1 if stale else 0
