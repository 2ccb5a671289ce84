"""The clients that people really have, against one stage: curl, wget, ab and wrk.

STAGECRAFT_PROGRAM names the server. A client that is not installed is skipped by name. Nothing here
looks at a speed; the time limit of each command only ends one that hangs.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["STAGECRAFT_PROGRAM"]
PATIENCE_S = 120 * float(os.environ.get("STAGECRAFT_TIME_SCALE", "1"))
# One connection at a time is what the first stage promises, and a load generator opens all its
# connections before it asks.
ONE_AT_A_TIME = Path(PROGRAM).name.startswith("01-")


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


class Server:
    """The stage, on a port of its own, from the ready line to its clean end."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [PROGRAM, "--port", "0", *options], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.url = re.fullmatch(r"listening on (http://\S+)\n", line).group(1)

    def stop(self):
        self.process.terminate()
        code = self.process.wait(timeout=PATIENCE_S)
        self.process.stdout.close()
        return code


class Clients(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def serve(self, *options):
        server = Server(*options)
        self.addCleanup(lambda: self.assertEqual(server.stop(), 0))
        return server.url

    def file(self, size):
        path = self.folder / f"{size}-bytes"
        path.write_bytes(os.urandom(size))
        return path

    def run_client(self, *command, stdin=subprocess.DEVNULL):
        done = subprocess.run(command, cwd=self.folder, stdin=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S, check=False)
        return done.returncode, done.stdout

    def curl(self, *arguments, stdin=subprocess.DEVNULL):
        """Returns the status, and leaves the body in the file `body`."""
        code, output = self.run_client(
            "curl", "--silent", "--show-error", "--output", "body",
            "--write-out", "%{http_code}", *arguments, stdin=stdin)
        self.assertEqual(code, 0, output)
        return output

    def body(self):
        return (self.folder / "body").read_bytes()

    @needs("curl")
    def test_curl_in_both_versions(self):
        url = self.serve()
        for version in ("--http1.1", "--http1.0"):
            self.assertEqual(self.curl(version, f"{url}/plaintext"), "200")
            self.assertEqual(self.body(), b"hello world\n")

    @needs("curl")
    def test_curl_uploads_a_file_with_and_without_expect(self):
        url = self.serve()
        path = self.file(500_000)
        for expect in ("Expect: 100-continue", "Expect:"):
            self.assertEqual(self.curl("-T", path, "-H", expect, f"{url}/echo"), "200")
            self.assertEqual(self.body(), path.read_bytes())

    @needs("curl")
    def test_curl_uploads_in_chunks(self):
        url = self.serve()
        path = self.file(500_000)
        with path.open("rb") as stdin:
            self.assertEqual(self.curl("-T", "-", f"{url}/echo", stdin=stdin), "200")
        self.assertEqual(self.body(), path.read_bytes())

    @needs("curl")
    def test_curl_sends_a_form_with_a_file(self):
        url = self.serve()
        path = self.file(100_000)
        self.assertEqual(
            self.curl("-F", "name=Ada", "-F", f"picture=@{path}", f"{url}/upload"), "200")

    @needs("curl")
    def test_a_body_beyond_the_limit_is_refused_at_once(self):
        # With Expect nothing of it is sent; without, the answer comes while curl still sends, and
        # must not be lost in a reset.
        url = self.serve("--max-request-size", "1MiB")
        path = self.file(50_000_000)
        for expect in ("Expect: 100-continue", "Expect:"):
            status = self.curl("--data-binary", f"@{path}", "-H", expect, f"{url}/echo")
            self.assertEqual(status, "413")

    @needs("curl")
    def test_a_large_body_within_the_limit_comes_back_whole(self):
        url = self.serve("--max-request-size", "64MiB")
        path = self.file(50_000_000)
        self.assertEqual(self.curl("--data-binary", f"@{path}", f"{url}/echo"), "200")
        self.assertTrue(self.body() == path.read_bytes(), "another body came back")

    @needs("wget")
    def test_wget_fetches_two_pages_over_one_connection(self):
        url = self.serve()
        code, output = self.run_client(
            "wget", "--output-document=body", f"{url}/plaintext", f"{url}/doc/index.html")
        self.assertEqual(code, 0, output)
        self.assertIn("Reusing existing connection", output)
        self.assertTrue(self.body().startswith(b"hello world\n"))

    @needs("ab")
    def test_ab_has_no_failed_request(self):
        url = self.serve()
        for options in (["-c", "10"], ["-k", "-c", "1"]):
            code, output = self.run_client("ab", "-q", "-n", "500", *options,
                                           f"{url}/doc/index.html")
            self.assertEqual(code, 0, output)
            self.assertRegex(output, r"Complete requests: +500\n")
            self.assertRegex(output, r"Failed requests: +0\n")
            self.assertNotIn("Non-2xx", output)

    @needs("wrk")
    def test_wrk_has_no_error(self):
        url = self.serve()
        connections = "1" if ONE_AT_A_TIME else "8"
        code, output = self.run_client("wrk", "-t1", f"-c{connections}", "-d1s",
                                       f"{url}/plaintext")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"[1-9]\d* requests in")
        self.assertNotIn("Socket errors", output)
        self.assertNotIn("Non-2xx", output)


if __name__ == "__main__":
    unittest.main()
