// RFC 9112, section 5: field lines.
#include <string>

#include "catch.h"
#include "conformance/probe.h"

namespace stagecraft::conformance {

TEST_CASE("A line that is no field line is refused", "[rfc9112-5][9112-5-1]") {
  for (const std::string line :
       {"X",      "no colon", ":",        ": y",      ":y",       "X[1]: y",         "X]: y",
        "X{: y",  "X}: y",    "X(: y",    "X): y",    "X@: y",    "X,: y",           "X;: y",
        "X/: y",  "X?: y",    "X=: y",    "X\\: y",   "X\": y",   "X<: y",           "X>: y",
        "X Y: z", "X\tY: z",  "X\x01: y", "X\x7F: y", "X\xE9: y", "\xEF\xBB\xBFX: y"}) {
    check(get("/", line + "\r\n"), "400 close",
          "a name is a token (RFC 9110, section 5.6.2) and ends at the colon");
  }
  using std::string_literals::operator""s;
  check(get("/", "X\0Y: z\r\n"s), "400 close");
}

TEST_CASE("Every character that a name may have is taken", "[rfc9112-5][9112-5-1]") {
  const std::string name = "!#$%&'*+-.^_`|~09azAZ";
  const Answers answers = require(get("/fields", name + ": y\r\n"), "200 keep");
  check_body(answers, "Host: a\n" + name + ": y\n");
}

TEST_CASE("White space between a name and the colon is refused", "[rfc9112-5][9112-5.1-1]") {
  constexpr auto hint = "a proxy that drops the white space, or the line, reads another request";
  check(get("/", "X-A : b\r\n"), "400 close", hint);
  check(get("/", "X-A\t: b\r\n"), "400 close", hint);
  check(get("/", "X-A  \t : b\r\n"), "400 close", hint);
  check("GET / HTTP/1.1\r\nHost\t: a\r\n\r\n", "400 close", hint);
  check(request("POST", "/", "Content-Length : 5\r\n") + "hello", "400 close", hint);
  check(request("POST", "/", "Transfer-Encoding : chunked\r\n") + "0\r\n\r\n", "400 close", hint);
}

TEST_CASE("White space around a value is no part of it", "[rfc9112-5][9112-5.1-2]") {
  const auto body = [](std::string_view bytes) { return require(bytes, "200 keep").last().body; };
  CHECK(body(get("/fields", "X: \t y z \t \r\n")) == "Host: a\nX: y z\n");
  CHECK(body(get("/fields", "X:y\r\n")) == "Host: a\nX: y\n");
  CHECK(body(get("/fields", "X:\r\n")) == "Host: a\nX: \n");
  CHECK(body(get("/fields", "X: \t\r\n")) == "Host: a\nX: \n");
  CHECK(body("GET /fields HTTP/1.1\r\nHost:\t a \t\r\n\r\n") == "Host: a\n");
  CHECK(body(request("POST", "/", "Content-Length:   5  \r\n") + "hello") == "hello");
}

TEST_CASE("A folded line is refused", "[rfc9112-5][9112-5.2-2]") {
  constexpr auto hint = "folding is gone, since not everybody joins such lines";
  for (const std::string folded :
       {"X: a\r\n b\r\n", "X: a\r\n\tb\r\n", "X: a\r\n \r\n", "X:\r\n a\r\n"}) {
    check(get("/", folded), "400 close / 200 any", hint);
  }
  check(request("POST", "/", "Transfer-Encoding:\r\n chunked\r\n") + "0\r\n\r\n",
        "400 close / 200 any", hint);
  check(request("POST", "/", "Content-Length: 5\r\n 0\r\n") + "hello", "400 close", hint);
  check("GET / HTTP/1.1\r\nHost:\r\n a\r\n\r\n", "400 close / 200 any", hint);
}

TEST_CASE("Fields are handed on as received and in order", "[rfc9112-5][9112-5-1]") {
  const Answers answers =
      require(get("/fields", "B: 1\r\na: 2\r\nB: 3\r\nC: \"x, y\"\r\n"), "200 keep");
  check_body(answers, "Host: a\nB: 1\na: 2\nB: 3\nC: \"x, y\"\n");
}

}  // namespace stagecraft::conformance
