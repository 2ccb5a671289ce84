// RFC 9110, section 10: expectations, and the fields that describe the server.
#include <string>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/client.h"

namespace stagecraft::conformance {

using testing::HttpResponse;

namespace {

constexpr std::string_view expect = "Expect: 100-continue\r\n";

std::string expecting(std::string_view framing, std::string_view target = "/",
                      std::string_view method = "POST") {
  return request(method, target, std::string(framing) + std::string(expect));
}

}  // namespace

TEST_CASE("An HTTP/1.0 client gets no interim answer", "[rfc9110-10][9110-10.1.1-1][9110-15.2-1]") {
  const std::string head =
      "POST / HTTP/1.0\r\nContent-Length: 5\r\n" + std::string(expect) + "\r\n";
  // The body comes only when the server has received the head, and could answer it.
  const Answers answers =
      check(Probe{.request = head + "hello", .outcome = "200 close", .cuts = {head.size()}});
  check_body(answers, "hello");
}

TEST_CASE("100 comes before the body, and one final answer after it",
          "[rfc9110-10][9110-10.1.1-2][9110-10.1.1-3][9110-10.1.1-4]") {
  const auto exchange = [](const std::string& head, const std::string& content) {
    Client client(server());
    client.send(head);
    // Not a byte of the body was sent: the 100 cannot wait for it.
    const HttpResponse interim = client.read_response("POST");
    check_lint(interim, "POST");
    CHECK(interim.status == 100);
    client.send(content + sentinel());
    const HttpResponse answer = client.read_response("POST");
    check_lint(answer, "POST");
    CHECK(answer.status == 200);
    CHECK(answer.body == "hello");
    CHECK(is_sentinel_answer(client.read_response()));
    CHECK(client.read_to_end().empty());
  };
  exchange(expecting("Content-Length: 5\r\n"), "hello");
  exchange(expecting("Transfer-Encoding: chunked\r\n"), "5\r\nhello\r\n0\r\n\r\n");
  exchange(request("PUT", "/", "Content-Length: 5\r\nexpect: 100-Continue\r\n"), "hello");
}

TEST_CASE("A 100 belongs to its request, also in a pipeline", "[rfc9110-10][9110-10.1.1-2]") {
  Client client(server());
  client.send(get("/path/1") + expecting("Content-Length: 5\r\n"));
  CHECK(client.read_response().body == "/path/1\n\n");
  CHECK(client.read_response("POST").status == 100);
  client.send("hello" + sentinel());
  CHECK(client.read_response("POST").body == "hello");
  CHECK(is_sentinel_answer(client.read_response()));
}

TEST_CASE("With the body there already, 100 may be left out", "[rfc9110-10][9110-10.1.1-4]") {
  check(expecting("Content-Length: 5\r\n") + "hello", "200 keep or 100, 200 keep");
}

TEST_CASE("Without a body to come there is nothing to continue", "[rfc9110-10][9110-10.1.1-2]") {
  constexpr auto outcome = "200 keep / 100, 200 any";
  check(get("/", expect), outcome);
  check(request("POST", "/", "Content-Length: 0\r\n" + std::string(expect)), outcome);
}

TEST_CASE("A final answer in place of the 100 says how the connection goes on",
          "[rfc9110-10][9110-10.1.1-5]") {
  // `close` in an outcome demands that the answer says so. No byte of the body is sent.
  check(expecting("Content-Length: 10485760\r\n"), "413 close",
        "a body that is too large must not be asked for");
  // Who answers without asking for the body cannot know whether it will come.
  check(expecting("Content-Length: 5\r\n", "/", "TRACE"), "405 close or 400 close");
}

TEST_CASE("An expectation that is not known is refused", "[rfc9110-10][9110-10.1.1-2]") {
  for (const std::string expectation : {"foo", "100-continued", "100-continue, foo", "200-ok"}) {
    check(request("POST", "/", "Content-Length: 5\r\nExpect: " + expectation + "\r\n") + "hello",
          "417 any / 200 any or 100, 200 any");
  }
}

TEST_CASE("A 405 says what is allowed", "[rfc9110-10][9110-10.2.1-1]") {
  for (const HttpResponse& answer :
       {require(request("TRACE", "/"), "405 any / 200 any").last(),
        require(request("CONNECT", "example.com:443"), "405 any").last()}) {
    if (judge() == Judge::rfc && answer.status != 405) continue;
    CHECK(answer.lists("Allow", "GET"));
    CHECK(answer.lists("Allow", "HEAD"));
    CHECK_FALSE(answer.lists("Allow", "TRACE"));
    CHECK_FALSE(answer.lists("Allow", "CONNECT"));
  }
}

TEST_CASE("Server does not tell more than a name", "[rfc9110-10][9110-10.2.4-1]") {
  const std::string name = require(get("/"), "200 keep").last().field("Server");
  // It may be left out; ours tell what serves.
  CHECK((!name.empty() || judge() == Judge::rfc));
  CHECK(name.find('(') == std::string::npos);
  CHECK(name.size() <= 30);
}

}  // namespace stagecraft::conformance
