// RFC 9112, section 9: connections that persist, pipelines, and the close.
#include <string>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/client.h"

namespace stagecraft::conformance {

using testing::Ending;
using testing::HttpResponse;

namespace {

std::string http_1_0(std::string_view fields = "") {
  return "GET / HTTP/1.0\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

// A pipeline of requests with distinguishable answers, some of them long or streamed.
void check_order(Client& client, int count) {
  for (int i = 0; i < count; ++i) {
    const HttpResponse answer = client.read_response();
    check_lint(answer);
    CHECK(answer.status == 200);
    switch (i % 4) {
      case 1:
        CHECK(answer.body.size() == 20'000U + static_cast<std::size_t>(i));
        break;
      case 2:
        CHECK(answer.body == "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        break;
      default:
        CHECK(answer.body == "/path/" + std::to_string(i) + "\n\n");
    }
  }
}

std::string numbered_pipeline(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    switch (i % 4) {
      case 1:
        bytes += get("/large?n=" + std::to_string(20'000 + i));
        break;
      case 2:
        bytes += get("/chunked");
        break;
      default:
        bytes += get("/path/" + std::to_string(i));
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("Answers keep the order of the requests", "[rfc9112-9][9112-9.2-1]") {
  Client client(server());
  client.send(numbered_pipeline(20));
  check_order(client, 20);
}

TEST_CASE("Fifty requests in one write are answered in order", "[rfc9112-9][9112-9.3.2-1]") {
  Client client(server());
  client.send(numbered_pipeline(50));
  check_order(client, 50);
}

TEST_CASE("A pipeline that comes byte by byte is answered in order", "[rfc9112-9][9112-9.3.2-1]") {
  Client client(server());
  client.send_byte_by_byte(numbered_pipeline(50));
  check_order(client, 50);
}

TEST_CASE("Pipelined requests with bodies are told apart", "[rfc9112-9][9112-9.3.2-1]") {
  Client client(server());
  const auto body = [](int i) { return "GET /" + std::to_string(i) + " HTTP/1.1\r\n\r\n"; };
  std::string bytes;
  for (int i = 0; i < 20; ++i) {
    bytes += post(body(i)) + post_chunked("1\r\nG\r\n3;x\r\nET \r\n0\r\nT: u\r\n\r\n");
  }
  client.send(bytes);
  for (int i = 0; i < 20; ++i) {
    CHECK(client.read_response().body == body(i));
    CHECK(client.read_response().body == "GET ");
  }
}

TEST_CASE("A connection serves one request after the other", "[rfc9112-9][9112-9.3-1]") {
  Client client(server());
  for (int i = 0; i < 3; ++i) {
    client.send(get("/path/" + std::to_string(i)));
    CHECK(client.read_response().body == "/path/" + std::to_string(i) + "\n\n");
  }
}

TEST_CASE("An answer before the close says close", "[rfc9112-9][9112-9.3-2][9112-9.6-1]") {
  // That is what `close` in an outcome demands of each of these, and of every case of this suite.
  check(get("/", "Connection: close\r\n"), "200 close");
  check(http_1_0(), "200 close");
  check("malformed\r\n\r\n", "400 close");
  check("GET / HTTP/3.0\r\nHost: a\r\n\r\n", "505 close");
  check(request("POST", "/", "Content-Length: 10000000\r\n"), "413 close");
}

TEST_CASE("A body that nobody wants is never read as a request", "[rfc9112-9][9112-9.3-3]") {
  std::string smuggled;
  while (smuggled.size() < 1'000'000) smuggled += "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string length = "Content-Length: " + std::to_string(smuggled.size()) + "\r\n";
  const auto refused = [&](std::string_view method, std::string_view target, std::string outcome) {
    check(Probe{.request = request(method, target, length) + smuggled,
                .outcome = std::move(outcome),
                .hint = "read it to its end, or close",
                .reset_forgiven = true});
  };
  refused("POST", "//nope", "404 any");
  refused("TRACE", "/", "405 any or 400 close");
  refused("FOO", "/", "501 any");
  check(request("TRACE", "/", "Transfer-Encoding: chunked\r\n") + "5\r\nGET /\r\n0\r\n\r\n",
        "405 any or 400 close");
  check(request("POST", "//nope", "Content-Length: 30\r\n") + smuggled.substr(0, 30), "404 any");
  check(request("POST", "//nope", "Transfer-Encoding: chunked\r\n") + "5\r\nGET /\r\n0\r\n\r\n",
        "404 any");
  check(request("GET", "/throw", "Content-Length: 30\r\n") + smuggled.substr(0, 30), "500 any");
}

TEST_CASE("Persistence follows the version and the options", "[rfc9112-9][9112-9.3-4]") {
  check(get("/"), "200 keep");
  check(get("/", "Connection: keep-alive\r\n"), "200 keep");
  check(get("/", "Connection: close\r\n"), "200 close");
  check(get("/", "Connection: keep-alive, close\r\n"), "200 close", "close wins");
  check(http_1_0(), "200 close");
  check(http_1_0("Connection: close\r\n"), "200 close");
  check(http_1_0("Connection: keep-alive, close\r\n"), "200 close", "close wins");
  const Answers kept = require(http_1_0("Connection: keep-alive\r\n"), "200 keep");
  CHECK(kept.last().lists("Connection", "keep-alive"));
  check(http_1_0("Connection: Keep-Alive, foo\r\n"), "200 keep");
  check("POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello", "200 keep");
  check(http_1_0("Keep-Alive: timeout=5\r\n"), "200 close", "that field alone asks for nothing");
}

TEST_CASE("A half-closed client still gets all its answers", "[rfc9112-9][9112-9.5-2]") {
  const auto half_closed = [](std::string bytes, std::string outcome) {
    check(Probe{.request = std::move(bytes),
                .outcome = std::move(outcome),
                .hint = "the end of what a client sends is no wish to hear nothing",
                .then = Then::half_close});
  };
  half_closed(get("/"), "200 close");
  half_closed(get("/") + get("/path/2") + post("hello"), "200, 200, 200 close");
  half_closed(get("/chunked"), "200 close");
  half_closed(get("/large?n=3000000"), "200 close");
  half_closed(get("/") + "GET / HT", "200, 400 close or 200 close");
}

TEST_CASE("A large answer reaches a slow reader whole", "[rfc9112-9][9112-9.5-3]") {
  constexpr std::size_t size = 16U << 20U;
  Client client(server());
  client.send(get("/large?n=" + std::to_string(size)));
  // The first bytes are there; from now on the answer fills the buffers of both sides, and the
  // server has to wait until somebody reads.
  client.wait_until_readable();
  const HttpResponse answer = client.read_response();
  CHECK(answer.body.size() == size);
  CHECK(answer.body.find_first_not_of('x') == std::string::npos);
}

TEST_CASE("A request with close gets its answer, then the end",
          "[rfc9112-9][9112-9.6-2][9112-9.6-3]") {
  Client client(server());
  client.send(get("/large?n=1000000", "Connection: close\r\n"));
  const HttpResponse answer = client.read_response();
  CHECK(answer.body.size() == 1'000'000);
  CHECK(answer.lists("Connection", "close"));
  CHECK(client.read_to_end().empty());
  CHECK(client.ending() == Ending::end_of_stream);
}

TEST_CASE("What follows a request with close is ignored", "[rfc9112-9][9112-9.6-4]") {
  check(get("/", "Connection: close\r\n") + get("/path/2"), "200 close");
  check(get("/", "Connection: close\r\n") + post("hello"), "200 close");
  check(post("hello", "Connection: close\r\n") + "malformed\r\n\r\n", "200 close");
  check(get("/") + get("/", "Connection: close\r\n") + get("/"), "200, 200 close");
}

TEST_CASE("What follows an answer with close is ignored", "[rfc9112-9][9112-9.6-5]") {
  check("malformed\r\n\r\n" + get("/"), "400 close");
  check(get("/", "bad line\r\n") + get("/") + get("/"), "400 close");
  check(get("/") + "GET / HTTP/2.0\r\nHost: a\r\n\r\n" + get("/"), "200, 505 close");
}

TEST_CASE("An error answer survives the bytes that nobody read", "[rfc9112-9][9112-9.6-6]") {
  constexpr auto hint =
      "closing a socket with unread input sends a reset, which may overtake the answer: shut down "
      "the sending side, read for a while, then close";
  check(Probe{.request = "malformed\r\n\r\n" + repeated('x', 128U << 10U),
              .outcome = "400 close",
              .hint = hint});
  check(Probe{.request = get("/", "Connection: close\r\n") + repeated('x', 200U << 10U),
              .outcome = "200 close",
              .hint = hint});
  check(Probe{
      .request = request("POST", "/", "Content-Length: 10485760\r\n") + repeated('x', 10U << 20U),
      .outcome = "413 close",
      .hint = hint,
      .reset_forgiven = true});
}

TEST_CASE("Doubtful framing is refused, and nothing behind it is answered",
          "[rfc9112-9][9112-11.2-1]") {
  const std::string marker = get("/path/marker");
  for (const std::string fields :
       {"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding : chunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding:\x0B"
        "chunked\r\n",
        "Content-Length: 5\r\nX: y\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nX: y\rTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\n Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: identity, chunked, identity\r\n",
        "Content-Length: 5\r\nContent-Length: 0\r\n", "Content-Length: 0\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent_Length\r\n"}) {
    // The last is malformed, but leaves no doubt.
    const bool doubtful = fields.find('_') == std::string::npos;
    check(request("POST", "/", fields) + "0\r\n\r\n" + marker,
          doubtful ? "400 close" : "400 close / 200, 200 any",
          "a proxy in front may read this request otherwise");
  }
}

}  // namespace stagecraft::conformance
