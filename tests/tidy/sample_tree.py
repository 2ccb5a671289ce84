"""A small tree that keeps all layout rules, and how the tests change it on disk."""

import pathlib
import tempfile

from source_tree import Tree

HEADER = """\
// What the test needs of a header and nothing else.
#pragma once

namespace stagecraft {}
"""

SERVER = """\
#include "server.h"

#include <thread>

#include "http/session.h"

namespace stagecraft {

void serve(int& served) { ++served; }

}  // namespace stagecraft
"""

CLEAN = {
    "README.md": "# A project\n",
    "CMakeLists.txt": "project(sample)\n",
    "lab": "#!/bin/sh\necho lab\n",
    "common/base/limits.h": HEADER,
    "common/base/limits.cpp": '#include "base/limits.h"\n\n#include <mutex>\n',
    "common/net/socket.h": HEADER,
    "common/http/session.h": HEADER,
    "common/app/main.cpp": '#include "http/session.h"\n#include "server.h"\n',
    "stages/CMakeLists.txt": "add_subdirectory(01-blocking)\nadd_subdirectory(02-thread-pool)\n",
    "stages/01-blocking/README.md": "# 01-blocking: the first stage\n",
    "stages/01-blocking/server.h": HEADER + "class Server {};\n",
    "stages/01-blocking/server.cpp": SERVER,
    "stages/02-thread-pool/README.md": "# 02-thread-pool: the second stage\n",
    "stages/02-thread-pool/server.h": HEADER + "class Server { int served = 0; };\n",
    "stages/02-thread-pool/server.cpp": SERVER.replace("++served", "served += 1"),
    "tests/unit/session_test.cpp": '#include "http/session.h"\n',
}


def write(root, files):
    """Writes files given as a dictionary from names to contents; None leaves a name out."""
    for name, content in files.items():
        if content is None:
            continue
        path = pathlib.Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def violations(rule, changes):
    """What `rule` finds in the clean tree with `changes`: pairs of a place and a text."""
    with tempfile.TemporaryDirectory() as root:
        write(root, {**CLEAN, **changes})
        found = list(rule(Tree(root)))
    return [(f"{v.path}:{v.line}" if v.line else v.path, v.text) for v in found]
