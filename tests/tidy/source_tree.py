"""The files that the layout rules judge, and the form in which a rule reports what it found.

Judged is what the project consists of: in a checkout the files that git tracks and those that it
would track (new and not ignored, so that a rule is right before the commit as well as after it); in
an export without .git every file that .gitignore does not name.
"""

import collections
import fnmatch
import os
import pathlib
import subprocess

# Line 0 means the file as a whole.
Violation = collections.namedtuple("Violation", "path line text")

CPP = (".h", ".cpp")
# What a reader reads as a program, and what the bounds on its form apply to. Not among them:
# Markdown (the editor wraps it), HTML, CSS and SVG (as long as their content), data (JSON, TSV).
PROGRAM = CPP + (".py", ".sh", ".js", ".cmake", "CMakeLists.txt")
# What somebody typed: the rules on white space apply. Not TSV: an empty last column is a tab.
WRITTEN = PROGRAM + (".md", ".html", ".css", ".svg", ".json", ".txt", ".in")


class Tree:
    """A checkout or an export: names relative to its root, with '/', sorted; contents read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = sorted(list_files(self.root))
        self._texts = {}

    def files(self, prefix="", suffixes=()):
        """The names that begin with `prefix` and end with one of `suffixes` (none: all of them).

        A script without a suffix counts by its first line: as .sh or as .py.
        """
        return [path for path in self.paths
                if path.startswith(prefix)
                and (not suffixes or path.endswith(suffixes) or self._script(path) in suffixes)]

    def text(self, path):
        """The file as text; None for a binary file, which is one that has a zero byte."""
        if path not in self._texts:
            content = (self.root / path).read_bytes()
            # Newlines stay as they are: a stray carriage return is for a rule to find.
            self._texts[path] = None if b"\0" in content else content.decode("utf-8", "replace")
        return self._texts[path]

    def lines(self, path):
        """Pairs of line number and line, without the newline; none for a binary file."""
        text = self.text(path)
        if not text:
            return []
        return list(enumerate(text.removesuffix("\n").split("\n"), start=1))

    def stages(self):
        """The folders of stages/, as names in order."""
        return sorted({path.split("/")[1] for path in self.paths
                       if path.startswith("stages/") and path.count("/") >= 2})

    def kind(self, path):
        """The suffix by which a file is judged: its own, or that of the script it is."""
        return self._script(path) or pathlib.PurePosixPath(path).suffix

    def _script(self, path):
        if "." in os.path.basename(path).lstrip("."):
            return ""
        first = (self.text(path) or "").split("\n", 1)[0]
        if not first.startswith("#!"):
            return ""
        return ".py" if "python" in first else ".sh" if first.endswith("sh") else ""


def list_files(root):
    """The names of the files under `root` that belong to the project."""
    if not (root / ".git").exists():  # git would answer for a checkout that lies around an export
        return walk(root)
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
               "--exclude-standard"]
    try:
        listing = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return walk(root)  # no git here, or it refuses, as for a folder that somebody else owns
    # A file that is deleted but still tracked is listed too.
    names = {os.fsdecode(name) for name in listing.split(b"\0") if name}
    return [name for name in names if (root / name).is_file()]


def walk(root):
    """Every file but the ignored ones. Of .gitignore's language only plain names and `*` count."""
    ignored = [".git"]
    if (root / ".gitignore").is_file():
        lines = (root / ".gitignore").read_text(encoding="utf-8").split("\n")
        ignored += [line.strip().strip("/") for line in lines if line and not line.startswith("#")]

    def kept(name):
        return not any(fnmatch.fnmatch(name, pattern) for pattern in ignored)

    for folder, folders, names in os.walk(root):
        folders[:] = filter(kept, folders)
        for name in filter(kept, names):
            yield (pathlib.Path(folder) / name).relative_to(root).as_posix()
