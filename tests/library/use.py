"""Uses Stagecraft as a library in one of the two ways, as somebody else's project does: configures
and builds a project of docs/examples, runs its program, asks it once, and stops it.

    use.py find_package --work FOLDER --example FOLDER --build BUILD   installs BUILD first
    use.py add_subdirectory --work FOLDER --example FOLDER
"""

import argparse
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 30


def run(*command):
    """Runs a command, and ends this program with its output if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def check_names(prefix):
    """Ends this program if the installed library has names that could be somebody else's, or says
    where it was built."""
    for file in prefix.rglob("*.cmake"):
        if str(ROOT) in file.read_text():
            sys.exit(f"{file} names the folder of the sources: it could not be moved elsewhere")
    for file in prefix.rglob("*.h"):
        for macro in re.findall(r"^#\s*define\s+(\w+)", file.read_text(), re.MULTILINE):
            if not macro.startswith("STAGECRAFT_"):
                sys.exit(f"{file} defines the macro {macro}")
    for file in prefix.rglob("*.a"):
        for line in run("nm", "--demangle", "--defined-only", "--extern-only", file).splitlines():
            # T, D, B, R: ours alone; what comes from templates of the standard library is weak.
            symbol = re.fullmatch(r"[0-9a-f]+ [TDBR] (.*)", line)
            if symbol and "stagecraft::" not in symbol[1]:
                sys.exit(f"{file} defines {symbol[1]}")


def place_of_library(way, build, work):
    """The argument by which the example finds Stagecraft."""
    if way == "add_subdirectory":
        return f"-DSTAGECRAFT_SOURCE={ROOT}"
    prefix = work / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", prefix)
    check_names(prefix)
    moved = work / "moved"
    shutil.rmtree(moved, ignore_errors=True)
    prefix.rename(moved)  # a package has to work wherever it is put
    return f"-DCMAKE_PREFIX_PATH={moved}"


class Program:
    """A server program, from its first line to its end by SIGTERM."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "0"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        ready = re.fullmatch(r"listening on http://(\S+):(\d+)\n", self.read_line())
        if not ready:
            self.process.kill()
            sys.exit("it did not say where it listens")
        self.address = (ready[1], int(ready[2]))

    def read_line(self):
        """The next line that it prints."""
        return self.process.stdout.readline()

    def ask(self, target, **more):
        """The body of an answer."""
        url = f"http://{self.address[0]}:{self.address[1]}{target}"
        request = urllib.request.Request(url, **more)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return answer.read()

    def end(self):
        """Tells it to stop, and waits."""
        self.process.stdin.close()
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(PATIENCE_S) != 0:
            sys.exit(f"it ended with {self.process.returncode}")


def expect(found, expected):
    """Ends this program if something is not as it should be."""
    if found != expected:
        sys.exit(f"expected {expected!r}, found {found!r}")


def try_hello(program):
    """What the program of docs/examples/hello does."""
    expect(program.ask("/you"), b"hello /you\n")


def try_tour(program):
    """What the program of docs/examples/tour does."""
    expect(program.ask("/hello/you"), b"hello you\n")
    expect(program.ask("/later"), b"/later comes later\n")
    expect(len(program.ask("/lines")), 14 * 100_000)
    expect(program.ask("/upload", data=bytes(3_000_000)), b"3000000 bytes\n")
    with socket.create_connection(program.address, PATIENCE_S) as connection:
        connection.sendall(b"GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
                           b"Upgrade: echo\r\n\r\nfirst ")
        connection.sendall(b"second")
        connection.shutdown(socket.SHUT_WR)
        head, _, rest = connection.makefile("rb").read().partition(b"\r\n\r\n")
        expect(head.split(b"\r\n")[0], b"HTTP/1.1 101 Switching Protocols")
        expect(rest, b"first second")
    program.process.stdin.write("good day,\n")
    program.process.stdin.flush()
    expect(program.read_line(), "it says good day, now\n")
    expect(program.ask("/hello/you"), b"good day, you\n")


def main():
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=["find_package", "add_subdirectory"])
    parser.add_argument("--build", type=pathlib.Path, help="what to install for find_package")
    parser.add_argument("--work", type=pathlib.Path, help="a folder for what is made here")
    parser.add_argument("--example", type=pathlib.Path, help="of docs/examples")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="a variable of CMake for configuring the example")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    library = place_of_library(options.way, options.build, options.work)
    build = options.work / "build"
    name = options.example.name
    run("cmake", "-G", "Ninja", "-S", options.example, "-B", build, library,
        *(f"-D{variable}" for variable in options.set))
    run("cmake", "--build", build, "--target", name)
    program = Program(build / name)
    try:
        {"hello": try_hello, "tour": try_tour}[name](program)
        program.end()
    finally:
        program.process.kill()


if __name__ == "__main__":
    main()
