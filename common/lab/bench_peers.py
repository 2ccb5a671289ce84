"""Well-known servers that can join by a word, with as little set up as a fair run needs.

Nothing here installs them: Debian's packages of servers also start these servers.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from bench_servers import Server, any_free_port
from console import LabError

_SHORT = {target: "/plaintext"
          for target in ("plain", "health", "hello", "closing", "hello_closing")}
_FILES = {**_SHORT, "document": "/doc/index.html", "files": "/files/"}

_NGINX = """
daemon off; worker_processes {cpus}; error_log stderr; pid {folder}/nginx.pid;
events { worker_connections 20000; }
http {
  access_log off; keepalive_requests 1000000000; sendfile on; tcp_nopush on;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {
    listen 127.0.0.1:{port} backlog=4096; root {folder};
    location = /plaintext { default_type text/plain; return 200 "hello world\\n"; }
  }
}
"""

_LIGHTTPD = """
server.document-root = "{folder}"
server.bind = "127.0.0.1"
server.port = {port}
server.max-fds = 20000
server.max-connections = 19000
server.max-keep-alive-requests = 1000000000
server.modules = ()
mimetype.assign = ( ".html" => "text/html", "" => "text/plain" )
"""

_H2O = """
listen: {host: 127.0.0.1, port: {port}}
num-threads: {cpus}
hosts:
  default:
    paths:
      /:
        file.dir: {folder}
"""

_HAPROXY = """
global
  maxconn 9000
  nbthread {cpus}
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
frontend bench
  bind 127.0.0.1:{port}
  http-request return status 200 content-type text/plain string "hello world\\n"
"""

_JAVA = Path(__file__).with_name("BenchServer.java")

# name -> the program that must be there, its Debian package, and the server
PEERS: dict[str, tuple[str, str, Server]] = {
    "nginx": ("nginx", "nginx-light", Server(
        "nginx", ("nginx", "-p", "{folder}", "-c", "nginx.conf", "-e", "stderr"), _FILES,
        files={"nginx.conf": _NGINX})),
    "lighttpd": ("lighttpd", "lighttpd", Server(
        "lighttpd", ("lighttpd", "-D", "-f", "lighttpd.conf"), _FILES,
        files={"lighttpd.conf": _LIGHTTPD})),
    "h2o": ("h2o", "h2o", Server(
        "h2o", ("h2o", "-c", "h2o.conf"), _FILES, files={"h2o.conf": _H2O})),
    "haproxy": ("haproxy", "haproxy", Server(
        "haproxy", ("haproxy", "-db", "-f", "haproxy.cfg"), _SHORT,
        files={"haproxy.cfg": _HAPROXY})),
    "jdk": ("java", "default-jdk-headless", Server(
        "JDK HttpServer", ("java", str(_JAVA), "{port}", "inline"), _SHORT)),
    "jdk-threads": ("java", "default-jdk-headless", Server(
        "JDK HttpServer, threads", ("java", str(_JAVA), "{port}", "threads"), _SHORT)),
}


def peer(name: str) -> Server:
    """A server by its word, on a free port; says what is missing if it is not installed."""
    program, package, server = PEERS[name]
    if shutil.which(program) is None and not Path("/usr/sbin", program).exists():
        raise LabError(f"{name} is not installed. Debian's package is {package}; if it is a "
                       "server's, installing it also starts that server")
    found = shutil.which(program) or f"/usr/sbin/{program}"
    return replace(server, command=(found, *server.command[1:]), port=any_free_port())
