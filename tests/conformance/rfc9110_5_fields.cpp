// RFC 9110, section 5: names, values, lists.
#include <string>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/client.h"

namespace stagecraft::conformance {

TEST_CASE("Field names are compared without case", "[rfc9110-5][9110-5.1-1]") {
  check("GET / HTTP/1.1\r\nhOsT: a\r\n\r\n", "200 keep");
  check("GET / HTTP/1.1\r\nHOST: a\r\n\r\n", "200 keep");
  check(get("/", "CONNECTION: close\r\n"), "200 close");
  check_body(require(request("POST", "/", "CONTENT-LENGTH: 5\r\n") + "hello", "200 keep"), "hello");
  check_body(
      require(request("POST", "/", "tRANSFER-eNCODING: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n",
              "200 keep"),
      "hello");
}

TEST_CASE("Unknown fields change nothing", "[rfc9110-5][9110-5.1-2]") {
  const std::string unknown = "X-Unknown-Thing: 1\r\nFrob: \"x\r\n";
  check_body(require(get("/", unknown), "200 keep"), "OK");
  check_body(require(post("hello", unknown), "200 keep"), "hello");
  check_body(require(post_chunked("5\r\nhello\r\n0\r\n" + unknown + "\r\n"), "200 keep"), "hello");
}

TEST_CASE("Several lines of a list are one list", "[rfc9110-5][9110-5.2-1]") {
  check(get("/", "Connection: keep-alive\r\nConnection: close\r\n"), "200 close");
  check(get("/", "Connection: close\r\nX: y\r\nConnection: keep-alive\r\n"), "200 close");
  check(get("/", "Connection: keep-alive, x\r\nConnection: y, close\r\n"), "200 close");
  check(request("POST", "/", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n") +
            "0\r\n\r\n",
        "501 close or 400 close", "that is `gzip, chunked`");
  check(request("POST", "/", "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n") +
            "0\r\n\r\n",
        "400 close", "that is `chunked, gzip`");
}

TEST_CASE("Nothing happens before the head has come whole", "[rfc9110-5][9110-5.3-2]") {
  for (const std::string method : {"GET", "PUT", "DELETE"}) {
    Client client(server());
    const std::string head = request(method, "/", "X: y\r\n");
    // Everything but the last LF, which the server has received when it is asked.
    client.send(head.substr(0, head.size() - 1));
    client.wait_until_received();
    CHECK_FALSE(client.readable());
    client.send("\n" + sentinel());
    CHECK(client.read_response().status == 200);
    CHECK(is_sentinel_answer(client.read_response()));
    CHECK(client.read_to_end().empty());
  }
}

TEST_CASE("A head that is too large gets a 431", "[rfc9110-5][9110-5.4-1]") {
  const auto too_large = [](const std::string& fields) {
    check(Probe{.request = get("/", fields),
                .outcome = "431 close",
                .hint = "bounded in bytes and in number",
                .reset_forgiven = true});
  };
  const std::string long_text(64U << 10U, 'x');
  too_large("X: " + long_text + "\r\n");
  too_large("X: " + repeated('x', 1U << 20U) + "\r\n");
  too_large(long_text + ": y\r\n");
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "X: y\r\n";
  too_large(many);
  std::string empty_values;
  for (int i = 0; i < 1'000; ++i) empty_values += "X:\r\n";
  too_large(empty_values);
}

TEST_CASE("White space around a value never reaches who uses it", "[rfc9110-5][9110-5.5-1]") {
  check_body(require(get("/fields", "X:   \"x\"  \r\n"), "200 keep"), "Host: a\nX: \"x\"\n");
  check(get("/", "Connection: \t close \t \r\n"), "200 close");
}

TEST_CASE("CR, LF and NUL in a value are refused", "[rfc9110-5][9110-5.5-2]") {
  using std::string_literals::operator""s;
  check(get("/", "X: a\0b\r\n"s), "400 close");
  check(get("/", "X: \0\r\n"s), "400 close");
  check(get("/", "X: a\rb\r\n"), "400 close / 200 any");
  check(get("/", "X: a\nb\r\n"), "400 close / 200 any");
  check(get("/", "X: a\nY: b\r\n"), "400 close / 200 any");
  check(get("/", "X: a\r\r\n"), "400 close / 200 any");
}

TEST_CASE("Bytes 80 to FF in a value are opaque", "[rfc9110-5][9110-5.5-3]") {
  std::string bytes;
  for (int value = 0x80; value <= 0xFF; ++value) bytes += static_cast<char>(value);
  const Answers answers = require(get("/fields", "X: " + bytes + "\r\n"), "200 keep");
  check_body(answers, "Host: a\nX: " + bytes + "\n");
}

TEST_CASE("Empty members of a list are skipped", "[rfc9110-5][9110-5.6.1-2]") {
  check(get("/", "Connection: , close ,,\r\n"), "200 close");
  check(get("/", "Connection: ,\t, foo,,\r\nConnection:\r\nConnection: ,\r\n"), "200 keep");
}

TEST_CASE("Bad white space in an extension is tolerated or refused, but framed all the same",
          "[rfc9110-5][9110-5.6.3-1]") {
  for (const std::string extension :
       {" ;a=b", "; a=b", ";a =b", ";a= b", " ; a = \"b\"", "\t;\ta\t=\tb"}) {
    const Answers answers =
        check(post_chunked("5" + extension + "\r\nhello\r\n0\r\n\r\n"), "200 keep or 400 close");
    if (answers.last().status == 200) check_body(answers, "hello");
  }
}

TEST_CASE("A backslash in a quoted string quotes the next byte", "[rfc9110-5][9110-5.6.4-1]") {
  for (const std::string extension :
       {";a=\"x\\\"y\"", ";a=\"\\\\\"", ";a=\"\\\";b=\\\"\"", ";a=\"\\x\";b"}) {
    const Answers answers =
        require(post_chunked("5" + extension + "\r\nhello\r\n0\r\n\r\n"), "200 keep");
    check_body(answers, "hello");
  }
  check(post_chunked("5;a=\"x\\\"\r\nhello\r\n0\r\n\r\n"), "400 close / 200 any",
        "never closed; who reads no extensions does not see it");
}

}  // namespace stagecraft::conformance
