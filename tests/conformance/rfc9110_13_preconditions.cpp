// RFC 9110, sections 12 to 14, as far as they concern resources without validators and ranges:
// there such fields have no effect.
#include <string>

#include "catch.h"
#include "conformance/probe.h"

namespace stagecraft::conformance {

TEST_CASE("Without other codings on offer the content comes as it is",
          "[rfc9110-13][9110-12.5.3-1]") {
  for (const std::string codings : {"br;q=1", "gzip, br", "*;q=0.5", "", "identity"}) {
    const Answers answers = require(get("/", "Accept-Encoding: " + codings + "\r\n"), "200 keep");
    CHECK_FALSE(answers.last().has("Content-Encoding"));
    check_body(answers, "OK");
  }
}

TEST_CASE("If-Modified-Since is ignored where no modification date is known",
          "[rfc9110-13][9110-13.1.3-3]") {
  for (const std::string date :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 01 Jan 2038 00:00:00 GMT", "not a date", ""}) {
    check_body(require(get("/", "If-Modified-Since: " + date + "\r\n"), "200 keep"), "OK");
  }
}

TEST_CASE("If-Range is ignored where ranges are not supported", "[rfc9110-13][9110-13.1.5-1]") {
  check_body(require(get("/", "If-Range: \"x\"\r\n"), "200 keep"), "OK");
  check_body(require(get("/", "If-Range: \"x\"\r\nRange: bytes=0-0\r\n"), "200 keep"), "OK");
}

TEST_CASE("A precondition does not turn a 404 into something else", "[rfc9110-13][9110-13.2.1-1]") {
  check(get("//nope", "If-None-Match: *\r\n"), "404 any");
  check(get("//nope", "If-Match: \"x\"\r\n"), "404 any");
}

TEST_CASE("Preconditions are ignored on OPTIONS, TRACE and CONNECT",
          "[rfc9110-13][9110-13.2.1-2]") {
  constexpr std::string_view failing = "If-Match: \"x\"\r\n";
  check(request("OPTIONS", "/", failing), "200 keep");
  check(request("TRACE", "/", failing), "405 any / 200 any");
  check(request("CONNECT", "example.com:443", failing), "405 any");
}

TEST_CASE("Range is ignored on methods without ranges", "[rfc9110-13][9110-14.2-1]") {
  check_body(require(post("hello", "Range: bytes=0-1\r\n"), "200 keep"), "hello");
  check(request("HEAD", "/", "Range: bytes=0-0\r\n"), "200 keep or 206 keep");
}

TEST_CASE("Unknown range units are ignored", "[rfc9110-13][9110-14.2-2]") {
  check_body(require(get("/", "Range: lines=0-1\r\n"), "200 keep"), "OK");
}

TEST_CASE("Content-Range in a GET means nothing", "[rfc9110-13][9110-14.4-1]") {
  check_body(require(get("/", "Content-Range: bytes 0-1/2\r\n"), "200 keep"), "OK");
}

}  // namespace stagecraft::conformance
