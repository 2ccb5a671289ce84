"""`lab bench report`: one page that needs nothing else, and its charts as SVG files."""

from __future__ import annotations

import argparse
import html
import json
import os
import statistics
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence

import bench_chart
import bench_machine
from bench_chart import COLOURS, Row, Series
from bench_figures import FIGURES, number, starved, value
from bench_scenarios import STORY, Step
from bench_stats import Summary, noise, summary
from console import LabError, say
from stages import ROOT

Point = dict[str, Any]

RESULTS = ROOT / "build" / "bench-results"

_PAGE_STYLE = """
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  max-width: 46rem; margin: 0 auto; padding: 1rem; }
svg { width: 100%; max-width: 40rem; height: auto; display: block; }
table { border-collapse: collapse; font-size: .8rem; } .wide { overflow-x: auto; }
th, td { padding: .15rem .5rem; text-align: right; border-bottom: 1px solid var(--hair);
  white-space: nowrap; } th:first-child, td:first-child { text-align: left; }
.quiet { color: var(--quiet); font-size: .85rem; } .failure { border-left: 4px solid var(--c4);
  padding-left: .6rem; }
"""

NOT_TO_CONCLUDE = (
    "Do not rank servers by these figures. They hold for one machine, one hour and loads that no "
    "user makes. Two bars whose ranges or grey bands touch are a tie. Requests per second of a "
    "fast server measure the generator; requests per CPU-second say what a request costs, and "
    "nothing of how long it takes. Figures of two files must not be compared by eye, not even of "
    "the same machine: ./lab bench compare does it, by ratios to the floor. And whoever was not "
    "served is in no average: look at the column `served` first."
)


def served_words(runs: Sequence[dict[str, Any]]) -> str:
    """`, served 1 of 64` if in some run a connection got nothing: of the worst one."""
    counts = [run["connections"] for run in runs if starved(run)]
    if not counts:
        return ""
    worst = min(counts, key=lambda count: count["answered"] / count["asked"])
    return f", served {worst['answered']:,} of {worst['asked']:,}"


def failures(server: dict[str, Any]) -> list[str]:
    """What went wrong with a server, in its runs and in the pass that checks every answer."""
    found = [run["failure"] for run in (*server["runs"], server.get("checked") or {})
             if run.get("failure")]
    return list(dict.fromkeys(found))


def values(server: dict[str, Any], key: str) -> list[float]:
    """A figure of all runs that have it."""
    if key == "syscalls":
        counted = (server.get("checked") or {}).get("syscalls")
        return [] if counted is None else [counted]
    return [v for v in (value(run, key) for run in server["runs"]) if v is not None]


def noise_of(point: Point, key: str) -> Optional[float]:
    """What the same program twice differs by, at this point."""
    for server in point["servers"].values():
        if server["again"]:
            return noise(values(point["servers"][server["again"]], key), values(server, key))
    return None


def row_of(name: str, server: dict[str, Any], key: str, colour: int) -> Row:
    """A server's bar."""
    is_hatched = any(starved(run) for run in server["runs"])
    note = served_words(server["runs"]).removeprefix(", ")
    if not values(server, key) and failures(server):
        note = "failed, see below"
    return Row(name, summary(values(server, key)), note, is_hatched, colour)


def colours(points: Iterable[Point]) -> dict[str, int]:
    """A colour for each server, the same in all charts; an A/A run has that of its program."""
    names = list(dict.fromkeys(name for point in points for name, server in point["servers"].items()
                               if not server["again"]))
    return {name: place % COLOURS for place, name in enumerate(names)}


def scenarios(result: dict[str, Any]) -> dict[str, list[Point]]:
    """The points by scenario, in order."""
    found: dict[str, list[Point]] = {}
    for point in result["points"]:
        found.setdefault(point["scenario"], []).append(point)
    return found


def chart(points: Sequence[Point], machine: str, colour_of: dict[str, int], *,
          alone: bool) -> str:
    """The chart of a scenario: lines where its points count something, bars otherwise."""
    first = points[0]
    figure = FIGURES[first["figure"]]
    y: float = bench_chart.TOP
    parts = [bench_chart.text(8, 18, first["title"], "head"),
             bench_chart.text(8, y + 1, figure.title, "quiet")]
    y += 16
    if first["axis"] and len(points) > 1:
        names = dict.fromkeys(name for point in points for name, server in point["servers"].items()
                              if not server["again"])
        series = [Series(name, [summary(values(point["servers"][name], figure.key))
                                if name in point["servers"] else None for point in points],
                         colour_of[name]) for name in names]
        drawn, height = bench_chart.lines([point["label"] for point in points], series,
                                          first["axis"], y, log=True)
        parts += drawn
        y += height
    else:
        for point in points:
            rows = [row_of(name, server, figure.key, colour_of[server["again"] or name])
                    for name, server in point["servers"].items()]
            if len(points) > 1:
                parts.append(bench_chart.text(8, y + 12, point["label"], "head"))
                y += 20
            parts += bench_chart.bars(rows, y, log=figure.log, noise=noise_of(point, figure.key))
            y += bench_chart.bars_height(rows)
    drawn, y = footer(machine, y + 14)
    return bench_chart.picture(first["title"], f"{figure.title}; the table has the figures.", y,
                               [*parts, *drawn], alone=alone)


def footer(machine: str, y: float) -> tuple[list[str], float]:
    """The machine, in lines that fit, and where they end."""
    parts = []
    words, row = machine.split(), ""
    for word in [*words, ""]:
        if row and (not word or len(row) + len(word) > 80):
            parts.append(bench_chart.text(8, y, row, "quiet"))
            y += 14
            row = ""
        row = f"{row} {word}".strip()
    return parts, y


def story_chart(result: dict[str, Any], machine: str, *, alone: bool) -> str:
    """Each step of the ladder, in the scenario in which the stage before it hurts."""
    found = scenarios(result)
    parts: list[str] = []
    y = 8.0
    for step in STORY:
        parts.append(bench_chart.text(8, y + 14, step.question, "head"))
        rows = story_rows(step, found.get(step.scenario, []))
        figure = FIGURES[step.figure]
        parts.append(bench_chart.text(8, y + 30, figure.title, "quiet"))
        y += 38
        if rows:
            parts += bench_chart.bars(rows, y, log=figure.log)
            y += bench_chart.bars_height(rows) + 12
        else:
            parts.append(bench_chart.text(8, y + 12, "not measured here: it takes four CPUs"
                                          if step.scenario == "loops" else "not measured", "quiet"))
            y += 34
    drawn, y = footer(machine, y + 10)
    return bench_chart.picture("What each step of the ladder changes", "Each stage beside the one "
                               "before it, where that one is weak.", y, [*parts, *drawn],
                               alone=alone)


def story_rows(step: Step, points: Sequence[Point]) -> list[Row]:
    """The two stages of a step, at the first and the last point of its scenario."""
    rows = []
    ends = [points[0], points[-1]] if len(points) > 1 else list(points)
    for point in ends:
        for number_of_stage, colour in ((step.before, 4), (step.after, 3)):
            for name, server in point["servers"].items():
                if name.startswith(f"{number_of_stage}-") and not server["again"]:
                    label = point["label"]
                    count = f"{int(label):,}" if label.isdecimal() else label
                    where = f"{number_of_stage}: {count} {point['axis'].partition(' ')[0]}"
                    shown = where if len(ends) > 1 else name
                    rows.append(row_of(shown, server, step.figure, colour))
    return rows


COLUMNS = ("per_cpu_s", "rate", "p50", "p99", "peak_kib", "per_idle_kib", "threads", "syscalls",
           "switches")


def table(points: Sequence[Point]) -> str:
    """The figures under a chart: medians, and the range of the one that is drawn."""
    drawn = points[0]["figure"]
    keys = [drawn, *(key for key in COLUMNS if key != drawn and any(
        values(server, key) for point in points for server in point["servers"].values()))]
    heads = ["", *(FIGURES[key].short for key in keys), "least to most", "served", "share"]
    lines = ["<div class=wide><table><tr>" + "".join(f"<th>{h}" for h in heads)]
    for point in points:
        for name, server in point["servers"].items():
            label = f"{name}, {point['label']}" if len(points) > 1 else name
            middles = [summary(values(server, key)) for key in keys]
            cells = [html.escape(label), *(number(m.median if m else None) for m in middles),
                     _range(middles[0]), *_served(server["runs"])]
            lines.append("<tr>" + "".join(f"<td>{cell}" for cell in cells))
    return "\n".join(lines) + "</table></div>"


def _range(middle: Optional[Summary]) -> str:
    return f"{number(middle.least)} to {number(middle.most)}" if middle else "-"


def _served(runs: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """Connections that were answered, and the smallest and largest share, in the worst run."""
    counts = [run["connections"] for run in runs if run.get("connections")]
    if not counts:
        return "-", "-"
    worst = min(counts, key=lambda count: (count["answered"], count["least"]))
    return (f"{worst['answered']:,} of {worst['asked']:,}",
            f"{worst['least']:,} to {worst['most']:,}")


def section(points: Sequence[Point], machine: str, colour_of: dict[str, int],
            picture: str) -> str:
    """A scenario on the page."""
    first = points[0]
    parts = [f"<h2 id={first['scenario']}>{html.escape(first['title'])}</h2>", picture,
             table(points)]
    for point in points:
        apart = noise_of(point, point["figure"])
        words = "has no figure" if apart is None else f"differs by {apart:.1%}"
        where = f" ({point['label']})" if len(points) > 1 else ""
        parts.append(f"<p class=quiet>A/A{where}: the same program twice {words}."
                     + (f" Scaled: {html.escape(point['scaled'])}." if point["scaled"] else ""))
        short = [f"{name} kept {crowd['here']:,} of {crowd['asked']:,}"
                 for name, server in point["servers"].items() for run in server["runs"][:1]
                 if (crowd := run.get("crowd")) and crowd["here"] < crowd["asked"]]
        parts += [f"<p class=quiet>Of the clients beside the load: {html.escape(t)}" for t in short]
        parts += [f"<p class=failure>{html.escape(text)}" for server in point["servers"].values()
                  for text in failures(server)]
    if first["caution"]:
        parts.append(f"<p>What not to conclude: {html.escape(first['caution'])}")
    return "\n".join(parts)


def steal_of(result: dict[str, Any]) -> float:
    """The middle share of its CPUs that the machine lost to others during the runs."""
    shares = [run["steal"] for point in result["points"] for server in point["servers"].values()
              for run in server["runs"] if run.get("steal") is not None]
    return statistics.median(shares) if shares else 0.0


def render(result: dict[str, Any], stem: str) -> dict[str, str]:
    """The files of a report by name: the page, and a chart for each scenario."""
    machine = bench_machine.in_words(result["machine"], steal_of(result))
    colour_of = colours(result["points"])
    files = {}
    sections = []
    if result["story"]:
        files[f"{stem}.svg"] = story_chart(result, machine, alone=True)
        sections.append("<h2>The steps</h2>" + story_chart(result, machine, alone=False))
    for name, points in scenarios(result).items():
        files[f"{stem}-{name}.svg"] = chart(points, machine, colour_of, alone=True)
        sections.append(section(points, machine, colour_of,
                                chart(points, machine, colour_of, alone=False)))
    unfinished = "" if result["complete"] else "<p class=failure>These runs were interrupted."
    files[f"{stem}.html"] = (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Stagecraft: measured</title>"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<style>{bench_chart.STYLE}{_PAGE_STYLE}</style>\n<h1>Measured</h1>{unfinished}"
        f"<p class=quiet>{html.escape(machine)}<p class=quiet>{result['runs']} runs of "
        f"{result['seconds']:g} s each, by turns; server on CPU {','.join(result['server_cpus'])}, "
        f"generator on {html.escape(result['client'] or 'CPU ' + result['client_cpus'])}. Bars are "
        "medians, thin lines go from the least to the most, grey bands show the A/A difference; "
        f"hatched: somebody was not served.\n<p><b>What not to conclude.</b> {NOT_TO_CONCLUDE}\n"
        + "\n".join(sections) + "</html>\n")
    return files


def load(path: Path) -> dict[str, Any]:
    """A file of figures."""
    try:
        result: dict[str, Any] = json.loads(path.read_text())
        if result["format"] == 1 and isinstance(result["points"], list):
            return result
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabError(f"{path} is not a file of figures: {error}") from error
    raise LabError(f"{path} has another format than this lab reads")


def newest() -> Path:
    """The last file that ./lab bench wrote."""
    files = sorted(RESULTS.glob("*.json"))
    if not files:
        raise LabError("nothing has been measured yet: ./lab bench")
    return files[-1]


def main(arguments: list[str]) -> int:
    """`lab bench report [FILE] [--out FOLDER]`"""
    parser = argparse.ArgumentParser("lab bench report", allow_abbrev=False)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    source = chosen.file or newest()
    folder = chosen.out or source.parent
    files = render(load(source), source.stem)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(content)
        print(os.path.relpath(folder / name))
    say("open the page in a browser; the SVGs are for other pages")
    return 0
