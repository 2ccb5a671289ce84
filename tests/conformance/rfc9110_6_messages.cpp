// RFC 9110, sections 6 to 8: versions, dates, routing, upgrades, and what describes the content.
#include <cstdlib>
#include <ctime>
#include <string>

#include "catch.h"
#include "conformance/lint.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/client.h"

namespace stagecraft::conformance {

using testing::Framing;
using testing::HttpResponse;

TEST_CASE("The answer to HTTP/1.0 has an HTTP/1.1 status line", "[rfc9110-6][9110-6.2-1]") {
  const Answers answers = require("GET / HTTP/1.0\r\n\r\n", "200 close");
  CHECK(answers.last().minor_version == 1);
}

TEST_CASE("A higher minor version is served as HTTP/1.1", "[rfc9110-6][9110-6.2-2]") {
  for (const std::string version : {"1.2", "1.3", "1.9"}) {
    check("GET / HTTP/" + version + "\r\nHost: a\r\n\r\n", "200 keep");
    check("GET /chunked HTTP/" + version + "\r\nHost: a\r\n\r\n", "200 keep");
    const std::string chunked = "\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    check("POST / HTTP/" + version + chunked + "0\r\n\r\n", "200 keep");
  }
}

TEST_CASE("Trailer fields do not become fields of the head", "[rfc9110-6][9110-6.5.1-2]") {
  constexpr std::string_view chunked = "Transfer-Encoding: chunked\r\n";
  const Answers cookies = check(request("GET", "/cookie", chunked) + "0\r\nCookie: a=b\r\n\r\n",
                                "200 keep or 400 close");
  CHECK(cookies.last().body.find("a=b") == std::string::npos);
  const Answers fields = require(post_chunked("0\r\nX: y\r\n\r\n", "/fields"), "200 keep");
  CHECK(fields.last().body.find("\nX: y") == std::string::npos);
  CHECK(fields.last().body.find("\ntrailer X: y\n") != std::string::npos);
}

TEST_CASE("Date is the time of the answer", "[rfc9110-6][9110-6.6.1-2]") {
  const std::time_t before = std::time(nullptr);
  const std::string date = require(get("/"), "200 keep").last().field("Date");
  const std::time_t after = std::time(nullptr);
  REQUIRE(is_imf_fixdate(date));
  std::tm parts{};
  REQUIRE(strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) != nullptr);
  const std::time_t said = timegm(&parts);
  // A server that makes the line once a second may be a second behind, and clocks are read in turn.
  CHECK(said >= before - 2);
  CHECK(said <= after + 1);
}

TEST_CASE("An https target is refused where nothing is encrypted", "[rfc9110-6][9110-7.4-1]") {
  check(get("https://a/"), "421 any or 400 close");
  check(get("HTTPS://a:443/x?y"), "421 any or 400 close");
  check(get("ftp://a/"), "421 any or 400 close", "another scheme is no business of this server");
}

TEST_CASE("Connection options are names in a list, in any case", "[rfc9110-6][9110-7.6.1-2]") {
  for (const std::string option : {"close", "Close", "CLOSE", "foo, CLOSE", "close, foo",
                                   "foo,close,bar", "keep-alive , close"}) {
    check(get("/", "Connection: " + option + "\r\n"), "200 close");
  }
  for (const std::string option :
       {"closed", "xclose", "clos", "not-close", "close-not", "keep-alive"}) {
    check(get("/", "Connection: " + option + "\r\n"), "200 keep", "another name");
  }
}

TEST_CASE("An upgrade that is not on offer is ignored", "[rfc9110-6][9110-7.8-2]") {
  check(get("/", "Connection: Upgrade\r\nUpgrade: foo/9\r\n"), "200 keep");
  check(get("/", "Connection: Upgrade\r\nUpgrade: foo/9, bar\r\n"), "200 keep");
  check(get("/",
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
        "200 keep / a malformed answer", "h2c is on offer where the answer is no HTTP/1.1");
  check_body(require(post("hello", "Connection: Upgrade\r\nUpgrade: foo\r\n"), "200 keep"),
             "hello");
}

TEST_CASE("Upgrade in HTTP/1.0 is ignored", "[rfc9110-6][9110-7.8-4]") {
  check("GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "200 close");
  // Here there is an upgrade on offer, if anywhere.
  check("GET /raw HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n",
        "426 close or 404 close");
}

TEST_CASE("A switch names the new protocol, and is that", "[rfc9110-6][9110-7.8-1][9110-7.8-6]") {
  // A name that differs in its case is the same protocol.
  for (const std::string protocol : {"echo", "ECHO", "foo/1, Echo"}) {
    Client client(server());
    client.send(get("/raw", "Connection: Upgrade\r\nUpgrade: " + protocol + "\r\n"));
    const HttpResponse answer = client.read_response();
    check_lint(answer);
    REQUIRE(answer.status == 101);
    CHECK(answer.field("Upgrade") == "echo");
    CHECK(answer.lists("Connection", "upgrade"));
    client.send("GET / is only bytes now\r\n\r\n");
    client.finish_sending();
    CHECK(client.read_to_end() == "GET / is only bytes now\r\n\r\n");
  }
}

TEST_CASE("Where an upgrade is required, the answer tells to what", "[rfc9110-6][9110-7.8-3]") {
  const HttpResponse answer = require(get("/raw"), "426 keep").last();
  CHECK(answer.field("Upgrade") == "echo");
  CHECK(answer.lists("Connection", "upgrade"));
  // Named, but Connection does not list it: meant for somebody else on the way.
  check(get("/raw", "Upgrade: echo\r\n"), "426 keep");
}

TEST_CASE("Expect is answered before the switch", "[rfc9110-6][9110-7.8-5]") {
  Client client(server());
  client.send(get("/raw",
                  "Connection: Upgrade\r\nUpgrade: echo\r\nExpect: 100-continue\r\n"
                  "Content-Length: 5\r\n"));
  CHECK(client.read_response().status == 100);
  client.send("hello");
  CHECK(client.read_response().status == 101);
  client.finish_sending();
  // The body belonged to the request, not to the new protocol.
  CHECK(client.read_to_end().empty());
}

TEST_CASE("Content comes with its type", "[rfc9110-6][9110-8.3-1]") {
  for (const std::string target : {"/", "/fields", "/chunked", "/path/x", "/large?n=1", "//nope"}) {
    const Answers answers = check(get(target, "X: y\r\n"), "200 any or 404 any");
    CHECK(answers.last().has("Content-Type"));
  }
  const Answers refused = require("malformed\r\n\r\n", "400 close");
  CHECK(refused.last().has("Content-Type"));
  const Answers echoed = require(post("hello"), "200 keep");
  CHECK(echoed.last().has("Content-Type"));
}

TEST_CASE("HEAD says the length that GET would have", "[rfc9110-6][9110-8.6-1]") {
  for (const std::string target :
       {"/", "/fields", "/large?n=12345", "/path/x", "/authority", "//nope"}) {
    const Answers head = check(request("HEAD", target), "200 any or 404 any");
    const Answers whole = check(get(target), "200 any or 404 any");
    if (head.last().has("Content-Length")) {
      CHECK(head.last().field("Content-Length") == whole.last().field("Content-Length"));
    }
    CHECK(head.last().field("Content-Length") != "0");
  }
}

TEST_CASE("A 304 does not say that the 200 would be empty", "[rfc9110-6][9110-8.6-2]") {
  const Answers answers = require(get("/notmodified"), "304 keep");
  CHECK(answers.last().field("Content-Length") != "0");
}

TEST_CASE("1xx and 204 have neither length nor coding", "[rfc9110-6][9110-8.6-3][9112-6.1-2]") {
  const HttpResponse no_content = require(get("/nocontent"), "204 keep").last();
  CHECK_FALSE(no_content.has("Content-Length"));
  CHECK_FALSE(no_content.has("Transfer-Encoding"));
  Client client(server());
  client.send(request("POST", "/", "Content-Length: 5\r\nExpect: 100-continue\r\n"));
  const HttpResponse interim = client.read_response("POST");
  REQUIRE(interim.status == 100);
  CHECK_FALSE(interim.has("Content-Length"));
  CHECK_FALSE(interim.has("Transfer-Encoding"));
  client.send("hello");
  CHECK(client.read_response("POST").status == 200);
}

TEST_CASE("CONNECT opens no tunnel and has no framed success",
          "[rfc9110-6][9110-8.6-4][9112-6.1-3]") {
  // lint() would find a length or a coding in a 2xx; there must be none.
  check(request("CONNECT", "example.com:443"), "405 any");
}

TEST_CASE("An answer of known length says it", "[rfc9110-6][9110-8.6-5]") {
  for (const std::string target : {"/", "/large?n=0", "/large?n=70000", "/fields", "//nope"}) {
    const Answers answers = check(get(target), "200 any or 404 any");
    CHECK(answers.last().framing == Framing::content_length);
  }
  const Answers options = require(request("OPTIONS", "/"), "200 keep");
  CHECK(options.last().field("Content-Length") == "0");
  const Answers empty = require(post(""), "200 keep");
  CHECK(empty.last().field("Content-Length") == "0");
}

TEST_CASE("A huge Content-Length is never read as a small one", "[rfc9110-6][9110-8.6-6]") {
  for (const std::string length :
       {"4294967296", "4294967301", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "18446744073709551617",
        "18446744073709551621", "99999999999999999999",
        "340282366920938463463374607431768211461"}) {
    check(request("POST", "/", "Content-Length: " + length + "\r\n") + "hello",
          "413 close or 400 close", "it overflows, or is cut to fewer bits");
  }
}

TEST_CASE("An answer is as long as it says", "[rfc9110-6][9110-8.6-7]") {
  // The next answer of the pipeline begins exactly behind it, or the strict reader stumbles.
  for (const std::size_t size : {0U, 1U, 4095U, 4096U, 16384U, 65535U, 65536U, 65537U, 1000000U}) {
    const std::string large = get("/large?n=" + std::to_string(size));
    const Answers answers = require(large + get("/fields") + large, "200, 200, 200 keep");
    check_body(answers, repeated('x', size));
  }
}

}  // namespace stagecraft::conformance
