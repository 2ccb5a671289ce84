// RFC 9112, section 6: where a body ends.
#include <string>

#include "catch.h"
#include "conformance/probe.h"

namespace stagecraft::conformance {

using testing::Framing;

TEST_CASE("A chunked body is decoded", "[rfc9112-6][9112-6.1-1]") {
  const Answers answers =
      require(post_chunked("5\r\nhello\r\n1\r\n,\r\n7\r\n world!\r\n0\r\n\r\n"), "200 keep");
  check_body(answers, "hello, world!");
  CHECK(answers.last().field("Content-Length") == "13");
  // Bytes that look like framing are data.
  const std::string tricky = "0\r\n\r\nGET / HTTP/1.1\r\n\r\n";
  check_body(require(post_chunked("17\r\n" + tricky + "\r\n0\r\n\r\n"), "200 keep"), tricky);
}

TEST_CASE("A body with a length is read to its end", "[rfc9112-6][9112-6.1-1]") {
  std::string every_byte;
  for (int value = 0; value < 256; ++value) every_byte += static_cast<char>(value);
  check_body(require(post(every_byte), "200 keep"), every_byte);
  const std::string large(1'000'000, 'x');
  check_body(require(post(large), "200 keep"), large);
  check_body(require(post(""), "200 keep"), "");
}

TEST_CASE("A coding that is not understood, but framed, is answered 501",
          "[rfc9112-6][9112-6.1-4]") {
  constexpr auto hint = "the chunks can be read, but not what is in them";
  for (const std::string codings :
       {"foo, chunked", "gzip, chunked", "gzip,chunked", "deflate, chunked", "GZIP, CHUNKED"}) {
    check(request("POST", "/", "Transfer-Encoding: " + codings + "\r\n") + "0\r\n\r\n", "501 close",
          hint);
  }
}

TEST_CASE("An HTTP/1.0 request gets no Transfer-Encoding", "[rfc9112-6][9112-6.1-5]") {
  const Answers answers = require("GET /chunked HTTP/1.0\r\nHost: a\r\n\r\n", "200 close");
  CHECK_FALSE(answers.last().has("Transfer-Encoding"));
  check_body(answers, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  const Answers kept = require("GET /chunked HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
                               "200 close", "only the close can end a body without a length");
  CHECK(kept.last().framing == Framing::end_of_connection);
  check_body(kept, answers.last().body);
}

TEST_CASE("Content-Length beside Transfer-Encoding is refused",
          "[rfc9112-6][9112-6.1-6][9112-6.3-2]") {
  constexpr auto hint = "two readings of one request are how requests are smuggled";
  const std::string chunks = "5\r\nhello\r\n0\r\n\r\n";
  for (const std::string fields : {"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
                                   "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n",
                                   "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
                                   "Transfer-Encoding: chunked\r\nX: y\r\ncontent-length: 15\r\n",
                                   "Transfer-Encoding: foo\r\nContent-Length: 3\r\n"}) {
    // It may be read by the chunks, if the connection ends with it.
    check(request("POST", "/", fields) + chunks, "400 close / 200 close", hint);
  }
  check(request("GET", "/", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + chunks,
        "400 close / 200 close", hint);
}

TEST_CASE("Transfer-Encoding in HTTP/1.0 is faulty framing", "[rfc9112-6][9112-6.1-7]") {
  check("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 close / 200 close");
  check("POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "400 close / 200 close");
}

TEST_CASE("An answer of unknown length is chunked once, without a length",
          "[rfc9112-6][9112-6.1-8][9112-6.2-1]") {
  const Answers answers = require(get("/chunked"), "200 keep");
  CHECK(answers.last().field("Transfer-Encoding") == "chunked");
  CHECK_FALSE(answers.last().has("Content-Length"));
  check_body(answers, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
}

TEST_CASE("No byte follows the head of an answer without content", "[rfc9112-6][9112-6.3-1]") {
  // check() finds the next answer exactly behind the head.
  for (const std::string target :
       {"/", "/fields", "/large?n=100000", "/chunked", "/nocontent", "/notmodified", "/path/x"}) {
    check(request("HEAD", target), "200 keep or 204 keep or 304 keep",
          "a body after the answer to HEAD is taken for the next answer");
  }
  check(request("HEAD", "//nope"), "404 any");
  check(get("/nocontent") + get("/"), "204, 200 keep");
  check(get("/notmodified") + get("/"), "304, 200 keep");
}

TEST_CASE("Where chunked is not the last coding, the request is refused",
          "[rfc9112-6][9112-6.3-3]") {
  for (const std::string codings : {"gzip",
                                    "identity",
                                    "foo",
                                    "chunked, gzip",
                                    "chunked, identity",
                                    "chunked, chunked",
                                    "chunked\r\nTransfer-Encoding: chunked",
                                    "chunked\r\nTransfer-Encoding: gzip",
                                    "xchunked",
                                    "chunkedx",
                                    "chunk",
                                    "\"chunked\"",
                                    "chunked chunked",
                                    "chunked;",
                                    "chunked;a=b",
                                    "",
                                    ",",
                                    "\x0B"
                                    "chunked",
                                    "chunked\x0C",
                                    "ch\xFCnked",
                                    "chunked, foo, chunked"}) {
    check(request("POST", "/", "Transfer-Encoding: " + codings + "\r\n") + "0\r\n\r\n", "400 close",
          "the end of the body is unknown or doubtful");
  }
}

TEST_CASE("An invalid Content-Length is refused", "[rfc9112-6][9112-6.3-4]") {
  for (const std::string length : {"abc",
                                   "-1",
                                   "+5",
                                   "5 5",
                                   "0x5",
                                   "1e3",
                                   "",
                                   "5.",
                                   "5.0",
                                   "5;",
                                   "5a",
                                   "a5",
                                   "\"5\"",
                                   "5_0",
                                   "\x0B"
                                   "5",
                                   "5\x0C",
                                   "\xD9\xA5",
                                   "0-5",
                                   "=5",
                                   "--5",
                                   "99999999999999999999999999999x"}) {
    check(request("POST", "/", "Content-Length: " + length + "\r\n") + "hello", "400 close",
          "digits and nothing else");
  }
  using std::string_literals::operator""s;
  check(request("POST", "/", "Content-Length: 5\0\r\n"s) + "hello", "400 close");
  check(get("/", "Content-Length: -0\r\n"), "400 close", "also where no body is expected");
}

TEST_CASE("A repeated Content-Length is refused", "[rfc9112-6][9112-6.3-5]") {
  constexpr auto hint = "equal ones might be collapsed; this server refuses every repetition";
  for (const std::string lengths :
       {"Content-Length: 5, 6\r\n", "Content-Length: 5, 5\r\n", "Content-Length: 5,5\r\n",
        "Content-Length: ,5\r\n", "Content-Length: 5,\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5\r\nX: y\r\ncontent-LENGTH: 0\r\n"}) {
    check(request("POST", "/", lengths) + "hello", "400 close", hint);
  }
}

TEST_CASE("A body that is cut off is not acted on", "[rfc9112-6][9112-6.3-6]") {
  for (std::size_t received = 0; received < 5; ++received) {
    check(Probe{.request = request("POST", "/", "Content-Length: 5\r\n") +
                           std::string("hello").substr(0, received),
                .outcome = "400 close",
                .hint = "the end of the connection is taken for the end of the body",
                .then = Then::half_close});
  }
}

TEST_CASE("A request without a length has no body", "[rfc9112-6][9112-6.3-7]") {
  for (const std::string method : {"POST", "PUT", "PATCH", "DELETE"}) {
    check(request(method, "/") + get("/"), "200, 200 keep / 411 close or 411, 200 keep");
  }
}

TEST_CASE("Answers to HTTP/1.1 say where they end", "[rfc9112-6][9112-6.3-8]") {
  for (const std::string target : {"/", "/fields", "/chunked", "/large?n=300000", "/path/x"}) {
    const Answers answers = require(get(target), "200 keep");
    CHECK(answers.last().framing != Framing::end_of_connection);
  }
}

}  // namespace stagecraft::conformance
