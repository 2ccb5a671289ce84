#!/usr/bin/env python3
"""Runs the page at / of each stage in headless Chromium and checks what a visitor would see.

    run.py --program build/dev/bin/01-blocking ... [--keep-screenshots DIR] [--record]

With several programs also the page that shows all of them. Prints a line for each check. Exits with
0 if all passed, with 1 if one failed, and with 77 if Chromium is not installed. `--record` instead
writes the recordings that /?replay shows, and draws the picture of them.
"""

import argparse
import contextlib
import pathlib
import re
import signal
import sys
import time

import drawing
import recording
import shapes
from visit import IDLE_MS, Report, Stage, Visit
from webdriver import Browser, WebDriverError, missing_programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE_FILE = ROOT / "common" / "app" / "www" / "index.html"
RECORDINGS = ROOT / "common" / "app" / "www" / "recorded.js"
PICTURE = ROOT / "docs" / "images" / "story.svg"
DESKTOP = (1280, 900)
PHONE = (360, 740)

# What a visitor can ask: a name, the switches, the button.
QUESTIONS = (
    ("block", "block", False, "#run"), ("slow", "slow", False, "#run"),
    ("silent", "block", True, "#run"), ("keep-alive", "block", False, "#run-keepalive"),
)


def check_loading(visit):
    """The page comes while a client that connected before it says nothing."""
    began = time.monotonic()
    ready = visit.open(visit.stage.base + "/")
    took = time.monotonic() - began
    visit.report.check("the page is ready with a silent client ahead of it", ready)
    visit.report.check("it has cost one idle timer at most", took < 2 * IDLE_MS / 1000 + 2,
                       f"{took:.1f} s")
    visit.report.check("the page names the stage", visit.stage.name in visit.text(".strip h2"),
                       visit.text(".strip h2"))
    strangers = visit.browser.script(
        "return performance.getEntriesByType('resource').map((e) => e.name)"
        ".filter((name) => !name.startsWith(location.origin + '/'))")
    visit.report.empty("nothing is asked of any other host", strangers)
    visit.report.check("nothing has been sent before the button is pressed",
                       visit.browser.script("return stagecraft.lastRun.length") == 0)
    visit.picture("before-light")


def focus_by_tab(browser, selector):
    """Presses Tab until the element has the focus. Returns whether that happened."""
    for _ in range(30):
        if browser.script("return document.activeElement?.matches(arguments[0])", selector):
            return True
        browser.press("tab")
    return False


def check_keyboard(visit):
    """Guess and press without a mouse."""
    browser, report = visit.browser, visit.report
    report.check("Tab leads to the guess", focus_by_tab(browser, ".guess"))
    browser.press(*["right"] * 12)
    said = browser.script("return document.querySelector('.guess').getAttribute('aria-valuetext')")
    report.check("arrow keys move the guess", "1.2\u00a0s" in (said or ""), said)
    report.check("Tab leads to the button", focus_by_tab(browser, "#run"))
    ring = browser.script("return getComputedStyle(document.activeElement).outlineStyle")
    report.check("the focus can be seen", ring not in ("none", ""), ring)
    browser.press("enter")
    running = browser.wait_for("document.body.dataset.state === 'running'", 5)
    report.check("Enter starts the run", running)
    report.check("and the run can be stopped",
                 browser.script("return !document.getElementById('stop').hidden"))
    browser.wait_for("document.querySelectorAll('.row[data-connection]').length >= 2", 10)
    visit.picture("running-light")
    state = visit.ended()
    report.check("the run is done", state == "done", state)
    report.check("the focus is still on the button",
                 browser.script("return document.activeElement.id") == "run")


def check_result(visit):
    """The first run: shape, picture, sentence, ghost, table."""
    report = visit.report
    probes = visit.probes()
    visit.picture("after-light")
    report.empty("blocking handlers: " + shapes.describe(visit.stage.name, "block"),
                 shapes.problems(visit.stage.name, "block", probes, IDLE_MS))
    report.empty("the bars stand where the numbers say", visit.browser.script("""
        const wide = document.querySelector('.track').getBoundingClientRect();
        const axis = stagecraft.strips[0].strip.axisMs;
        return stagecraft.lastRun.flatMap((probe) => {
          const bar = document.querySelector(`.row[data-probe="${probe.probe}"] .served`)
            .getBoundingClientRect();
          const [from, to] = [probe.enteredMs, probe.leftMs]
            .map((ms) => wide.left + wide.width * ms / axis);
          return Math.abs(bar.left - from) < 1.5 && Math.abs(bar.right - to) < 1.5 ? [] :
            [`client ${probe.probe}: ${bar.left}-${bar.right} instead of ${from}-${to}`];
        });"""))
    last_s = max(probe["endedMs"] for probe in probes) / 1000
    threads = len({probe["thread"] for probe in probes})
    expected = (f"6 clients, {threads} thread{'s' if threads > 1 else ''}, the last waited "
                f"{last_s:.1f} s; you guessed 1.2 s.")
    said = visit.text(".result")
    report.check("the sentence names the numbers", said == expected, f"{said!r}, not {expected!r}")
    ghost = visit.browser.script("return document.querySelector('.ghost')?.dataset.guessMs")
    report.check("the guess stays as a ghost", ghost == "1200", ghost)
    rows = visit.browser.script("""
        return [...document.querySelectorAll('.numbers tbody tr')]
          .map((row) => [...row.cells].map((cell) => cell.innerText || cell.textContent))""")
    report.check("the table has the same numbers",
                 [row[1] for row in rows] == [str(probe["connection"]) for probe in probes], rows)
    visit.browser.prefer(color_scheme="dark")
    visit.picture("after-dark")
    visit.browser.prefer(color_scheme="light")


def check_other_questions(visit):
    """The switches and the second button."""
    for key, handler, silent, button in QUESTIONS[1:]:
        visit.ask(silent, handler)
        visit.browser.click(button)
        state = visit.ended()
        problems = shapes.problems(visit.stage.name, key, visit.probes(), IDLE_MS)
        if state != "done":
            problems.append(f"the page says {state}: {visit.text('.said')}")
        visit.report.empty(f"{key}: {shapes.describe(visit.stage.name, key)}", problems)
        visit.picture(key + "-light")
    visit.ask()


def check_stopping(visit):
    """A run that the visitor ends."""
    visit.browser.click("#run")
    visit.browser.click("#stop")
    state = visit.ended(5)
    visit.report.check("a run can be stopped", state == "failed", state)
    visit.report.check("and the page says so", "you stopped it" in visit.text(".said"),
                       visit.text(".said"))


def check_story(visit, stages):
    """All stages on one page: each strip has its shape for each question."""
    strips = ",".join(f"{stage.name}@{stage.port}" for stage in stages)
    ready = visit.open(f"{visit.stage.base}/?stages={strips}")
    visit.report.check("the page shows all stages", ready)
    for key, handler, silent, button in QUESTIONS:
        visit.ask(silent, handler)
        visit.browser.click(button)
        state = visit.ended(40 * len(stages))
        visit.report.check(f"{key}: the page is done with all stages", state == "done", state)
        runs = visit.browser.script("return stagecraft.strips.map(({strip}) => strip.run.probes)")
        for stage, probes in zip(stages, runs):
            visit.report.empty(f"{key}: {stage.name}: {shapes.describe(stage.name, key)}",
                               shapes.problems(stage.name, key, probes, IDLE_MS))
        axes = visit.browser.script("return stagecraft.strips.map(({strip}) => strip.axisMs)")
        visit.report.check(f"{key}: all strips have one axis", len(set(axes)) == 1, axes)
        visit.browser.script("scrollTo(0, 0)")
        visit.picture(f"story-{key}-light")
    visit.ask()
    visit.browser.prefer(color_scheme="dark")
    visit.picture("story-keep-alive-dark")
    visit.browser.prefer(color_scheme="light")
    visit.browser.set_width(*PHONE)
    visit.report.empty("all stages fit a phone", visit.width_problems())
    visit.picture("story-phone")
    visit.browser.set_width(*DESKTOP)
    visit.report.empty("the console has nothing to complain about", visit.console_problems())


def check_several(visit, second):
    """Two strips under one button, one of them of another origin."""
    names = (visit.stage.name, "another")
    ready = visit.open(f"{visit.stage.base}/?stages={names[0]}@{visit.stage.port},"
                       f"{names[1]}@{second.port}")
    visit.report.check("?stages shows a strip for each", ready and visit.browser.script(
        "return [...document.querySelectorAll('.strip')].map((e) => e.dataset.strip)")
        == list(names))
    visit.browser.click("#run")
    state = visit.ended()
    visit.report.check("one button runs them all", state == "done", state)
    for name in names:
        said = visit.text(f'[data-strip="{name}"] .result')
        visit.report.check(f"the strip {name} has its sentence",
                           re.match(r"6 clients, .* the last waited \d\.\d s\.", said), said)
    visit.picture("several-light")
    visit.browser.set_width(*PHONE)
    visit.report.empty("several strips fit a phone", visit.width_problems())
    visit.picture("several-phone")
    visit.browser.set_width(*DESKTOP)
    visit.browser.open(f"{visit.stage.base}/?stages=nonsense")
    visit.browser.wait_for("document.querySelector('#strips .notice')", 5)
    visit.report.check("a list that makes no sense is refused in words",
                       "nonsense" in visit.text("#strips .notice"), visit.text("#strips"))


def check_replay(visit, url, where):
    """Recorded runs: no server is asked. The guess is dragged with the mouse here."""
    browser, report = visit.browser, visit.report
    report.check(f"{where}: ?replay is ready", visit.open(url))
    browser.script("""
        window.asked = performance.getEntriesByType('resource').map((entry) => entry.name)
          .filter((name) => !/\\.(js|css)\\?close=1$/.test(name));
        const fetch = window.fetch;
        window.fetch = (url, ...rest) => {
          asked.push(String(url));
          return fetch(url, ...rest);
        };""")
    place = browser.script("""
        const box = document.querySelector('.track').getBoundingClientRect();
        const foot = document.querySelector('.guess').getBoundingClientRect();
        return [box.left, foot.top + foot.height / 2, box.width]""")
    browser.drag(place[0], place[1], place[0] + 0.5 * place[2], place[1])
    guess = browser.script("return stagecraft.strips[0].strip.guessMs")
    report.check(f"{where}: the guess can be dragged",
                 guess is not None and abs(guess - 2500) <= 100, guess)
    browser.click("#run")
    state = visit.ended()
    report.check(f"{where}: the recording plays",
                 state == "done" and len(visit.probes()) == 6, state)
    browser.drag(place[0] + 0.5 * place[2], place[1], place[0] + 0.9 * place[2], place[1])
    ghost = browser.script("return document.querySelector('.ghost')?.dataset.guessMs")
    report.check(f"{where}: the ghost stays where the guess was", ghost == str(guess), ghost)
    report.empty(f"{where}: no server is asked", browser.script("return asked"))
    visit.picture(f"replay-{where}")


def check_phone(visit):
    """Phone width, before and after a run, and without motion."""
    visit.browser.set_width(*PHONE)
    visit.browser.prefer(color_scheme="dark", reduced_motion="reduce")
    visit.open(visit.stage.base + "/?replay")
    visit.report.empty("the page fits a phone", visit.width_problems())
    visit.picture("phone-before-dark")
    visit.browser.click("#run")
    visit.browser.wait_for("document.querySelector('.growing')", 5)
    moving = visit.browser.script(
        "return getComputedStyle(document.querySelector('.growing')).animationName")
    visit.report.check("nothing moves for those who do not want it", moving == "none", moving)
    visit.ended()
    visit.report.empty("and after a run", visit.width_problems())
    visit.picture("phone-dark")
    visit.browser.prefer(color_scheme="light")
    visit.picture("phone-light")
    visit.browser.click("#run-keepalive")
    visit.ended()
    visit.report.empty("and with a longer axis", visit.width_problems())
    visit.picture("phone-keep-alive")
    visit.browser.set_width(*DESKTOP)


def check_contrast(visit):
    """Text can be read, in both colour schemes (WCAG 2.1, 1.4.3: 4.5 to 1)."""
    for scheme in ("light", "dark"):
        visit.browser.prefer(color_scheme=scheme)
        pairs = visit.browser.script("""
            const style = getComputedStyle(document.documentElement);
            const colour = (name) => style.getPropertyValue(name).trim();
            const pairs = [['--ink', '--paper'], ['--quiet', '--paper'], ['--ink', '--card'],
              ['--quiet', '--card'], ['--accent', '--paper'], ['--on-accent', '--accent'],
              ['--card', '--guess'], ['--guess', '--card']];
            for (let n = 1; n <= 8; ++n) pairs.push([`--on-thread-${n}`, `--thread-${n}`]);
            return pairs.map(([text, ground]) => [text, ground, colour(text), colour(ground)])""")
        weak = [f"{text} on {ground}: {shapes.contrast(a, b):.2f}"
                for text, ground, a, b in pairs if shapes.contrast(a, b) < 4.5]
        visit.report.empty(f"{scheme}: text stands out from its ground", weak)
    visit.browser.prefer(color_scheme="light")


def check_gone(visit):
    """The server has ended, and somebody presses the button."""
    visit.open(visit.stage.base + "/")
    status = visit.stage.stop()
    visit.report.check("the stage ends well with a browser connected", status == 0, status)
    visit.browser.click("#run")
    state = visit.ended(10)
    said = visit.text(".said")
    visit.report.check("a server that is gone is told in words",
                       state == "failed" and "cannot be reached" in said, f"{state}: {said}")
    visit.picture("gone")


def run_checks(visit, second):
    """All checks, in an order in which each leaves the stage as the next wants it."""
    with visit.stage.silent_client():
        check_loading(visit)
    check_keyboard(visit)
    check_result(visit)
    check_other_questions(visit)
    check_stopping(visit)
    check_several(visit, second)
    check_replay(visit, visit.stage.base + "/?replay", "served")
    visit.report.empty("the console has nothing to complain about", visit.console_problems())
    check_replay(visit, PAGE_FILE.as_uri() + "?replay", "as-a-file")
    visit.report.empty("nor when the page is a file", visit.console_problems())
    check_phone(visit)
    check_contrast(visit)
    check_gone(visit)


@contextlib.contextmanager
def visiting(programs, report, screenshots=None):
    """Runs the programs, and a browser: a visit to the first of them, and all of them."""
    with contextlib.ExitStack() as stack:
        stages = []
        for program in programs:
            stages.append(Stage(program))
            stack.callback(stages[-1].stop)
        browser = stack.enter_context(Browser())
        browser.set_width(*DESKTOP)
        browser.prefer(color_scheme="light")
        yield Visit(browser, stages[0], report, screenshots), stages


def test_all(programs, report, screenshots):
    """Every stage by itself, and then all of them on one page."""
    for program in programs:
        if len(programs) > 1:
            print(f"--- {program.name}", flush=True)
        folder = screenshots / program.name if screenshots else None
        with visiting([program, program], report, folder) as (visit, stages):
            run_checks(visit, stages[1])
    if len(programs) > 1:
        print("--- all stages", flush=True)
        with visiting(programs, report, screenshots) as (visit, stages):
            check_story(visit, stages)


def record_all(programs):
    """Writes the recordings of the stages, and their picture."""
    recordings = []
    for program in programs:
        with visiting([program], Report()) as (visit, _):
            recordings.append(recording.record(visit))
    RECORDINGS.write_text(recording.script(recordings), encoding="ascii")
    PICTURE.write_text(drawing.picture(recordings), encoding="ascii")
    print(f"written: {RECORDINGS.relative_to(ROOT)}, {PICTURE.relative_to(ROOT)}")


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description="Check the page at / of stages in Chromium.")
    parser.add_argument("--program", required=True, nargs="+", type=pathlib.Path, metavar="FILE",
                        help="the stages' programs")
    parser.add_argument("--keep-screenshots", metavar="DIR", type=pathlib.Path,
                        help="keep pictures of the page here")
    parser.add_argument("--record", action="store_true",
                        help="instead of checking, write the recordings and their picture")
    return parser.parse_args()


def main():
    """Returns the exit status."""
    arguments = parse_arguments()
    # Whoever ends the test, what it started is ended as well.
    for end in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(end, lambda *_: sys.exit(1))
    for program in arguments.program:
        if program.name not in shapes.EXPECTED:
            print(f"tests/browser/shapes.py does not say what {program.name} must look like")
            return 1
    missing = missing_programs()
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed "
              "(Debian: apt-get install chromium chromium-driver)")
        return 77
    report = Report()
    try:
        if arguments.record:
            record_all(arguments.program)
            return 0
        test_all(arguments.program, report, arguments.keep_screenshots)
    except (RuntimeError, OSError, WebDriverError) as error:
        report.check("the test can go on", False, error)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
