// RFC 9110, sections 2 to 4: conformance, state, and URIs.
#include <algorithm>
#include <string>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/client.h"

namespace stagecraft::conformance {

using testing::HttpField;
using testing::HttpResponse;

TEST_CASE("A field as long as the server itself sends is taken back", "[rfc9110-4][9110-2.3-1]") {
  std::size_t longest = 0;
  for (const std::string target : {"/", "//nope", "/chunked", "/notmodified"}) {
    const Answers answers = check(get(target), "200 any or 304 any or 404 any");
    for (const HttpField& field : answers.last().fields) {
      longest = std::max(longest, field.value.size());
    }
  }
  CHECK(longest > 0);
  check(get("/", "X: " + repeated('x', longest) + "\r\n"), "200 keep");
}

TEST_CASE("Whatever is too large gets a 4xx", "[rfc9110-4][9110-2.3-2][9110-17.5-1]") {
  const auto oversized = [](std::string bytes, std::string outcome) {
    check(Probe{.request = std::move(bytes),
                .outcome = std::move(outcome),
                .hint = "a bound, and a stated answer when it is reached",
                .reset_forgiven = true});
  };
  const std::string megabyte(1U << 20U, 'a');
  oversized(request(megabyte, "/"), "400 close or 414 close or 501 close");
  oversized(get("/" + megabyte), "414 close");
  oversized("GET / HTTP/1.1" + megabyte + "\r\nHost: a\r\n\r\n", "400 close or 414 close");
  oversized(get("/", megabyte + ": y\r\n"), "431 close");
  oversized(get("/", "X: " + megabyte + "\r\n"), "431 close");
  oversized(post_chunked(megabyte + "\r\n"), "400 close or 413 close or 431 close");
  oversized(request("POST", "/", "Content-Length: " + std::string(20'000, '9') + "\r\n"),
            "400 close or 413 close");
}

TEST_CASE("One request's cookies are not the next one's", "[rfc9110-4][9110-3.3-1]") {
  Client client(server());
  client.send(get("/cookie", "Cookie: user=alice; x=1\r\n"));
  CHECK(client.read_response().body == "user=alice\nx=1\n");
  client.send(get("/cookie"));
  CHECK(client.read_response().body.empty());
  // Also where a server has the bytes of the first request still lying around.
  client.send(get("/cookie", "X: y\r\nCookie: user=alice\r\n"));
  CHECK(client.read_response().body == "user=alice\n");
  client.send(get("/cookie"));
  CHECK(client.read_response().body.empty());
}

TEST_CASE("A URI of 8000 bytes is no trouble", "[rfc9110-4][9110-4.1-1]") {
  const std::string path = "/path/" + repeated('a', 7900);
  const Answers answers = require(get(path), "200 keep / 404 any or 403 any");
  if (answers.last().status == 200) check_body(answers, path + "\n\n");
}

TEST_CASE("An http target that names no host is refused", "[rfc9110-4][9110-4.2.1-1]") {
  for (const std::string target :
       {"http:///x", "http://", "http:///", "http://:80/", "http://?x"}) {
    check(get(target), "400 close");
  }
}

TEST_CASE("Equivalent URIs name one resource", "[rfc9110-4][9110-4.2.3-1]") {
  const auto seen = [](std::string_view target) {
    return require(get(target), "200 keep").last().body;
  };
  CHECK(seen("/path/%66oo") == "/path/foo\n\n");
  CHECK(seen("/path/caf%c3%a9") == seen("/path/caf%C3%A9"));
  CHECK(seen("/%70ath/x") == "/path/x\n\n");
  CHECK(seen("http://a:80/path/x") == seen("http://a/path/x"));
  CHECK(seen("HTTP://A/path/x") == "/path/x\n\n");
  CHECK(seen("http://a") == seen("http://a/"));
  CHECK(seen("/path/./x") == "/path/x\n\n");
  CHECK(seen("/path/y/../x") == "/path/x\n\n");
  CHECK(seen("/y/%2e%2E/path/x") == "/path/x\n\n");
}

TEST_CASE("Userinfo is refused", "[rfc9110-4][9110-4.2.4-1]") {
  check(get("http://user:pw@a/"), "400 close");
  check(get("http://user@a/"), "400 close");
  check(get("http://@a/"), "400 close");
  check(get("http://a@b@c/"), "400 close");
  check("GET / HTTP/1.1\r\nHost: user@a\r\n\r\n", "400 close");
}

}  // namespace stagecraft::conformance
