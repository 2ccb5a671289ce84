"""The table of the mutants and the tests that catch them, as a page."""

from __future__ import annotations

from mutant_files import BLACK_BOXES, Mutant

# mutant -> program -> case -> what became of it
Matrix = dict[str, dict[str, dict[str, str]]]

# So many others are called by name; of more than that only the number is told.
MOST_NAMES = 6

_HEAD = """\
# Mutants, and the tests that catch them

Written by `./lab mutants --all`; [README.md](README.md) says what a mutant is and how to add one.

Each row is one place broken. *Caught by* is the test that the description names: the merge gate
runs it. *Also by* are all others that fail, from the run of every test against every mutant.
"""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def _others(mutant: Mutant, verdicts: dict[str, dict[str, str]]) -> str:
    """All other tests that fail with a mutant."""
    parts = []
    for program, cases in verdicts.items():
        failing = [
            case
            for case, verdict in cases.items()
            if verdict != "passes" and (program, case) != (mutant.program, mutant.test)
        ]
        if len(failing) > MOST_NAMES:
            parts.append(f"{program}: {len(failing)} of {len(cases)} cases")
        elif failing:
            parts.append(f"{program}: {'; '.join(failing)}")
    return "<br>".join(_cell(part).replace("&lt;br>", "<br>") for part in parts)


def _row(mutant: Mutant, verdicts: dict[str, dict[str, str]]) -> str:
    named = verdicts.get(mutant.program, {}).get(mutant.test, "")
    how = f" ({named})" if named in ("hangs", "crashes") else ""
    if named == "passes":
        how = " (**survives it**)"
    cells = (
        f"`{mutant.name}`",
        _cell(mutant.breaks),
        f"{mutant.program}: {_cell(mutant.test)}{how}",
        _others(mutant, verdicts),
    )
    return f"| {' | '.join(cells)} |"


def uncaught(matrix: Matrix) -> dict[str, list[str]]:
    """For each program the cases that no mutant fails. The black boxes count for all stages."""
    failing: dict[str, dict[str, bool]] = {}
    for verdicts in matrix.values():
        for program, cases in verdicts.items():
            name = "server" if program.startswith("server-") else program
            for case, verdict in cases.items():
                seen = failing.setdefault(name, {})
                seen[case] = seen.get(case, False) or verdict != "passes"
    order = [name for name in BLACK_BOXES if name in failing]
    order += sorted(set(failing) - set(order))
    return {name: [case for case, fails in failing[name].items() if not fails] for name in order}


def _uncaught_section(matrix: Matrix) -> list[str]:
    lines = ["## Tests that no mutant fails", ""]
    totals = {
        program: len({case for verdicts in matrix.values() for case in verdicts.get(program, {})})
        for program in BLACK_BOXES
    }
    for program, cases in uncaught(matrix).items():
        of = f" of {totals[program]}" if totals.get(program) else ""
        lines += [f"### {program}: {len(cases)}{of}", ""]
        lines += [f"- {_cell(case)}" for case in cases]
        lines += [""] if cases else []
    return lines


def table_text(mutants: list[Mutant], matrix: Matrix) -> str:
    """The whole page."""
    matrix = {mutant.name: matrix[mutant.name] for mutant in mutants if mutant.name in matrix}
    lines = [_HEAD]
    for kind in dict.fromkeys(mutant.kind for mutant in mutants):
        of_kind = [mutant for mutant in mutants if mutant.kind == kind]
        lines += [f"## {kind.replace('_', ' ').capitalize()}: {len(of_kind)}", ""]
        lines += ["| mutant | what it breaks | caught by | also by |", "|---|---|---|---|"]
        lines += [_row(mutant, matrix.get(mutant.name, {})) for mutant in of_kind]
        lines.append("")
    lines += _uncaught_section(matrix)
    return "\n".join(lines).rstrip() + "\n"
