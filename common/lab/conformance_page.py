"""The page docs/conformance.md: requirement by requirement, server by server."""

from __future__ import annotations

from conformance_results import FAIL, NOT_COVERED, NOT_JUDGED, PASS, Requirement, Results

MARKS = {PASS: "pass", FAIL: "FAIL", NOT_JUDGED: "-", NOT_COVERED: "."}

SHOWN_CASES = 3

_HEAD = """# Who keeps which requirement

Made by `./lab conformance --page` out of `docs/conformance.json`: do not edit.

One suite, `tests/conformance`, judges every stage and some well-known servers, as they are packaged
for Debian 12, with the configuration and the short scripts in
`tests/conformance/peers`. It knows a server only by what it sends.

The stages are judged by this project's profile, which has chosen the strict way wherever the RFC
leaves a choice. The others are judged by all that the RFC allows: where it allows to refuse and to
accept, both pass. A case that needs a route, a file or a short limit which a server was not given
is not judged (`-`), and no failure; `.` means that no case shows it. A failure says that the RFC
asks for something else, not that it is dangerous: much of it is leniency for the sake of old
clients, and a part may be due to the scripts.
"""


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return _row(head) + _row(["---"] * len(head)) + "".join(_row(row) for row in rows)


def _counts(results: Results, requirements: list[Requirement]) -> str:
    count = results.count(requirements)
    text = f"{count[PASS]}"
    if count[FAIL]:
        text += f", {count[FAIL]} fail"
    if count[NOT_JUDGED]:
        text += f", {count[NOT_JUDGED]} not judged"
    if count[NOT_COVERED]:
        text += f", {count[NOT_COVERED]} not covered"
    return text


def _sections(all_results: list[Results], requirements: list[Requirement]) -> str:
    rows = []
    for part in dict.fromkeys(one.part() for one in requirements):
        of_part = [one for one in requirements if one.part() == part]
        rows.append([part, str(len(of_part)),
                     *(_counts(results, of_part) for results in all_results)])
    for level in ("MUST", "SHOULD"):
        of_level = [one for one in requirements if one.level == level]
        rows.append([f"all {level}", str(len(of_level)),
                     *(_counts(results, of_level) for results in all_results)])
    return _table(["section", "requirements", *(one.server for one in all_results)], rows)


def _requirements(all_results: list[Results], requirements: list[Requirement]) -> str:
    rows = [
        [one.id, one.level, one.text,
         *(MARKS[results.judgements[one.id].verdict] for results in all_results)]
        for one in requirements
    ]
    return _table(["id", "level", "requirement", *(one.server for one in all_results)], rows)


def _failures(all_results: list[Results], requirements: list[Requirement]) -> str:
    text = ""
    for results in all_results:
        failed = [one for one in requirements if results.judgements[one.id].verdict == FAIL]
        if not failed:
            continue
        text += f"\n### {results.server}\n\n"
        for one in failed:
            cases = _first(results.judgements[one.id].reasons)
            text += f"- {one.id} ({one.level}): {one.text}. Seen in: {cases}\n"
    return text or "\nNone.\n"


def _first(cases: list[str]) -> str:
    """A few of them by name, the others as a number."""
    more = f", and {len(cases) - SHOWN_CASES} more" if len(cases) > SHOWN_CASES else ""
    return "; ".join(cases[:SHOWN_CASES]) + more


def _not_covered(requirements: list[Requirement]) -> str:
    rows = [[one.id, one.level, one.text, one.uncovered] for one in requirements if one.uncovered]
    return _table(["id", "level", "requirement", "why"], rows)


def page_text(all_results: list[Results], requirements: list[Requirement]) -> str:
    """The whole page."""
    return "".join([
        _HEAD,
        "\n## By section\n\n", _sections(all_results, requirements),
        "\n## What failed\n", _failures(all_results, requirements),
        "\n## What no case shows\n\n", _not_covered(requirements),
        "\n## Requirement by requirement\n\n", _requirements(all_results, requirements),
    ])
