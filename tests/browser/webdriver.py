"""A small client of the W3C WebDriver protocol, for Chromium through its own chromedriver.

https://www.w3.org/TR/webdriver2/ describes the commands; those under `goog/` and `se/` are
Chromium's additions.
"""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

# The key under which WebDriver hands out elements (section "Elements" of the specification).
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

KEYS = {"tab": "\ue004", "enter": "\ue007", "space": " ", "right": "\ue014", "left": "\ue012"}

CHROMIUM_FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--window-size=1200,900",
]


class WebDriverError(Exception):
    """A command that the browser refused, or a browser that could not be started."""


def missing_programs():
    """The names of the programs that are needed and not installed."""
    return [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]


class Browser:
    """One headless Chromium with an empty profile. Ends everything it started in close()."""

    def __init__(self):
        self._profile = tempfile.mkdtemp(prefix="stagecraft-browser-")
        self._driver = None
        self._session = None
        # Never through a proxy that the environment names: everything here is on this machine.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            self._base = f"http://127.0.0.1:{self._start_driver()}"
            self._open_session()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _start_driver(self):
        """Returns the port. The driver lets the system choose one for IPv6 and wants the same for
        IPv4, which may be taken; then another attempt gets another one."""
        said = []
        for _ in range(5):
            # A group of its own, so that close() can end the driver and the browsers it started.
            self._driver = subprocess.Popen(
                [shutil.which("chromedriver"), "--port=0"], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
            for line in self._driver.stdout:
                said.append(line)
                match = re.search(r"started successfully on port (\d+)", line)
                if match:
                    return int(match.group(1))
            self._end_driver()
        raise WebDriverError("chromedriver did not start: " + "".join(said).strip())

    def _end_driver(self):
        try:
            os.killpg(self._driver.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self._driver.wait()
        self._driver.stdout.close()
        self._driver = None

    def _open_session(self):
        options = {
            "binary": shutil.which("chromium"),
            "args": CHROMIUM_FLAGS + [f"--user-data-dir={self._profile}"],
        }
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = answer["sessionId"]

    def close(self):
        """Ends the browser and the driver, and removes the profile."""
        if self._session is not None:
            try:
                self._call("DELETE", f"/session/{self._session}")
            except (OSError, WebDriverError):
                pass
            self._session = None
        if self._driver is not None:
            self._end_driver()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self._opener.open(request, timeout=120) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise WebDriverError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def _command(self, method, path, body=None):
        return self._call(method, f"/session/{self._session}{path}", body)

    def open(self, url):
        """Goes to a page; returns when its load event has come."""
        self._command("POST", "/url", {"url": url})

    def script(self, code, *arguments):
        """Runs the body of a JavaScript function in the page and returns what it returns."""
        return self._command("POST", "/execute/sync", {"script": code, "args": list(arguments)})

    def script_async(self, code, *arguments, timeout_seconds=60):
        """The same for one that is given another argument, a function: its value is the result."""
        self._command("POST", "/timeouts", {"script": timeout_seconds * 1000})
        return self._command("POST", "/execute/async", {"script": code, "args": list(arguments)})

    def wait_for(self, condition, timeout_seconds):
        """Waits in the page until the JavaScript expression is true. Returns whether it was."""
        code = """
            const [wait_ms, done] = arguments;
            const end = performance.now() + wait_ms;
            (function look() {
              if (%s) done(true);
              else if (performance.now() > end) done(false);
              else setTimeout(look, 20);
            })();""" % condition
        self._command("POST", "/timeouts", {"script": int(timeout_seconds * 1000) + 5000})
        return self._command("POST", "/execute/async",
                             {"script": code, "args": [int(timeout_seconds * 1000)]})

    def press(self, *names):
        """Presses keys, one after the other, on whatever has the focus."""
        actions = []
        for name in names:
            key = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._command("POST", "/actions",
                      {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def drag(self, from_x, from_y, to_x, to_y):
        """Drags with the mouse, in CSS pixels of the viewport."""
        move = {"type": "pointerMove", "duration": 50}
        actions = [
            {**move, "x": int(from_x), "y": int(from_y)}, {"type": "pointerDown", "button": 0},
            {**move, "x": int(to_x), "y": int(to_y)}, {"type": "pointerUp", "button": 0},
        ]
        self._command("POST", "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "actions": actions,
             "parameters": {"pointerType": "mouse"}}]})

    def _find(self, selector):
        found = self._command("POST", "/element", {"using": "css selector", "value": selector})
        return f"/element/{found[ELEMENT]}"

    def click(self, selector):
        """Clicks the element that the CSS selector finds first; waits for a page it leads to."""
        self._command("POST", self._find(selector) + "/click", {})

    def type_into(self, selector, text):
        """Types into a field of a form, or names the file for a field that takes one."""
        self._command("POST", self._find(selector) + "/value", {"text": text})

    def devtools(self, command, **parameters):
        """A command of the DevTools protocol, for what WebDriver has no word for."""
        return self._command("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def set_width(self, width, height):
        """Gives the page a viewport of this size in CSS pixels."""
        self.devtools("Emulation.setDeviceMetricsOverride",
                      width=width, height=height, deviceScaleFactor=2, mobile=width < 600)

    def prefer(self, **features):
        """Sets media features, for example prefer(color_scheme="dark", reduced_motion="reduce")."""
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-" + name.replace("_", "-"), "value": value}
            for name, value in features.items()])

    def screenshot(self, path):
        """Writes the whole page, not only what is in the viewport, as PNG."""
        answer = self.devtools("Page.captureScreenshot", captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def log(self):
        """The console's entries since the last call: dicts with `level` and `message`."""
        return self._command("POST", "/se/log", {"type": "browser"})
