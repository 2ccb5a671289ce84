// Answers that come later than their handlers return, and whom they find.
#include <string>

#include "catch.h"
#include "robustness/support.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

TEST_CASE("Requests behind a promised answer are not stranded", "[deferred]") {
  const TestServer server;
  Client client(server.endpoint());
  SECTION("in the same packet") {
    client.send(get("/slow?ms=20") + get("/plaintext") + get("/slow?ms=0") + get("/slow?ms=10") +
                get("/health"));
  }
  SECTION("sent while it is awaited") {
    client.send(get("/slow?ms=50"));
    client.wait_until_received();
    client.send(get("/plaintext") + get("/slow?ms=0"));
    client.send(get("/slow?ms=10"));
    client.send(get("/health"));
  }
  CHECK(json_number(client.read_response().body, "request") == 1);
  CHECK(client.read_response().body == "hello world\n");
  CHECK(json_number(client.read_response().body, "request") == 3);
  CHECK(json_number(client.read_response().body, "request") == 4);
  CHECK(client.read_response().body == "ok\n");
}

TEST_CASE("More behind a promised answer than one receive can bring", "[deferred]") {
  const TestServer server({"--read-buffer-size", "1KiB"});
  std::string rest;
  for (int i = 0; i < 200; ++i) rest += get("/plaintext");
  Client client(server.endpoint());
  client.send(get("/slow?ms=20") + rest);
  CHECK(client.read_response().status == 200);
  for (int i = 0; i < 200; ++i) REQUIRE(client.read_response().body == "hello world\n");
}

TEST_CASE("A promised answer after its client is gone", "[deferred]") {
  const TestServer server(with_workers(4));
  check_serves(server);
  // The thread that keeps promises has what descriptors it needs from now on.
  {
    Client first(server.endpoint());
    ask(first, "/slow?ms=0");
  }
  wait_until_at_rest(server.process());
  const std::size_t descriptors = descriptors_of(server.process());
  {
    Client reset(server.endpoint());
    Client closed(server.endpoint());
    reset.send(get("/slow?ms=50"));
    closed.send(get("/slow?ms=50") + get("/plaintext"));
    reset.wait_until_received();
    closed.wait_until_received();
    reset.reset();
  }
  Client witness(server.endpoint());
  CHECK(ask(witness, "/slow?ms=150").status == 200);
  witness.reset();
  check_descriptors(server, descriptors);
}

TEST_CASE("A promised answer does not reach who came to its descriptor", "[deferred]") {
  const TestServer server;
  std::int64_t gone = 0;
  {
    Client first(server.endpoint());
    gone = json_number(ask(first, "/whoami").body, "connection");
    first.send(get("/slow?ms=150"));
    first.wait_until_received();
    first.reset();
  }
  wait_until_at_rest(server.process());
  Client next(server.endpoint());
  // Longer than the first promise: when this is kept, that has been.
  const std::string answer = ask(next, "/slow?ms=300").body;
  const std::int64_t connection = json_number(answer, "connection");
  CHECK(connection != gone);
  CHECK(json_number(answer, "request") == 1);
  CHECK(json_number(ask(next, "/whoami").body, "connection") == connection);
}

TEST_CASE("A timer does not reach who came to its descriptor", "[deferred]") {
  const TestServer server({"--head-timeout", "150ms"});
  {
    Client first(server.endpoint());
    first.send("GET / HT");
    first.wait_until_received();
    first.reset();
  }
  wait_until_at_rest(server.process());
  Client next(server.endpoint());
  const std::string answer = ask(next, "/slow?ms=300").body;
  CHECK(json_number(answer, "request") == 1);
  CHECK(ask(next, "/plaintext").status == 200);
}

TEST_CASE("An answer that is too late is dropped", "[deferred]") {
  const TestServer server({"--answer-timeout", "50ms", "--linger-timeout", "400ms"});
  Client late(server.endpoint());
  // What follows is not read any more: so the connection stays until we have seen its end.
  late.send(get("/slow?ms=200") + get("/plaintext"));
  const HttpResponse refusal = late.read_response();
  CHECK(refusal.status == 503);
  CHECK(refusal.lists("Connection", "close"));
  // Each takes a quarter of the time after which the first answer comes to nobody.
  for (int i = 0; i < 4; ++i) {
    Client other(server.endpoint());
    CHECK(ask(other, "/slow?ms=0").status == 200);
    CHECK(ask(other, "/slow?ms=5000").status == 503);
  }
  CHECK(late.read_to_end().empty());
  check_serves(server);
}

}  // namespace stagecraft::robustness
