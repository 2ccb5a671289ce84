// Connections that have stopped speaking HTTP: /raw gives back what it gets.
#include <csignal>
#include <string>
#include <string_view>

#include "catch.h"
#include "robustness/support.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

namespace {

constexpr std::string_view upgrade = "Connection: Upgrade\r\nUpgrade: echo\r\n";

void check_switched(const HttpResponse& answer) {
  CHECK(answer.status == 101);
  CHECK(answer.lists("Connection", "upgrade"));
  CHECK(answer.field("Upgrade") == "echo");
}

}  // namespace

TEST_CASE("A client that offers to is switched to echo, and gets back all that it sends", "[raw]") {
  const TestServer server;
  Client client(server.endpoint());
  client.send(get("/raw", upgrade));
  check_switched(client.read_response());
  const std::string bytes = noise(mebibyte);
  client.send(bytes);
  client.finish_sending();
  CHECK(client.read_to_end() == bytes);
  CHECK(client.ending() == Ending::end_of_stream);
  check_serves(server);
}

TEST_CASE("Bytes that come along with the request are the first of the echo", "[raw]") {
  const TestServer server;
  const std::string head = get("/raw", upgrade);
  SECTION("all at once, with the end") {
    Client client(server.endpoint());
    client.send(head + "GET / HTTP/1.1\r\n\r\n");  // which is no request any more
    client.finish_sending();
    check_switched(client.read_response());
    CHECK(client.read_to_end() == "GET / HTTP/1.1\r\n\r\n");
    CHECK(client.ending() == Ending::end_of_stream);
  }
  SECTION("behind another request, and in pieces") {
    Client client(server.endpoint());
    const std::string before = get("/plaintext") + head + "one";
    client.send_cut(before + "two", {before.size() - 4, before.size() - 1, before.size()});
    client.finish_sending();
    CHECK(client.read_response().status == 200);
    check_switched(client.read_response());
    CHECK(client.read_to_end() == "onetwo");
  }
}

TEST_CASE("Who does not ask for echo is told to, and may go on in HTTP", "[raw]") {
  const TestServer server;
  Client client(server.endpoint());
  for (const std::string_view fields : {"", "Upgrade: echo\r\n", "Connection: Upgrade\r\n",
                                        "Connection: Upgrade\r\nUpgrade: websocket\r\n"}) {
    CAPTURE(fields);
    client.send(get("/raw", fields));
    const HttpResponse answer = client.read_response();
    CHECK(answer.status == 426);
    CHECK(answer.field("Upgrade") == "echo");
    CHECK(answer.lists("Connection", "upgrade"));
  }
  CHECK(ask(client, "/plaintext").status == 200);
}

TEST_CASE("An offer of HTTP/1.0 to be switched means nothing", "[raw]") {
  const TestServer server;
  Client client(server.endpoint());
  client.send("GET /raw HTTP/1.0\r\n" + std::string(upgrade) + "\r\n");
  CHECK(client.read_response().status == 426);
  client.read_to_end();
}

TEST_CASE("An echo that says nothing is closed when its time is up", "[raw]") {
  const TestServer server({"--idle-timeout", "200ms"});
  Client client(server.endpoint());
  client.send(get("/raw", upgrade) + "hello");
  check_switched(client.read_response());
  CHECK(client.read_to_end() == "hello");
  check_serves(server);
}

TEST_CASE("An echo lasts longer than a request may", "[raw]") {
  const TestServer server({"--request-timeout", "300ms", "--idle-timeout", "60s"});
  Client client(server.endpoint());
  client.send(get("/raw", upgrade));
  check_switched(client.read_response());
  // A letter now and then, for longer than that.
  std::string sent;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
  while (std::chrono::steady_clock::now() < end && client.ending() == Ending::open) {
    sent += 'x';
    client.send("x");
    client.readable_within(std::chrono::milliseconds(10));
  }
  client.finish_sending();
  CHECK(client.read_to_end() == sent);
}

TEST_CASE("An echo does not keep the server from ending", "[raw]") {
  TestServer server({"--grace", "300ms"});
  Client client(server.endpoint());
  client.send(get("/raw", upgrade) + "hello");
  check_switched(client.read_response());
  kill(server.process(), SIGTERM);
  CHECK(client.read_to_end() == "hello");
  CHECK(server.control().wait_for_end() == "exit status 0");
  CHECK(server.control().errors().empty());
}

TEST_CASE("A client that resets its echo costs nobody else anything", "[raw]") {
  const TestServer server(with_workers(2));
  Client client(server.endpoint());
  client.send(get("/raw", upgrade) + "hello");
  check_switched(client.read_response());
  client.reset();
  check_serves(server);
}

}  // namespace stagecraft::robustness
