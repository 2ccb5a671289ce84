"""docs/deploy/ as it stands there, run for real: HAProxy with TLS and HTTP/2 in front of two
servers, their replacement one after the other while clients ask, and sockets that outlive them.

STAGECRAFT_PROGRAM names the server. The sockets are opened here and passed on as systemd passes
them, so no port has to be free by luck. Time limits only end what hangs.
"""

import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM = os.environ["STAGECRAFT_PROGRAM"]
PATIENCE_S = 60 * float(os.environ.get("STAGECRAFT_TIME_SCALE", "1"))
DEPLOY = Path(__file__).resolve().parents[2] / "docs" / "deploy"


def needs(*tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def listening_socket():
    """On a free port of 127.0.0.1."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    return listener


# What systemd does: the socket as descriptor 3, and who it is for. The shell keeps its number when
# it becomes the server.
ACTIVATE = 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" 3<&"$SOCKET"'


class Server:
    """From its ready line to its clean end."""

    OPTIONS = ("--trust-proxy", "127.0.0.1", "--concurrency", "2")

    def __init__(self, command, **kwargs):
        self.process = subprocess.Popen([*command, *self.OPTIONS], stdout=subprocess.PIPE,
                                        text=True, **kwargs)
        line = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line).group(1))

    @classmethod
    def on_port(cls, port):
        return cls([PROGRAM, "--port", str(port)])

    @classmethod
    def on_socket(cls, listener):
        server = cls(["bash", "-c", ACTIVATE, "start", PROGRAM],
                     env={**os.environ, "SOCKET": str(listener.fileno())},
                     pass_fds=[listener.fileno()])
        assert server.port == listener.getsockname()[1]
        return server

    def stop(self):
        """The exit code. Whatever happens, the process is gone afterwards."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=PATIENCE_S)
        finally:
            self.process.kill()
            self.process.stdout.close()


class SocketActivation(unittest.TestCase):
    def setUp(self):
        self.listener = listening_socket()
        self.addCleanup(self.listener.close)

    def start(self):
        server = Server.on_socket(self.listener)
        self.addCleanup(server.process.stdout.close)
        self.addCleanup(server.process.wait)
        self.addCleanup(server.process.kill)
        return server

    def ask(self, client):
        client.sendall(b"GET /plaintext HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        client.settimeout(PATIENCE_S)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
        return answer

    def test_who_connects_between_two_servers_waits_for_the_second(self):
        first = self.start()
        with socket.create_connection(self.listener.getsockname()) as client:
            self.assertIn(b"hello world\n", self.ask(client))
        self.assertEqual(first.stop(), 0)
        with socket.create_connection(self.listener.getsockname()) as client:
            self.start()
            self.assertIn(b"hello world\n", self.ask(client))

    def test_a_socket_that_was_meant_for_another_process_is_not_taken(self):
        process = subprocess.Popen([PROGRAM, "--port", "0"], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": "1"})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        line = process.stdout.readline()
        self.assertRegex(line, r"^listening on http://127\.0\.0\.1:\d+\n$")
        self.assertNotIn(f":{self.listener.getsockname()[1]}\n", line)

    def test_what_is_no_listening_socket_is_refused_in_one_line(self):
        with open("/dev/null", encoding="ascii") as nothing:
            done = subprocess.run(
                ["bash", "-c", ACTIVATE, "start", PROGRAM],
                env={**os.environ, "SOCKET": str(nothing.fileno())}, pass_fds=[nothing.fileno()],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S,
                check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^[^\n]*descriptor 3 as a listening socket: [^\n]+\n$")


@needs("haproxy", "openssl")
class Edge(unittest.TestCase):
    NAMES = ("one", "two")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.certificate = Path(folder.name) / "edge.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-keyout", f"{self.certificate}.key", "-out",
             self.certificate],
            check=True, capture_output=True)
        # HAProxy wants both in one file.
        with open(self.certificate, "a", encoding="ascii") as file:
            file.write(Path(f"{self.certificate}.key").read_text(encoding="ascii"))
        self.sockets = {name: listening_socket() for name in self.NAMES}
        self.servers = {}

    def serve(self, start):
        """Starts the servers, each by start(NAME), and the proxy in front of them."""
        self.servers = {name: start(name) for name in self.NAMES}
        self.addCleanup(self.end_servers)
        edge = listening_socket()
        self.port = edge.getsockname()[1]
        address = {name: f"127.0.0.1:{server.port}" for name, server in self.servers.items()}
        self.proxy = subprocess.Popen(
            ["haproxy", "-db", "-f", DEPLOY / "haproxy.cfg"], pass_fds=[edge.fileno()],
            env={**os.environ, "EDGE": f"fd@{edge.fileno()}", "ONE": address["one"],
                 "TWO": address["two"], "CERTIFICATE": str(self.certificate)},
            stderr=subprocess.PIPE, text=True)
        edge.close()  # it is the proxy's alone now: without a proxy nobody shall wait for one
        self.addCleanup(self.end_proxy)
        self.wait_for(self.NAMES)

    def on_socket(self, name):
        return Server.on_socket(self.sockets[name])

    def on_port(self, name):
        return Server.on_port(self.servers[name].port if name in self.servers else 0)

    def end_servers(self):
        codes = [server.stop() for server in self.servers.values()]
        self.assertEqual(codes, [0 for _ in codes])
        for listener in self.sockets.values():
            listener.close()

    def end_proxy(self):
        self.proxy.terminate()
        said = self.proxy.communicate(timeout=PATIENCE_S)[1]
        self.assertEqual(self.proxy.returncode, -signal.SIGTERM, said)

    def connect(self):
        context = ssl.create_default_context(cafile=self.certificate)
        return http.client.HTTPSConnection("localhost", self.port,
                                           timeout=PATIENCE_S, context=context)

    def wait_for(self, names):
        """Asks until each of these servers has answered."""
        missing = set(names)
        client = self.connect()
        while missing:
            client.request("GET", "/health")
            answer = client.getresponse()
            answer.read()
            missing.discard(answer.getheader("X-Served-By"))
        client.close()

    @needs("curl")
    def curl(self, *options, path="/whoami"):
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--cacert", self.certificate,
             *options, f"https://localhost:{self.port}{path}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S,
            check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_http2_at_the_edge(self):
        self.serve(self.on_socket)
        told = self.curl("--http2", "--write-out", "%{http_version}", "--output", os.devnull)
        self.assertEqual(told, "2")

    def test_the_servers_hear_who_asks_and_believe_nobody_else(self):
        self.serve(self.on_socket)
        local = ("--interface", "127.0.0.7")
        self.assertIn('"client":"127.0.0.7"', self.curl(*local))
        for claim in ("X-Forwarded-For: 198.51.100.1", "Forwarded: for=198.51.100.1"):
            self.assertIn('"client":"127.0.0.7"', self.curl(*local, "--header", claim))

    def test_servers_with_sockets_of_systemd_are_replaced_and_no_request_fails(self):
        self.replace_under_load(self.on_socket)

    def test_servers_with_ports_of_their_own_are_replaced_and_no_request_fails(self):
        self.replace_under_load(self.on_port)

    def replace_under_load(self, start):
        self.serve(start)
        answered, failures, over = [], [], threading.Event()

        def ask(path):
            client = self.connect()
            while not over.is_set():
                try:
                    client.request("GET", path)
                    answer = client.getresponse()
                    answer.read()
                    if answer.status != 200:
                        failures.append(f"{path}: {answer.status}")
                    answered.append(answer.getheader("X-Served-By"))
                except (OSError, http.client.HTTPException) as failure:
                    failures.append(f"{path}: {failure!r}")
                    client.close()
            client.close()

        paths = ["/plaintext", "/whoami", "/slow?ms=50", "/chunks?n=50"] * 2
        clients = [threading.Thread(target=ask, args=(path,)) for path in paths]
        for client in clients:
            client.start()
        try:
            for _ in range(3):
                for name in self.NAMES:
                    self.assertEqual(self.servers[name].stop(), 0)
                    self.servers[name] = start(name)
                    before = len(answered)
                    self.wait_for(self.NAMES)
                    self.assertGreater(len(answered), before)
        finally:
            over.set()
            for client in clients:
                client.join()
        self.assertEqual(failures, [])
        self.assertEqual(set(answered), set(self.NAMES))


@needs("systemd-analyze")
class Units(unittest.TestCase):
    def test_systemd_understands_the_units(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("service", "socket"):
                text = (DEPLOY / f"stagecraft@.{kind}").read_text(encoding="ascii")
                text = text.replace("/usr/local/bin/07-epoll-multi-loop", os.path.abspath(PROGRAM))
                (Path(folder) / f"stagecraft@8081.{kind}").write_text(text, encoding="ascii")
            done = subprocess.run(
                ["systemd-analyze", "verify", "--man=no",
                 f"{folder}/stagecraft@8081.service", f"{folder}/stagecraft@8081.socket"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S,
                check=False)
        ours = [line for line in done.stdout.splitlines() if "stagecraft" in line]
        self.assertEqual((done.returncode, ours), (0, []), done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
