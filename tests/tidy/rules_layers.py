"""Rules on what may know what: the layers of common/, and what keeps the HTTP core free of I/O."""

import posixpath
import re

import cpp_text
from source_tree import CPP, Violation

# Each layer of common/ and the layers whose headers it may include.
LAYERS = {
    "base": {"base"},
    "net": {"base", "net"},
    "http": {"base", "net", "http"},
    "web": {"base", "net", "http", "web"},
    "app": {"base", "net", "http", "web", "app"},
}
# There from the beginning; without sources to judge, the rules below would hold of nothing.
FOUNDED = ("base", "net", "http", "app")
# The one main() starts the stage that it is linked with; every stage names its server so, and what
# its command line has.
OF_THE_STAGE = ("server.h", "known_options.h")

THREAD_HEADERS = {
    "thread", "mutex", "shared_mutex", "condition_variable", "future", "semaphore", "latch",
    "barrier", "stop_token", "pthread.h", "poll.h", "sys/poll.h", "sys/select.h", "sys/epoll.h",
    "sys/eventfd.h",
}
# A name can arrive by another header, so names count as well as includes.
THREAD_NAMES = re.compile(
    r"\bstd::(?:this_thread|j?thread|async|(?:recursive_|shared_|timed_)?mutex|lock_guard"
    r"|unique_lock|scoped_lock|shared_lock|condition_variable(?:_any)?)\b")
SOCKET_HEADERS = re.compile(
    r"sys/socket\.h|sys/un\.h|netdb\.h|(?:netinet|arpa)/.*|net/(?:socket|listener)\.h")
CLOCKS = re.compile(
    r"\b\w+_clock\b|::now\s*\(|\b(?:clock_gettime|gettimeofday|timespec_get|localtime(?:_r)?)\b"
    r"|\btime\s*\(\s*(?:nullptr|NULL|0|&)")


def layers(tree):
    """A layer of common/ includes only the layers below it, by their full names; a stage includes
    common/ and its own files.

    Why: a reader can learn the layers from the bottom up, and can take any stage away.
    """
    for layer in FOUNDED:
        if not tree.files(f"common/{layer}/", CPP):
            yield Violation(f"common/{layer}", 0, "has no sources: nothing here to judge")
    for path in tree.files("common/", CPP):
        yield from _includes_of_common(tree, path, path.split("/")[1])
    for path in tree.files("stages/", CPP):
        yield from _includes_of_stage(tree, path)


def _includes_of_common(tree, path, layer):
    if layer not in LAYERS:
        yield Violation(path, 0, f"common/{layer} is no layer that the rules know")
        return
    for include in cpp_text.includes(tree.text(path)):
        target = include.target
        if not include.quoted:
            yield from _ours_in_angle_brackets(tree, path, include)
        elif target in OF_THE_STAGE and layer == "app":
            continue
        elif target.split("/")[0] not in LAYERS[layer] or ".." in target:
            yield Violation(path, include.line, f'{layer} may not include "{target}"')


def _includes_of_stage(tree, path):
    for include in cpp_text.includes(tree.text(path)):
        own = posixpath.join(posixpath.dirname(path), include.target)
        ours = own in tree.paths or include.target.split("/")[0] in LAYERS
        if not include.quoted:
            yield from _ours_in_angle_brackets(tree, path, include)
        elif not ours or ".." in include.target:
            yield Violation(path, include.line,
                            f'"{include.target}" is neither in common nor of this stage')


def _ours_in_angle_brackets(tree, path, include):
    if f"common/{include.target}" in tree.paths:
        yield Violation(path, include.line, f"<{include.target}> is ours: include it with quotes")


def threads(tree):
    """Nothing in common/net, common/http and common/web knows of threads, locks or readiness.

    Why: who waits, and on which thread, is what the stages teach; code that every stage shares
    must not have decided it. <atomic> is allowed.
    """
    for layer in ("net", "http", "web"):
        for path in tree.files(f"common/{layer}/", CPP):
            for include in cpp_text.includes(tree.text(path)):
                if include.target in THREAD_HEADERS:
                    yield Violation(path, include.line, f"{layer} may not include {include.target}")
            yield from _names(tree, path, THREAD_NAMES, f"{layer} may not use threads or locks")


def sockets(tree):
    """common/http and common/web include no header of sockets, neither the system's nor ours.

    Why: HTTP is bytes in, bytes out; so it is tested without a socket and driven by any stage.
    """
    for layer in ("http", "web"):
        for path in tree.files(f"common/{layer}/", CPP):
            for include in cpp_text.includes(tree.text(path)):
                if SOCKET_HEADERS.fullmatch(include.target):
                    yield Violation(path, include.line, f"{layer} may not include {include.target}")


def clocks(tree):
    """common/http reads no clock and knows no local time. Durations are fine.

    Why: the session says which timer runs and the stage owns the clock; so the tests inject time
    and never wait for it.
    """
    for path in tree.files("common/http/", CPP):
        yield from _names(tree, path, CLOCKS, "http may not read a clock")


def _names(tree, path, pattern, text):
    code = cpp_text.code_only(tree.text(path))
    for match in pattern.finditer(code):
        yield Violation(path, cpp_text.line_of(code, match.start()), f"{text}: {match[0].strip()}")
