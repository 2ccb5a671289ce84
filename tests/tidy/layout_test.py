"""Every layout rule fails on a tree that breaks it and passes on one that does not.

BREAKS holds, for each rule, trees that must fail: what is changed in the clean tree of
sample_tree.py, and the place where the rule has to find it. KEEPS holds changes that look like a
violation and are none. The forbidden words are put together from pieces, because the rules judge
this file too.
"""

import unittest

import layout
from sample_tree import CLEAN, HEADER, SERVER, violations

WAIT = "sle" + "ep"
LATER = "TO" + "DO"
MACHINE = "/wo" + "rk/main"
HOST = "deb." + "debian.org"


def lines(count, form="int line_{};"):
    """`count` lines of code that stand nowhere else."""
    return "".join(form.format(number) + "\n" for number in range(count))


def function(count, heading="void f(int a, int b)"):
    """A function of `count` lines."""
    return heading + " {\n" + lines(count - 2, "  use({});") + "}\n"


def source(path, text):
    """A change: one file of C++, with `text` from its second line on."""
    return {path: '#include "base/limits.h"\n' + text}


def header(path, text):
    """A change: one header, with `text` from its fifth line on."""
    return {path: HEADER + text}


def system_row(where, shown_by):
    """A change: docs/systems.md with one row, in line 3."""
    return {"docs/systems.md":
            f"| what | where | shown by |\n|---|---|---|\n| a thing | {where} | {shown_by} |\n",
            "tests/unit/http/session_test.cpp": 'TEST_CASE("one") {}\n',
            "tests/unit/http/driver.cpp": "void drive();\n"}


TESTED = "`unit/http/session_test.cpp`"

BREAKS = {
    "layers": [
        (header("common/base/x.h", '#include "net/socket.h"\n'), "common/base/x.h:5"),
        (header("common/net/x.h", '#include "http/session.h"\n'), "common/net/x.h:5"),
        (header("common/http/x.h", '#include "app/demo.h"\n'), "common/http/x.h:5"),
        (header("common/http/x.h", '#include "web/router.h"\n'), "common/http/x.h:5"),
        (header("common/http/x.h", '#include "server.h"\n'), "common/http/x.h:5"),
        (header("common/http/x.h", '#include "session.h"\n'), "common/http/x.h:5"),
        (header("common/http/x.h", "#include <net/socket.h>\n"), "common/http/x.h:5"),
        (header("common/web/x.h", '#include "app/demo.h"\n'), "common/web/x.h:5"),
        ({"common/app/main.cpp": '#include "../../stages/01-blocking/server.h"\n'},
         "common/app/main.cpp:1"),
        ({"common/extra/new.h": HEADER}, "common/extra/new.h"),
        ({"stages/01-blocking/server.cpp": '#include "../02-thread-pool/server.h"\n'},
         "stages/01-blocking/server.cpp:1"),
        ({"stages/01-blocking/server.cpp": '#include "thread_pool.h"\n'},
         "stages/01-blocking/server.cpp:1"),
        ({"stages/01-blocking/server.cpp": "#include <net/socket.h>\n"},
         "stages/01-blocking/server.cpp:1"),
        ({"common/http/session.h": None}, "common/http"),
    ],
    "threads": [
        (source(f"common/{layer}/x.cpp", f"#include <{name}>\n"), f"common/{layer}/x.cpp:2")
        for layer in ("net", "http", "web")
        for name in ("thread", "mutex", "condition_variable", "poll.h", "sys/epoll.h")
    ] + [
        (source("common/http/x.cpp", "std::mutex guard;\n"), "common/http/x.cpp:2"),
        (source("common/http/x.cpp", "auto me = std::this_thread::get_id();\n"),
         "common/http/x.cpp:2"),
    ],
    "sockets": [
        (source(f"common/{layer}/x.cpp", f"#include {name}\n"), f"common/{layer}/x.cpp:2")
        for layer in ("http", "web")
        for name in ("<sys/socket.h>", "<netinet/in.h>", "<arpa/inet.h>", '"net/socket.h"')
    ],
    "clocks": [
        (source("common/http/x.cpp", text + "\n"), "common/http/x.cpp:2")
        for text in ("auto t = std::chrono::steady_clock::now();", "auto t = Clock::now();",
                     "using clock = std::chrono::system_clock;", "std::time(nullptr);", "time(&t);",
                     "clock_gettime(CLOCK_MONOTONIC, &t);", "std::localtime(&t);")
    ],
    "stage-files": [
        ({"stages/01-blocking/README.md": None}, "stages/01-blocking"),
        ({"stages/01-blocking/server.h": None}, "stages/01-blocking"),
        ({"stages/02-thread-pool/server.cpp": None}, "stages/02-thread-pool"),
        ({"stages/CMakeLists.txt": "add_subdirectory(01-blocking)\n"}, "stages/CMakeLists.txt"),
        ({"stages/first/README.md": "", "stages/first/server.h": HEADER,
          "stages/first/server.cpp": SERVER,
          "stages/CMakeLists.txt": CLEAN["stages/CMakeLists.txt"] + "add_subdirectory(first)\n"},
         "stages/first"),
        ({name: None for name in CLEAN if name.startswith("stages/")}, "stages"),
    ],
    "stage-names": [
        ({"stages/02-thread-pool/server.cpp": text + "\n"}, "stages/02-thread-pool/server.cpp:1")
        for text in (
            "// As in 01-blocking.", "// Unlike 01, see 01-...", "int 02_thread_pool;",
            "// See stage 01.", "int stage01;", "int stage_2;", "// Stage 7 does it better.",
            "class BlockingServer {};", "class ThreadPoolServer {};", "int stage_blocking;",
            "namespace stagecraft::thread_pool {", 'const char* name = "02-thread-pool";')
    ],
    "step-budget": [
        ({"stages/01-blocking/server.cpp": lines(401)}, "stages/01-blocking"),
        ({"stages/02-thread-pool/pool.cpp": lines(151)}, "stages/02-thread-pool"),
        ({"stages/04-poll-loop/server.cpp": lines(431)}, "stages/04-poll-loop"),
    ],
    "shared-files": [
        ({"stages/02-thread-pool/server.cpp": CLEAN["stages/01-blocking/server.cpp"]},
         "stages/01-blocking/server.cpp"),
    ],
    "function-length": [
        ({"common/http/x.cpp": function(71)}, "common/http/x.cpp:1"),
        ({"common/http/x.cpp": "namespace a {\nclass B : C {\n public:\n" + function(71)
                               + "};\n}\n"}, "common/http/x.cpp:4"),
        ({"common/http/x.cpp": "template <class T>\n" + function(70)}, "common/http/x.cpp:1"),
        ({"common/http/x.cpp": function(71, "S::S(int a) : a_{a}, b_(0)")}, "common/http/x.cpp:1"),
        ({"common/http/x.cpp": function(71, "auto f = [](int a)")}, "common/http/x.cpp:1"),
        ({"common/http/x.cpp": function(71, "bool operator==(A a, B b)")}, "common/http/x.cpp:1"),
        ({"common/http/x.cpp": function(71, "void f(Limits l = {}) noexcept")},
         "common/http/x.cpp:1"),
        ({"common/http/x.cpp": function(60, "void f() try") + function(11, "catch (...)")},
         "common/http/x.cpp:1"),
        ({"tests/unit/x_test.cpp": function(71, 'TEST_CASE("one {")')}, "tests/unit/x_test.cpp:1"),
        ({"tests/tool.py": "def f():\n" + lines(70, "    x = {}")}, "tests/tool.py:1"),
        ({"lab": "#!/bin/sh\nf() {\n" + lines(69, "  echo {}") + "}\n"}, "lab:2"),
        ({"common/http/x.cpp": "void f() { if (a) {\n}\n"}, "common/http/x.cpp"),
        ({"common/http/x.cpp": "void f() { }}\n"}, "common/http/x.cpp"),
        ({"tests/tool.py": "def f(:\n"}, "tests/tool.py"),
    ],
    "file-length": [
        ({"common/http/x.cpp": lines(401)}, "common/http/x.cpp"),
        ({"tests/CMakeLists.txt": lines(401)}, "tests/CMakeLists.txt"),
        ({"lab": "#!/bin/sh\n" + lines(400)}, "lab"),
    ],
    "line-length": [
        ({path: "#!/usr/bin/env python3\n#" + 100 * "x" + "\n"}, path + ":2")
        for path in ("common/http/x.cpp", "common/lab/main.py", ".ci/run", "cmake/stage.cmake",
                     "tests/CMakeLists.txt", "common/app/pages/page.js")
    ],
    "header-opening": [
        ({"common/http/x.h": text}, "common/http/x.h:1")
        for text in ("#pragma once\n", "// x\n#pragma once\n", "\n", "", "namespace a {}\n",
                     "// What the test needs of a header.\n#ifndef X_H\n#define X_H\n#endif\n",
                     "// What the test needs of a header.\n#include <string>\n#pragma once\n")
    ],
    "top-level": [
        ({"notes.txt": "to self\n"}, "notes.txt"),
        ({"src/main.cpp": SERVER}, "src"),
    ],
    "unfinished": [
        ({"common/http/x.cpp": f"// {word}: later\n"}, "common/http/x.cpp:1")
        for word in (LATER, "FIX" + "ME", "XX" + "X", "HA" + "CK")
    ] + [({"docs/book.md": f"# Title\n\n{LATER}\n"}, "docs/book.md:3")],
    "test-waits": [
        ({"tests/unit/x_test.cpp": f"\nstd::this_thread::{WAIT}_for(1s);\n"},
         "tests/unit/x_test.cpp:2"),
        ({"tests/unit/x_test.cpp": f"\nu{WAIT}(1000);\n"}, "tests/unit/x_test.cpp:2"),
        ({"tests/unit/x_test.cpp": f"\n::{WAIT}(1);\n"}, "tests/unit/x_test.cpp:2"),
        ({"tests/robustness/run.py": f"import time\ntime.{WAIT}(0.1)\n"},
         "tests/robustness/run.py:2"),
        ({"tests/robustness/run.sh": f"./server &\n{WAIT} 1\n"}, "tests/robustness/run.sh:2"),
        ({"exercises/01-parse/tests/x_test.cpp": f"{WAIT}(1);\n"},
         "exercises/01-parse/tests/x_test.cpp:1"),
    ],
    "foreign-words": [
        ({"docs/book.md": f"See {MACHINE}.\n"}, "docs/book.md:1"),
        ({"common/app/pages/page.html": f"<p>{HOST}</p>\n"}, "common/app/pages/page.html:1"),
        ({"lab": f"#!/bin/sh\ncurl https://{'registry.' + 'npmjs.org'}/x\n"}, "lab:2"),
        ({"docs/book.md": "In /tmp/pl" + "an.\n"}, "docs/book.md:1"),
        ({"docs/book.md": "In /ho" + "me/ada/stagecraft.\n"}, "docs/book.md:1"),
    ],
    "white-space": [
        ({"docs/book.md": "# Title \n"}, "docs/book.md:1"),
        ({"common/http/x.cpp": "\nint a;\t\n"}, "common/http/x.cpp:2"),
        ({"common/http/x.cpp": "\n\tint a;\n"}, "common/http/x.cpp:2"),
        ({"common/http/x.cpp": "int a;\n\nint b;"}, "common/http/x.cpp:3"),
        ({"common/http/x.cpp": "int a;\r\n"}, "common/http/x.cpp:1"),
        ({"common/http/x.cpp": b"// caf\xe9\n"}, "common/http/x.cpp"),
        ({"common/http/x.cpp": b"// zero \0\n"}, "common/http/x.cpp"),
    ],
    "system-rows": [
        (system_row(where, shown_by), "docs/systems.md:3")
        for where, shown_by in (
            ("here and there", TESTED), ("`http/missing.h`", TESTED), ("`Absent`", TESTED),
            ("`Server::absent()`", TESTED), ("`http/session.h`, `--absent`", TESTED),
            ("`stages/09-absent`", TESTED), ("`http/session.h`", "the tests of the same names"),
            ("`http/session.h`", "`unit/http/missing_test.cpp`"),
            ("`http/session.h`", TESTED + ", `missing_test.cpp`"),
            ("`http/session.h`", "`unit/http/driver.cpp`"),
            ("`http/session.h`", TESTED + " | and more"))
    ],
}

KEEPS = {
    "layers": [
        {"common/app/main.cpp": '#include <CLI/CLI.hpp>\n#include "web/router.h"\n'},
        {"stages/02-thread-pool/thread_pool.h": HEADER,
         "stages/02-thread-pool/server.cpp": '#include "thread_pool.h"\n#include "app/main.h"\n'},
        {"common/base/limits.cpp": '// #include "http/session.h"\n'},
    ],
    "threads": [
        source("common/http/x.cpp", "#include <atomic>\n// #include <mutex>: not here\n"),
        source("common/app/x.cpp", "#include <thread>\n"),
    ],
    "sockets": [source("common/http/x.cpp", '#include <sys/uio.h>\n#include "net/unique_fd.h"\n'),
                source("common/net/x.cpp", "#include <sys/socket.h>\n")],
    "clocks": [
        source("common/http/x.cpp", "#include <chrono>\nstd::chrono::seconds idle{60};\n"),
        source("common/http/x.cpp", "// The steady_clock is the stage's.\nset_time(now);\n"),
        source("common/app/x.cpp", "auto t = std::chrono::steady_clock::now();\n"),
    ],
    "stage-names": [
        {"stages/02-thread-pool/thread_pool.cpp":
            "// A blocking call, since 2024-01-01.\nclass ThreadPool {};\nint stage = 0;\n"
            "set_non_blocking(socket);\nServer server;\n// one blocking server; 64-bit; 8-01-02\n"},
    ],
    "step-budget": [
        {"stages/02-thread-pool/pool.cpp": lines(140) + 20 * "\n"},
        {"stages/01-blocking/pool.cpp": lines(380), "stages/02-thread-pool/pool.cpp": lines(380)},
    ],
    "shared-files": [
        {"stages/02-thread-pool/server.cpp": CLEAN["stages/01-blocking/server.cpp"],
         "stages/03-third/server.cpp": SERVER + "// differs\n"},
        {name: None for name in CLEAN if name.startswith("stages/02")},
    ],
    "function-length": [
        {"common/http/x.cpp": function(70)},
        {"common/http/x.cpp": "namespace a {\n" + 3 * function(60) + "}\n"},
        {"common/http/x.cpp": "class CAPABILITY(\"role\") A {\n" + 3 * function(60) + "};\n"},
        {"common/http/x.cpp": "const int table[] = {\n" + lines(90, "  f({}),") + "};\n"},
        {"common/http/x.cpp": "enum class A {\n" + lines(90, "  a_{},") + "};\n"},
        {"common/http/x.cpp":
            "void f() {\n  g('{', '\"', \"}}}\", 1'000, R\"x({{)x\");  // {\n}\n"},
        {"common/http/x.cpp": "#define BEGIN {\n#define END \\\n  }\nvoid f() {}\n"},
    ],
    "file-length": [{"common/http/x.cpp": lines(400), "tests/data.json": lines(900)}],
    "line-length": [{"common/http/x.cpp": "//" + 98 * "\N{EM DASH}" + "\n",
                     "docs/book.md": 200 * "x" + "\n"}],
    "header-opening": [
        {"common/http/x.h": "/* What the test\n   needs. */\n\n// More.\n#pragma once\n"},
    ],
    "top-level": [{".ci/run": "#!/bin/sh\n", ".gitignore": "build\n", "LICENSE": "MIT\n"}],
    "unfinished": [{"common/app/x.cpp": "mkstemp(\"/tmp/x-XXXXXX\"); // hackers\n"}],
    "test-waits": [
        {"tests/unit/x_test.cpp": f"// never {WAIT}_for(1s)\n",
         "common/app/x.cpp": f"{WAIT}(1);\n"},
        {"tests/run.py": f"# no {WAIT}(1)\n{WAIT}y = 1\n"},
    ],
    "foreign-words": [{"docs/book.md": "The net/wo" + "rk/layer, /wo" + "rker/ and /files/.\n"}],
    "white-space": [
        {"tests/empty.txt": "", "tests/data.tsv": "a\t\n", "tests/bytes.bin": b"\0 \n"},
    ],
    "system-rows": [
        system_row("`http/session.h`: `Connection: close`", TESTED + ", `session_test.cpp`"),
        system_row("`Server`, `serve(int)` in `stages/01-blocking`", TESTED + " (all of it)"),
        {"docs/systems.md": "# Others\n\nWhat they have.\n"},
    ],
}


class LayoutTest(unittest.TestCase):
    """The tables above, and the program around the rules."""

    def test_the_clean_tree_keeps_every_rule(self):
        for name, rule in layout.RULES.items():
            with self.subTest(rule=name):
                self.assertEqual(violations(rule, {}), [])

    def test_every_rule_can_fail(self):
        self.assertEqual(set(BREAKS), set(layout.RULES))
        for name, cases in BREAKS.items():
            for changes, place in cases:
                with self.subTest(rule=name, changes=changes):
                    found = violations(layout.RULES[name], changes)
                    self.assertIn(place, [where for where, _ in found])

    def test_what_only_looks_like_a_violation_passes(self):
        for name, cases in KEEPS.items():
            for changes in cases:
                with self.subTest(rule=name, changes=changes):
                    self.assertEqual(violations(layout.RULES[name], changes), [])

    def test_every_rule_says_why(self):
        for name, rule in layout.RULES.items():
            with self.subTest(rule=name):
                self.assertIn("Why:", rule.__doc__)


if __name__ == "__main__":
    unittest.main()
