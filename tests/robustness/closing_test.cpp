// Ends that the server brings about: of connections without use, and its own.
#include <csignal>
#include <string>

#include "catch.h"
#include "robustness/support.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

namespace {

// A byte now and then, until the server has had enough.
void drip(Client& client, const std::string& bytes) {
  constexpr std::chrono::milliseconds pause{10};
  constexpr int patience = 2'000;
  for (int i = 0; i < patience && !client.readable_within(pause); ++i) client.send(bytes);
}

}  // namespace

TEST_CASE("An idle connection is closed without a 408", "[closing]") {
  const TestServer server({"--idle-timeout", "200ms"});
  Client client(server.endpoint());
  CHECK(ask(client, "/plaintext").status == 200);
  CHECK(client.read_to_end().empty());
  CHECK(client.ending() == Ending::end_of_stream);
}

TEST_CASE("A client who drips does not keep the server from ending", "[closing]") {
  TestServer server({"--grace", "300ms", "--head-timeout", "60s", "--body-timeout", "60s"});
  Client client(server.endpoint());
  std::string piece;
  SECTION("a head") {
    client.send("GET / HTTP/1.1\r\nX: ");
    piece = "x";
  }
  SECTION("a body") {
    client.send(request("POST", "/echo", "Content-Length: 1000000\r\n"));
    piece = "x";
  }
  SECTION("requests") { piece = get("/plaintext"); }
  client.send(piece);
  client.wait_until_received();
  kill(server.process(), SIGTERM);
  drip(client, piece);
  CHECK(server.control().wait_for_end() == "exit status 0");
  INFO("it has not to be ended by force, of which it would complain");
  CHECK(server.control().errors().empty());
}

TEST_CASE("Clients in every state do not keep the server from ending", "[closing]") {
  TestServer server(with_workers(8, {"--grace", "300ms"}));
  server.folder().write("files/large", noise(16 * mebibyte));
  Gate gate = server.gate("g");
  Client reader(server.endpoint(), small_buffer);
  reader.send(get("/files/large"));
  const Client silent(server.endpoint());
  Client half_head(server.endpoint());
  half_head.send("GET / HT");
  Client half_body(server.endpoint());
  half_body.send(request("POST", "/echo", "Content-Length: 1000\r\n") + "half");
  Client lingering(server.endpoint());
  lingering.send(request("POST", "/nothing", "Content-Length: 10000000\r\n") + "some");
  Client promised(server.endpoint());
  promised.send(get("/slow?ms=10000"));
  Client inside(server.endpoint());
  inside.send(get(gate.target()));
  const bool entered = server.enters(gate, inside);
  kill(server.process(), SIGTERM);
  if (entered) gate.let_go();
  CHECK(server.control().wait_for_end() == "exit status 0");
  gate.forget();
  CHECK(server.control().errors().empty());
}

}  // namespace stagecraft::robustness
