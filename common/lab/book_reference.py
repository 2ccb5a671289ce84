"""The reference: the headers as Doxygen sees them, and which public names nobody has explained."""

from __future__ import annotations

import re
from pathlib import Path

from stages import ROOT, all_stages

# Names without a comment of their own; most share one with their neighbours. The list may only
# become shorter: a name that is not on it fails, and so does one that is on it and has a comment.
KNOWN = ROOT / "docs" / "doxygen" / "undocumented.txt"
FOLDERS = ("common/base", "common/net", "common/http", "common/web", "common/app")

_TRAILING = re.compile(r"^(\s*[^/\s].*?[;,{})\w]\s*)// (?!NOLINT)")
_DELETED = re.compile(r"\)(?: const)?(?: noexcept)? = delete;")
_UNDOCUMENTED = re.compile(
    r"^(\S+?):\d+: warning: (Member|Compound) (.*?)"
    r"(?: \(\w[\w ]*\) of (?:class|struct|file|namespace|union) (\S+))? is not documented\.\n",
    re.MULTILINE | re.DOTALL,
)


def write_headers(folder: Path) -> None:
    """Copies the public headers, changed as Doxygen needs them: a comment behind a member is about
    that member, and a member that is deleted is none. Lines keep their numbers."""
    for source in (*FOLDERS, f"stages/{all_stages()[-1]}"):
        for header in sorted((ROOT / source).glob("*.h")):
            target = folder / source / header.name
            target.parent.mkdir(parents=True, exist_ok=True)
            lines = header.read_text(encoding="utf-8").splitlines()
            target.write_text("\n".join(_for_doxygen(line) for line in lines) + "\n",
                              encoding="utf-8")


def _for_doxygen(line: str) -> str:
    return "" if _DELETED.search(line) else _TRAILING.sub(r"\1///< ", line)


def undocumented(warnings: str) -> set[str]:
    """The public names that Doxygen found without a comment, as `FILE NAME`. A constructor and a
    destructor need none: their class has one."""
    found = set()
    for path, _, name, owner in _UNDOCUMENTED.findall(warnings):
        name = re.sub(r"(?<!operator)\(.*", "", " ".join(name.split()))
        short = (owner or "").split("::")[-1]
        if name.lstrip("~") == short or name == "operator=":
            continue
        found.add(f"{path} {owner + '::' if owner else ''}{name}".replace("stagecraft::", ""))
    return found


def complaints(warnings: str) -> list[str]:
    """What is wrong, by Doxygen's warnings: each of them, but for names that are known."""
    found = undocumented(warnings)
    known = set(KNOWN.read_text(encoding="utf-8").splitlines()) if KNOWN.exists() else set()
    rest = _UNDOCUMENTED.sub("", warnings)
    wrong = [line for line in rest.splitlines() if line.strip()]
    wrong += [f"{name}: nobody has explained this name" for name in sorted(found - known)]
    wrong += [f"{name}: is explained, or gone: take it off {KNOWN.relative_to(ROOT)}"
              for name in sorted(known - found)]
    return wrong
