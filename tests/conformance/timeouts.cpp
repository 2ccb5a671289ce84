// Clients that are too slow. Each case starts a server with short limits of its own.
#include <chrono>
#include <memory>
#include <string>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/client.h"

namespace stagecraft::conformance {

using testing::Ending;
using testing::HttpResponse;

namespace {

void check_timed_out(Client& client, std::string_view method) {
  const HttpResponse answer = client.read_response(method);
  check_lint(answer, method);
  CHECK(answer.status == 408);
  CHECK(answer.lists("Connection", "close"));
  CHECK(client.read_to_end().empty());
  CHECK(client.ending() == Ending::end_of_stream);
}

// A byte now and then until the server has had enough, or nobody would ever.
void drip(Client& client, std::string_view bytes) {
  constexpr std::chrono::milliseconds pause{20};
  constexpr int patience = 1'000;
  for (int i = 0; i < patience && !client.readable_within(pause); ++i) client.send(bytes);
}

}  // namespace

TEST_CASE("A head that does not come is answered 408", "[timeouts][9112-9.5-1]") {
  const auto own = server_with({"--head-timeout", "200ms"});
  {
    Client client(own->endpoint());
    client.send("GET / HTTP/1.1\r\n");
    check_timed_out(client, "GET");
  }
  {
    INFO("each byte of the head restarts its timer");
    Client client(own->endpoint());
    client.send("GET / HTTP/1.1\r\nX: ");
    drip(client, "x");
    check_timed_out(client, "GET");
  }
  {
    INFO("the second request of a connection has its own time");
    Client client(own->endpoint());
    client.send(get("/"));
    CHECK(client.read_response().status == 200);
    client.send("GET /");
    check_timed_out(client, "GET");
  }
  own->stop();
}

TEST_CASE("A body that does not come is answered 408", "[timeouts][9112-9.5-1]") {
  const auto own = server_with({"--body-timeout", "200ms"});
  {
    Client client(own->endpoint());
    client.send(request("POST", "/", "Content-Length: 5\r\n") + "hell");
    check_timed_out(client, "POST");
  }
  {
    INFO("chunks without end, a byte at a time");
    Client client(own->endpoint());
    client.send(post_chunked(""));
    drip(client, "1\r\nx\r\n");
    check_timed_out(client, "POST");
  }
  {
    INFO("a 100 was sent, and the body does not come");
    Client client(own->endpoint());
    client.send(request("POST", "/", "Content-Length: 5\r\nExpect: 100-continue\r\n"));
    CHECK(client.read_response("POST").status == 100);
    check_timed_out(client, "POST");
  }
  own->stop();
}

TEST_CASE("A silent connection is closed without a word", "[timeouts][9112-9.5-1]") {
  const auto own = server_with({"--idle-timeout", "500ms"});
  {
    INFO("from the start; a 408 would be taken for the answer to the next request");
    Client client(own->endpoint());
    CHECK(client.read_to_end().empty());
    CHECK(client.ending() == Ending::end_of_stream);
  }
  {
    INFO("after an answer");
    Client client(own->endpoint());
    client.send(get("/"));
    CHECK(client.read_response().status == 200);
    CHECK(client.read_to_end().empty());
    CHECK(client.ending() == Ending::end_of_stream);
  }
  own->stop();
}

TEST_CASE("A request has an end, however it drips", "[timeouts][9112-9.5-1]") {
  const auto own = server_with({"--request-timeout", "500ms"});
  {
    Client client(own->endpoint());
    client.send(request("POST", "/", "Content-Length: 1000000\r\n"));
    drip(client, repeated('x', 100));
    check_timed_out(client, "POST");
  }
  own->stop();
}

}  // namespace stagecraft::conformance
