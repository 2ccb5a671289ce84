// RFC 9112, section 2: what a message is made of, and the version.
#include <string>

#include "catch.h"
#include "conformance/probe.h"

namespace stagecraft::conformance {

TEST_CASE("Bytes above 7F in a value neither end a line nor a request", "[rfc9112-2][9112-2.2-1]") {
  // E2 80 A8 is U+2028, a line separator for those who decode first and look for lines then.
  const std::string opaque = "\xFF\xFE \xE2\x80\xA8 \xC3( \x80";
  const Answers answers = require(get("/fields", "X: " + opaque + "\r\n"), "200 keep");
  CHECK(answers.last().body.find("X: " + opaque + "\n") != std::string::npos);
}

TEST_CASE("A CR without LF is refused wherever it stands", "[rfc9112-2][9112-2.2-2]") {
  constexpr auto hint = "a CR is taken for the end of a line, or passed on";
  check("G\rET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close", hint);
  check("GET\r/ HTTP/1.1\r\nHost: a\r\n\r\n", "400 close", hint);
  check("GET /\rb HTTP/1.1\r\nHost: a\r\n\r\n", "400 close", hint);
  check("GET / HTTP/1.1\r \r\nHost: a\r\n\r\n", "400 close", hint);
  check("GET / HTTP/1.1\r\nHost: a\rX: y\r\n\r\n", "400 close", hint);
  check("GET / HTTP/1.1\r\nHost: a\r\nX\rY: z\r\n\r\n", "400 close", hint);
  check("GET / HTTP/1.1\r\nHost: a\r\nX: y\r\r\n\r\n", "400 close", hint);
  check("GET / HTTP/1.1\r\nHost: a\r\n\r\r\n", "400 close", hint);
  check("\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close", hint);
}

TEST_CASE("An empty line before a request is skipped", "[rfc9112-2][9112-2.2-3]") {
  check("\r\n" + get("/"), "200 keep");
  check(get("/") + "\r\n" + get("/"), "200, 200 keep");
  check(post("hello") + "\r\n" + get("/"), "200, 200 keep",
        "the CRLF that an old client sends behind a body");
  check(post_chunked("0\r\n\r\n") + "\r\n" + get("/"), "200, 200 keep");
}

TEST_CASE("A line with white space in front, behind the request line, is refused",
          "[rfc9112-2][9112-2.2-5]") {
  check("GET / HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n", "400 close");
  check("GET / HTTP/1.1\r\n\tX: y\r\nHost: a\r\n\r\n", "400 close");
  check("GET / HTTP/1.1\r\n Host: b\r\nHost: a\r\n\r\n", "400 close");
  check("GET / HTTP/1.1\r\n \r\nHost: a\r\n\r\n", "400 close");
}

TEST_CASE("What is no request is answered 400, then the connection closes",
          "[rfc9112-2][9112-2.2-6]") {
  check("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "400 close", "that is an answer");
  check(std::string("\x16\x03\x01\x00\xA5\x01\x00\x00\xA1\x03\x03", 11) + "\r\n\r\n", "400 close",
        "that is TLS");
  check(std::string("\x00\x00\x00\x00\x00\x00\x00\x00\r\n\r\n", 12), "400 close");
  check("\xDE\xAD\xBE\xEF\r\n", "400 close");
  check("{\"json\": true}\r\n\r\n", "400 close");
  check("SSH-2.0-OpenSSH_9.2\r\n", "400 close");
  // LF alone may be taken for the end of a line; here it is refused, like all that is doubtful.
  check("GET / HTTP/1.1\nHost: a\n\n", "400 close / 200 any");
}

TEST_CASE("A malformed request behind a good one does not harm the good one",
          "[rfc9112-2][9112-2.2-6]") {
  check(get("/") + "no request\r\n\r\n", "200, 400 close / 200, 4xx any or 200, 5xx any",
        "the good one must be answered first, in full");
  check(get("/") + get("/") + "\x01\x02\x03\r\n",
        "200, 200, 400 close / 200, 200, 4xx any or 200, 200, 5xx any");
  check(post("hello") + "GET / HTTP/9\r\n\r\n", "200, 400 close / 200, 4xx any or 200, 5xx any");
}

TEST_CASE("An HTTP/1.1 request gets an HTTP/1.1 answer", "[rfc9112-2][9112-2.3-1]") {
  const Answers served = require(get("/"), "200 keep");
  CHECK(served.last().minor_version == 1);
  const Answers missing = require(get("//nope"), "404 any");
  CHECK(missing.last().minor_version == 1);
  const Answers refused = require("malformed\r\n\r\n", "400 close");
  // Judged by the RFC it is no HTTP/1.1 request, and the answer may be as old as can be.
  CHECK((refused.last().minor_version == 1 || judge() == Judge::rfc));
}

TEST_CASE("A version is HTTP, a slash, a digit, a dot and a digit", "[rfc9112-2][9112-2.3-2]") {
  for (const std::string version :
       {"http/1.1", "Http/1.1", "HTTP/1", "HTTP/1.", "HTTP/.1", "HTTP/1.10", "HTTP/11.1",
        "HTTP/01.1", "HTTP/1.1a", "HTTP/1,1", "HTTP 1.1", "HTTP/ 1.1", "HTTP/1 .1", "HTTP/+1.1",
        "HTTP/1.x", "HTTPS/1.1", "ICY/1.1", "HTTP\\1.1", "HTTP/"}) {
    check("GET / " + version + "\r\nHost: a\r\n\r\n", "400 close",
          "the version is read with something like sscanf(3), or not to its end");
  }
}

}  // namespace stagecraft::conformance
