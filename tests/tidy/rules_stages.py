"""Rules on the stages: whole copies that differ by one idea, so that their diff is the lesson."""

import re

from source_tree import CPP, Violation

EVERY_STAGE_HAS = ("README.md", "server.h", "server.cpp")
COMMENT = re.compile(r"(^|\s)//.*")
STAGE_NAME = re.compile(r"(\d\d)-([a-z0-9]+(?:-[a-z0-9]+)*)")

# Lines of code that a stage may have and no earlier stage has: what a reader takes in at one
# sitting.
STEP_BUDGET_LINES = 150
# The first is not a step but the ground; readiness and the state machine come together
# (docs/decisions/0013).
OTHER_BUDGETS_LINES = {"01": 400, "04": 430}


def stage_files(tree):
    """A stage's folder is named NN-name, is part of the build, and has README.md, server.h and
    server.cpp.

    Why: stages are compared file by file, and one that is not built is not tested.
    """
    stages = tree.stages()
    if not stages:
        yield Violation("stages", 0, "there is no stage to judge")
    for stage in stages:
        folder = f"stages/{stage}"
        if not STAGE_NAME.fullmatch(stage):
            yield Violation(folder, 0, "the name of a stage is NN-name, in small letters")
        for name in EVERY_STAGE_HAS:
            if f"{folder}/{name}" not in tree.paths:
                yield Violation(folder, 0, f"has no {name}")
        if f"add_subdirectory({stage})" not in _text(tree, "stages/CMakeLists.txt"):
            yield Violation("stages/CMakeLists.txt", 0, f"does not add {stage}")


def _text(tree, path):
    return tree.text(path) if path in tree.paths else ""


def stage_names(tree):
    """No source of a stage says the name or the number of a stage: not in an identifier, not in a
    comment, not in a string.

    Why: it would differ in every copy, and the diff would show that instead of the idea. The words
    of a name are free in themselves (`thread_pool`, "a blocking call"), and the README is free.
    """
    pattern = re.compile("|".join(_forms(tree.stages())), re.IGNORECASE)
    for path in tree.files("stages/", CPP):
        for number, line in tree.lines(path):
            for match in pattern.finditer(line):
                yield Violation(path, number, f"names a stage: {match[0]}")


def _forms(stages):
    """The ways to name a stage, as regular expressions."""
    forms = [r"\bstages?[ _-]?\d+\b"]
    for stage in filter(STAGE_NAME.fullmatch, stages):
        number, name = STAGE_NAME.fullmatch(stage).groups()
        words = name.replace("-", "[-_]?")
        forms += [rf"(?<![\w-]){number}-(?!\d)",  # 01-..., but no date
                  rf"(?<!\d){number}_?{words}",  # 01_blocking, 01Blocking
                  rf"(?<![^\W_]){words}_?(?:server|stage)",  # blocking_server, BlockingServer
                  rf"(?:server|stage)_?{words}(?![^\W_])",
                  rf"namespace (?:\w+::)*{words}\b"]
    return forms


def step_sizes(tree):
    """For each stage in order: its name, its lines that stand in no earlier stage, and its budget.

    Counted are the lines of code in its .h and .cpp files, without comments and lone braces: a
    budget that comments use up would be kept by explaining less. A line that stands in any earlier
    stage, in whichever file, however deep and however often, is no news.
    """
    known = set()
    sizes = []
    for stage in tree.stages():
        texts = [COMMENT.sub("", line).strip() for path in tree.files(f"stages/{stage}/", CPP)
                 for _, line in tree.lines(path)]
        lines = [text for text in texts if re.search(r"\w", text)]
        budget = OTHER_BUDGETS_LINES.get(stage[:2], STEP_BUDGET_LINES)
        sizes.append((stage, sum(line not in known for line in lines), budget))
        known.update(lines)
    return sizes


def step_budget(tree):
    """A stage adds at most 150 lines of code that stand in no earlier stage (01: 400, 04: 430).

    Why: one step is one idea. A step that needs more is two stages.
    """
    for stage, size, budget in step_sizes(tree):
        if size > budget:
            yield Violation(f"stages/{stage}", 0, f"{size} new lines, {budget} allowed")


def print_step_sizes(tree):
    """Prints what step_budget measured."""
    for stage, size, budget in step_sizes(tree):
        print(f"{stage}: {size} new lines, {budget} allowed")


def shared_files(tree):
    """No file is the same in all stages, once there are two.

    Why: what every stage uses and none teaches belongs to common/.
    """
    stages = tree.stages()
    if len(stages) < 2:
        return
    for path in tree.files(f"stages/{stages[0]}/"):
        name = path.split("/", 2)[2]
        copies = [f"stages/{stage}/{name}" for stage in stages]
        if all(copy in tree.paths for copy in copies):
            if len({(tree.root / copy).read_bytes() for copy in copies}) == 1:
                yield Violation(path, 0, "is the same in all stages: move it to common/")
