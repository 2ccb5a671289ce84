// Clients who go, one way or the other, while the server is doing something for them.
#include <deque>
#include <string>

#include "catch.h"
#include "robustness/support.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

TEST_CASE("A reset while the handler runs", "[resets]") {
  const TestServer server(with_workers(2));
  check_serves(server);
  wait_until_at_rest(server.process());
  const std::size_t descriptors = descriptors_of(server.process());
  Gate gate = server.gate("g");
  Client client(server.endpoint());
  client.send(get(gate.target()) + get("/plaintext"));
  gate.wait_until_entered();
  client.reset();
  // That the socket is broken must not be told again and again.
  wait_until_at_rest(server.process());
  gate.let_go();
  check_serves(server);
  check_descriptors(server, descriptors);
}

TEST_CASE("A reset while the request waits for a worker", "[resets]") {
  const TestServer server(with_workers(1));
  Gate gate = server.gate("g");
  Client holding(server.endpoint());
  holding.send(get(gate.target(), "Connection: close\r\n"));
  gate.wait_until_entered();
  Client gone(server.endpoint());
  gone.send(get("/block?ms=0") + get("/block?ms=0"));
  server.answers(gone);
  gone.reset();
  wait_until_at_rest(server.process());
  gate.let_go();
  CHECK(holding.read_response().status == 200);
  check_serves(server);
}

TEST_CASE("A reset while the answer is promised", "[resets]") {
  const TestServer server(with_workers(3, {"--grace", "0"}));
  Client client(server.endpoint());
  client.send(get("/slow?ms=2000"));
  client.wait_until_received();
  Client witness(server.endpoint());
  witness.send(get("/slow?ms=1500"));
  client.reset();
  wait_until_at_rest(server.process());
  // It did not spin until the promise was kept.
  CHECK_FALSE(witness.readable());
  witness.reset();
  check_serves(server);
}

TEST_CASE("A reset while the answer is sent", "[resets]") {
  const TestServer server(echo());
  check_serves(server);
  wait_until_at_rest(server.process());
  const std::size_t descriptors = descriptors_of(server.process());
  for (int i = 0; i < 3; ++i) {
    Client client(server.endpoint(), small_buffer);
    client.send(get("/large?n=" + std::to_string(32 * mebibyte)));
    client.wait_until_readable();
    wait_until_at_rest(server.process());  // the kernel takes no more
    client.reset();
  }
  check_serves(server);
  check_descriptors(server, descriptors);
}

TEST_CASE("A write to a broken connection is no signal that ends the server", "[resets]") {
  const TestServer server;
  server.folder().write("files/large", noise(16 * mebibyte));
  {
    Client client(server.endpoint(), small_buffer);
    client.send(get("/files/large") + get("/files/large"));
    client.wait_until_readable();
    // The end first: after that a reset makes the next write fail with EPIPE, and sendfile(2)
    // knows no way to leave its signal out.
    client.finish_sending();
    wait_until_at_rest(server.process());
    client.reset();
  }
  check_serves(server);
}

TEST_CASE("Resets before anything was said", "[resets]") {
  const TestServer server;
  for (int i = 0; i < 50; ++i) {
    Client client(server.endpoint());
    if (i % 2 == 0) client.send("GET / HTTP/1.1\r\nHo");
    client.reset();
  }
  check_serves(server);
}

TEST_CASE("A half-closed client is answered, and is no reason to spin", "[resets]") {
  const TestServer server(with_workers(2));
  Client client(server.endpoint());
  SECTION("while the handler runs") {
    Gate gate = server.gate("g");
    client.send(get("/plaintext") + get(gate.target()) + get("/health"));
    client.finish_sending();
    gate.wait_until_entered();
    wait_until_at_rest(server.process());
    gate.let_go();
  }
  SECTION("while the answer is promised") {
    Client witness(server.endpoint());
    client.send(get("/plaintext") + get("/slow?ms=600") + get("/health"));
    client.finish_sending();
    client.wait_until_received();
    witness.send(get("/slow?ms=500"));
    wait_until_at_rest(server.process());
    CHECK_FALSE(witness.readable());
  }
  SECTION("when all was ready") {
    client.send(get("/plaintext") + get("/whoami") + get("/health"));
    client.finish_sending();
  }
  CHECK(client.read_response().body == "hello world\n");
  CHECK(json_number(client.read_response().body, "request") == 2);
  CHECK(client.read_response().body == "ok\n");
  CHECK(client.read_to_end().empty());
  CHECK(client.ending() == Ending::end_of_stream);
}

TEST_CASE("A client who half-closed and reads nothing is no reason to spin", "[resets]") {
  const TestServer server(echo());
  Client client(server.endpoint(), small_buffer);
  client.send(get("/large?n=" + std::to_string(8 * mebibyte)));
  client.finish_sending();
  client.wait_until_readable();
  wait_until_at_rest(server.process());
  CHECK(client.read_response().body.size() == 8 * mebibyte);
  CHECK(client.read_to_end().empty());
}

}  // namespace stagecraft::robustness
