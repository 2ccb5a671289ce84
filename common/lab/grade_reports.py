"""What the results of a class are written as: CSV, JUnit XML, and Gradescope's results.json."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as xml
from typing import Any, Mapping, Sequence

Record = Mapping[str, Any]

# What XML cannot hold, and a submission may print.
_CONTROL = {code: None for code in range(32) if chr(code) not in "\t\n\r"}


def in_order(records: Sequence[Record]) -> list[Record]:
    """By student and exercise, so that the same results make the same files."""
    return sorted(records, key=lambda record: (record["student"], record["exercise"]))


def not_judged(record: Record) -> list[str]:
    """The tests of which nobody knows, with the reason."""
    return [
        f"{test['name']}: {test['reason']}"
        for test in record["tests"]
        if test["status"] in ("not_judged", "unstable")
    ]


def csv_text(records: Sequence[Record]) -> str:
    """A line for each student and exercise."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "exercise", "points", "of", "failed", "not judged", "note",
                     "grader", "seed"])  # fmt: skip
    for record in in_order(records):
        failed = [t["name"] for t in record["tests"]
                  if t["status"] not in ("passed", "not_judged", "unstable")]  # fmt: skip
        writer.writerow([
            _plain(record["student"]), record["exercise"], record["points"], record["of"],
            " ".join(failed), " ".join(each.split(":")[0] for each in not_judged(record)),
            _plain(note(record)), record["grader"], record["seed"],
        ])  # fmt: skip
    return out.getvalue()


def _plain(text: str) -> str:
    """No formula, whatever a student calls himself: spreadsheets run what begins like one."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def note(record: Record) -> str:
    """Why there is nothing to say about the tests by themselves; or empty."""
    if record["refused"]:
        return str(record["refused"])
    return "it does not compile" if record["compiler"] else ""


def junit_text(records: Sequence[Record]) -> str:
    """A suite for each student and exercise."""
    suites = xml.Element("testsuites")
    for record in in_order(records):
        judged = [test for test in record["tests"] if test["status"] != "not_judged"]
        failed = [test for test in judged if test["status"] not in ("passed", "unstable")]
        name = f"{record['student']}.{record['exercise']}".translate(_CONTROL)
        suite = xml.SubElement(
            suites, "testsuite", name=name, tests=str(len(record["tests"])),
            failures=str(len(failed)), skipped=str(len(record["tests"]) - len(judged)),
        )  # fmt: skip
        for test in record["tests"]:
            case = xml.SubElement(suite, "testcase", name=test["name"],
                                  classname=record["exercise"])  # fmt: skip
            text = test_text(record, test).translate(_CONTROL)
            if test["status"] in ("not_judged", "unstable"):
                xml.SubElement(case, "skipped", message=text)
            elif test["status"] != "passed":
                xml.SubElement(case, "failure", message=test["status"]).text = text
    xml.indent(suites)
    return xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def test_text(record: Record, test: Mapping[str, Any]) -> str:
    """What a student reads about a test."""
    lines = [test["requirement"]]
    if test["status"] == "passed":
        return lines[0]
    reason = f": {test['reason']}" if test["reason"] else ""
    lines.append(test["status"].replace("_", " ") + reason)
    if record["compiler"]:
        lines.append(record["compiler"][:4000])
    for failure in test["failures"][:1]:
        for key in ("did", "message", "likely", "paste"):
            if failure[key]:
                lines.append(f"{key}: {failure[key]}")
        lines += [f"  {event}" for event in failure["events"][-24:]]
    return "\n".join(lines)


def gradescope_text(records: Sequence[Record]) -> str:
    """results.json for one student: what is not judged is not among the points."""
    tests = []
    for record in in_order(records):
        for test in record["tests"]:
            counts = test["status"] not in ("not_judged", "unstable")
            is_hidden = test["name"] in record["hidden"]
            text = test_text(record, test)
            tests.append({
                "name": f"{record['exercise']}: {test['name']}",
                "score": test["points"],
                "max_score": test["of"] if counts else 0,
                "status": "passed" if test["status"] == "passed" or not counts else "failed",
                # Of a hidden test its name and requirement are shown, and nothing else.
                "output": test["requirement"] if is_hidden else text,
                "visibility": "visible",
            })  # fmt: skip
    first = records[0] if records else {"grader": "unknown", "seed": 0}
    told = {
        "score": sum(record["points"] for record in records),
        "output": f"grader {first['grader']}, seed {first['seed']}",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(told, indent=1) + "\n"
