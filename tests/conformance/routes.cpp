#include "conformance/routes.h"

#include <array>
#include <set>

#include "conformance/server.h"
#include "conformance/verdicts.h"

namespace stagecraft::conformance {
namespace {

using testing::Endpoint;
using testing::HttpResponse;

/// A route, a request that tells whether it is there, and what the answer then is.
struct Route {
  const char* name;
  const char* request;
  int status;
  const char* body;  ///< what the answer has to contain
};

constexpr const char* echo_name = "the echo of a body";
constexpr const char* front_page_name = "the body OK of GET /";

constexpr const char* preconditions_name = "preconditions at /";
constexpr std::string_view chunked_name = "/chunked";
constexpr const char* guarded_paths_name = "paths that are judged where no files are";
constexpr const char* dot_segments_name = "dot segments in /path";
constexpr const char* partial_put_name = "a PUT that stores";

constexpr std::array routes{
    Route{preconditions_name,
          "GET / HTTP/1.1\r\nHost: a\r\nIf-Match: \"x\"\r\nConnection: close\r\n\r\n", 412, ""},
    Route{guarded_paths_name, "GET /a/..;/x%5cy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
          400, ""},
    Route{dot_segments_name, "GET /path/y/../x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
          200, "/path/x"},
    Route{partial_put_name,
          "PUT / HTTP/1.1\r\nHost: a\r\nContent-Range: bytes 0-0/2\r\nContent-Length: 1\r\n"
          "Connection: close\r\n\r\nx",
          400, ""},
    Route{"//nope", "GET //nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404, ""},
    Route{front_page_name, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200, "OK"},
    Route{echo_name,
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", 200,
          "hello"},
    Route{"/path", "GET /path/x%20y?z HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200,
          "/path/x y\nz\n"},
    Route{"/fields", "GET /fields HTTP/1.1\r\nHost: a\r\nX: y\r\nConnection: close\r\n\r\n", 200,
          "X: y\n"},
    Route{"/authority", "GET /authority HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200,
          "a"},
    Route{"/cookie", "GET /cookie HTTP/1.1\r\nHost: a\r\nCookie: b=c\r\nConnection: close\r\n\r\n",
          200, "b=c"},
    Route{"/chunked", "GET /chunked HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200,
          "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"},
    Route{"/large", "GET /large?n=3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200, "xxx"},
    Route{"/nocontent", "GET /nocontent HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 204, ""},
    Route{"/notmodified", "GET /notmodified HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 304,
          ""},
    Route{"/throw", "GET /throw HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 500, ""},
    Route{"/raw", "GET /raw HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 426, ""},
};

// The one path below /path that every server under test has: how the sentinel is answered.
constexpr std::string_view sentinel_path = "/path/sentinel";

std::set<std::string>& missing() {
  static std::set<std::string> names;
  return names;
}

bool has_route(const Endpoint& server, const Route& route) {
  try {
    testing::Client client(server);
    client.send(route.request);
    const HttpResponse answer = client.read_response();
    const bool streamed = route.name != chunked_name || answer.framing == testing::Framing::chunked;
    return streamed && answer.status == route.status &&
           answer.body.find(route.body) != std::string::npos;
  } catch (const std::exception&) {
    return false;
  }
}

bool asks_for_path(std::string_view bytes, std::string_view path) {
  for (auto at = bytes.find(path); at != std::string_view::npos; at = bytes.find(path, at + 1)) {
    if (path != "/path" || bytes.substr(at, sentinel_path.size()) != sentinel_path) return true;
  }
  return false;
}

// Whether a request in a method that brings a body stands in `bytes`.
bool asks_for_echo(std::string_view bytes) {
  for (const std::string_view method : {"POST ", "PUT ", "PATCH ", "DELETE "}) {
    const auto at = bytes.find(method);
    if (at != std::string_view::npos && (at == 0 || bytes[at - 1] == '\n')) return true;
  }
  return false;
}

void need(const std::string& name) {
  if (missing().count(name) > 0) not_judged("this server does not have " + name);
}

}  // namespace

void look_for_routes(const Endpoint& server) {
  for (const Route& route : routes) {
    if (!has_route(server, route)) missing().insert(route.name);
  }
}

std::string missing_routes() {
  std::string names;
  for (const std::string& name : missing()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

void need_routes_of(std::string_view bytes) {
  if (missing().empty()) return;
  for (const Route& route : routes) {
    if (route.name[0] == '/' && asks_for_path(bytes, route.name)) need(route.name);
  }
  if (asks_for_echo(bytes)) need_echo();
  const bool dots =
      bytes.find("/.") != std::string_view::npos || bytes.find("/%2e") != std::string_view::npos;
  if (dots && bytes.find("/path") != std::string_view::npos) need(dot_segments_name);
  const bool put = bytes.find("PUT ") != std::string_view::npos;
  if (put && bytes.find("Content-Range:") != std::string_view::npos) need(partial_put_name);
}

void need_guarded_paths() {
  server();  // which looks what there is
  need(guarded_paths_name);
}

void need_preconditions() { need(preconditions_name); }

void need_echo() { need(echo_name); }

void need_front_page() { need(front_page_name); }

}  // namespace stagecraft::conformance
