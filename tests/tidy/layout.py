#!/usr/bin/env python3
"""Checks that the tree is laid out by the rules of the project, and says where it is not.

    layout.py [ROOT]                 every rule
    layout.py --rule NAME [ROOT]     one rule
    layout.py --list                 the names of the rules
    layout.py --explain              the rules, with their reasons

Prints one line per violation, `path:line: what (rule)`. Exit status: 0 none, 1 some, 2 wrong usage.
"""

import argparse
import inspect
import pathlib
import sys
import textwrap

import rules_docs
import rules_layers
import rules_shape
import rules_stages
import rules_words
from source_tree import Tree

RULES = {
    "layers": rules_layers.layers,
    "threads": rules_layers.threads,
    "sockets": rules_layers.sockets,
    "clocks": rules_layers.clocks,
    "stage-files": rules_stages.stage_files,
    "stage-names": rules_stages.stage_names,
    "step-budget": rules_stages.step_budget,
    "shared-files": rules_stages.shared_files,
    "function-length": rules_shape.function_length,
    "file-length": rules_shape.file_length,
    "line-length": rules_shape.line_length,
    "header-opening": rules_shape.header_opening,
    "top-level": rules_shape.top_level,
    "unfinished": rules_words.unfinished,
    "test-waits": rules_words.test_waits,
    "foreign-words": rules_words.foreign_words,
    "white-space": rules_words.white_space,
    "system-rows": rules_docs.system_rows,
}
# Rules whose numbers are of interest even when they hold.
MEASURES = {"step-budget": rules_stages.print_step_sizes}


def check(tree, names):
    """Prints the violations of the named rules; returns how many there are."""
    count = 0
    for name in names:
        if name in MEASURES:
            MEASURES[name](tree)
        for violation in RULES[name](tree):
            place = f"{violation.path}:{violation.line}" if violation.line else violation.path
            print(f"{place}: {violation.text} ({name})")
            count += 1
    return count


def arguments():
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Checks the layout rules of the project.")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parents[2],
                        type=pathlib.Path, help="the tree to check (default: the one this is in)")
    parser.add_argument("--rule", choices=RULES, help="check this rule only")
    parser.add_argument("--list", action="store_true", help="print the names of the rules")
    parser.add_argument("--explain", action="store_true", help="print the rules and their reasons")
    return parser.parse_args()


def main():
    """The program."""
    options = arguments()
    if options.list:
        print("\n".join(RULES))
        return 0
    if options.explain:
        for name, rule in RULES.items():
            print(name, textwrap.indent(inspect.cleandoc(rule.__doc__), "    "), "", sep="\n")
        return 0
    tree = Tree(options.root)
    if not tree.paths:
        print(f"{options.root}: no files to check", file=sys.stderr)
        return 2
    return 1 if check(tree, [options.rule] if options.rule else RULES) else 0


if __name__ == "__main__":
    sys.exit(main())
