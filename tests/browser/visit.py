"""What the checks share: a running stage, the browser's visit to it, the count of checks."""

import re
import select
import socket
import subprocess

import shapes

IDLE_MS = 1000


class Server:
    """A running program on a port of its own."""

    def __init__(self, program, options):
        self.name = program.name
        self._process = subprocess.Popen(
            [program, "--port", "0", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        ready, _, _ = select.select([self._process.stdout], [], [], 10)
        line = self._process.stdout.readline() if ready else ""
        match = re.fullmatch(r"listening on (http://127\.0\.0\.1:(\d+))\n", line)
        if not match:
            self.stop()
            raise RuntimeError(f"{program} did not say that it is ready, but {line!r}")
        self.base = match.group(1)
        self.port = int(match.group(2))

    def stop(self):
        """Ends the program, and kills it if it does not end. Returns its exit status."""
        self._process.terminate()
        try:
            return self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._process.stdout.close()


class Stage(Server):
    """A running stage as the page is tested with it."""

    def __init__(self, program):
        super().__init__(program, ["--idle-timeout", f"{IDLE_MS}ms",
                                   *shapes.OPTIONS.get(program.name, [])])

    def silent_client(self):
        """A connection on which nothing is said, as browsers open them ahead of need."""
        return socket.create_connection(("127.0.0.1", self.port))


class Report:
    """Counts the checks and prints them."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, name, ok, detail=""):
        """One line; the detail says, when the check failed, what was found instead."""
        if ok:
            self.passed += 1
            print(f"ok      {name}", flush=True)
        else:
            self.failed += 1
            print(f"FAILED  {name}: {detail}", flush=True)

    def empty(self, name, problems):
        """A check that passes when there is nothing to complain about."""
        self.check(name, not problems, "; ".join(map(str, problems)))


class Visit:
    """What the checks share: the browser, the stage, the report, where screenshots go."""

    def __init__(self, browser, stage, report, screenshots):
        self.browser = browser
        self.stage = stage
        self.report = report
        self.screenshots = screenshots
        if screenshots:
            screenshots.mkdir(parents=True, exist_ok=True)

    def open(self, url):
        """Opens a page and waits until it can be used."""
        self.browser.open(url)
        return self.browser.wait_for("document.body.dataset.ready === 'yes'", 15)

    def ended(self, timeout_seconds=40):
        """Waits for the end of the run; returns the page's state."""
        self.browser.wait_for("document.body.dataset.state !== 'running'", timeout_seconds)
        return self.browser.script("return document.body.dataset.state")

    def probes(self):
        """The probes of the run that ended last."""
        return self.browser.script("return stagecraft.lastRun")

    def ask(self, silent=False, handler="block"):
        """Sets the three switches."""
        self.browser.script(
            "document.getElementById('handler-' + (arguments[0] === 'slow' ? 'waits' : 'blocks'))"
            ".checked = true; document.getElementById('silent-client').checked = arguments[1]",
            handler, silent)

    def text(self, selector):
        """What the element says, with plain spaces."""
        said = self.browser.script(
            "return document.querySelector(arguments[0])?.innerText ?? ''", selector)
        return said.replace("\u00a0", " ")

    def picture(self, name):
        """Keeps a screenshot, if they are wanted."""
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"{name}.png")

    def width_problems(self):
        """Why the page would have to be scrolled sideways, if it would."""
        return self.browser.script("""
            const wide = document.documentElement.clientWidth;
            const found = [...document.querySelectorAll('body *')]
              .filter((e) => !e.closest('pre, .numbers, .aside'))
              .filter((e) => e.getBoundingClientRect().right > wide + 0.5)
              .map((e) => `${e.tagName}.${e.className} ends at ${e.getBoundingClientRect().right}`);
            if (document.documentElement.scrollWidth > wide)
              found.push(`the page is ${document.documentElement.scrollWidth} wide`);
            return found.slice(0, 5);""")

    def console_problems(self):
        """What the console has complained about since the last call."""
        return [entry["message"] for entry in self.browser.log()
                if entry["level"] in ("SEVERE", "WARNING")]
