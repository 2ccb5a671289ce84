#!/usr/bin/env python3
"""Visits the guestbook (--app guestbook) of each stage as a guest with a real browser does.

    guestbook.py --program build/dev/bin/01-blocking ...

Logs in, writes, uploads 20 MB, sees it listed, downloads a part of it, logs out. Prints a line for
each check. Exits with 0 if all passed, with 1 if one failed, and with 77 if Chromium is not
installed.
"""

import argparse
import hashlib
import json
import pathlib
import random
import signal
import sys
import tempfile
import time

from visit import Report, Server
from webdriver import Browser, WebDriverError, missing_programs

UPLOAD_BYTES = 20_000_000
PART = (12_345_678, 12_445_677)  # the first and the last byte
PATIENCE_SECONDS = 30
NAME = 'Zo\u00eb <b>"&'


def log_in(browser, name, password):
    """Fills the form in and sends it."""
    browser.type_into("input[name=name]", name)
    browser.type_into("input[name=password]", password)
    browser.click("#login")


def texts(browser, selector):
    """The texts of all elements that the selector finds."""
    return browser.script(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)


def until(browser, condition):
    """Waits until a JavaScript expression is true: a click may return before the next page is
    there, above all on a stage that answers one connection after the other."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            if browser.wait_for(condition, 1):
                return
        except WebDriverError:  # the page in which we waited is gone: go on in the next one
            pass


def check_texts(browser, report, name, selector, expected):
    """The elements have these texts, sooner or later."""
    until(browser, f"JSON.stringify([...document.querySelectorAll({json.dumps(selector)})]"
                   f".map((e) => e.textContent)) === JSON.stringify({json.dumps(expected)})")
    found = texts(browser, selector)
    report.check(name, found == expected, found)


def check_login(browser, report, base):
    """The wrong password, and the right one."""
    browser.open(base + "/")
    log_in(browser, NAME, "wrong")
    check_texts(browser, report, "the wrong password is told", ".notice",
                ["That is not the password."])
    log_in(browser, NAME, "guest")
    check_texts(browser, report, "a guest is greeted by name", "#guest", [NAME])
    readable = browser.script("return document.cookie")
    report.check("scripts do not see the session", readable == "", readable)


def check_writing(browser, report, path):
    """An entry of text, and one with a file."""
    browser.type_into("textarea", "<script>alert(1)</script>\nhello")
    browser.click("#write")
    check_texts(browser, report, "what was written is shown as it was", ".text",
                ["<script>alert(1)</script>\nhello"])
    browser.type_into("textarea", "with a file")
    browser.type_into("input[type=file]", str(path))
    browser.click("#write")
    until(browser, "document.querySelectorAll('li').length === 2")
    listed = texts(browser, "li")
    report.check("the upload is listed with its name and size",
                 len(listed) == 2 and path.name in listed[0]
                 and f"{UPLOAD_BYTES} bytes" in listed[0], listed)


def check_download(browser, report, content):
    """A part of the file, and all of it."""
    first, last = PART
    got = browser.script_async("""
        const [range, done] = arguments;
        const link = document.querySelector('li a').href;
        const hash = async (body) =>
          [...new Uint8Array(await crypto.subtle.digest('SHA-256', body))]
            .map((byte) => byte.toString(16).padStart(2, '0')).join('');
        (async () => {
          const part = await fetch(link, {headers: {Range: range}});
          const partHash = await hash(await part.arrayBuffer());
          const whole = await fetch(link);
          return [part.status, part.headers.get('Content-Range'), partHash,
                  whole.status, await hash(await whole.arrayBuffer())];
        })().then(done, (error) => done([String(error)]));""", f"bytes={first}-{last}")
    expected = [206, f"bytes {first}-{last}/{UPLOAD_BYTES}",
                hashlib.sha256(content[first:last + 1]).hexdigest(),
                200, hashlib.sha256(content).hexdigest()]
    report.check("a part of the file, and all of it, are what was uploaded", got == expected, got)


def check_logout(browser, report, base):
    """After it nothing is to be seen any more."""
    link = browser.script("return document.querySelector('li a').href")
    browser.click("#logout")
    check_texts(browser, report, "after leaving there is the form to log in", "#login", ["Log in"])
    browser.open(link)
    report.check("and the file is no longer there for us",
                 browser.script("return location.pathname") == "/")
    browser.open(base + "/")
    problems = [entry["message"] for entry in browser.log()
                if entry["level"] == "SEVERE" and "status of 403" not in entry["message"]
                and "favicon.ico" not in entry["message"]]
    report.empty("the console has nothing to complain about", problems)


def visit(program, report, folder):
    """One stage."""
    content = random.Random(program.name).randbytes(UPLOAD_BYTES)
    path = folder / "holiday \u00e4.bin"
    path.write_bytes(content)
    server = Server(program, ["--app", "guestbook"])
    try:
        with Browser() as browser:
            check_login(browser, report, server.base)
            check_writing(browser, report, path)
            check_download(browser, report, content)
            check_logout(browser, report, server.base)
    finally:
        status = server.stop()
    report.check("the stage ends well", status == 0, status)


def main():
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description="Visit the guestbook of stages in Chromium.")
    parser.add_argument("--program", required=True, nargs="+", type=pathlib.Path, metavar="FILE",
                        help="the stages' programs")
    arguments = parser.parse_args()
    # Whoever ends the test, what it started is ended as well.
    for end in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(end, lambda *_: sys.exit(1))
    missing = missing_programs()
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed "
              "(Debian: apt-get install chromium chromium-driver)")
        return 77
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        for program in arguments.program:
            print(f"--- the guestbook of {program.name}", flush=True)
            try:
                visit(program, report, pathlib.Path(folder))
            except (RuntimeError, OSError, WebDriverError) as error:
                report.check("the test can go on", False, error)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
