// Handlers that take their time, held in gates; and the threads that all of them need.
#include <deque>
#include <string>

#include "capability/capabilities.h"
#include "capability/crowd.h"
#include "catch.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::capability {

using namespace testing;

namespace {

bool serves_another(const TestServer& server) {
  Client another(server.endpoint());
  another.send(get("/plaintext"));
  return server.answers(another);
}

std::string of_three(std::size_t inside) { return inside == 3 ? "3 of 3" : std::to_string(inside); }

}  // namespace

TEST_CASE("A client is served while a handler waits", "[handlers]") {
  const TestServer server(workers(2));
  HeldHandlers held(server);
  REQUIRE(held.enter());
  check_capability("handler-blocks", serves_another(server));
}

TEST_CASE("A client is served while as many handlers wait as there are workers", "[handlers]") {
  const TestServer server(workers(2));
  HeldHandlers held(server);
  held.enter(2);
  check_capability("handlers-block", serves_another(server));
}

TEST_CASE("An answer that is ready waits for no handler behind it", "[handlers]") {
  const TestServer server(workers(2));
  Gate gate = server.gate("g");
  Client client(server.endpoint());
  client.send(get("/plaintext") + get(gate.target()));
  gate.wait_until_entered();
  check_capability("ready-answer", server.answers(client));
  gate.let_go();
  CHECK(client.read_response().body == "hello world\n");
  CHECK(client.read_response().status == 200);
}

TEST_CASE("So many handlers are inside at once", "[handlers]") {
  const TestServer server(workers(2));
  HeldHandlers held(server);
  check_capability("handlers-at-once", of_three(held.enter(3)));
}

TEST_CASE("A pool grows to --workers-max and not further", "[handlers]") {
  if (!has_capability_to_show("workers-grow")) return;
  const TestServer server(workers(1, 3));
  HeldHandlers held(server);
  check_capability("workers-grow", std::to_string(held.enter(4)));
}

TEST_CASE("Each handler has a thread with --executor thread", "[handlers]") {
  if (!has_capability_to_show("executor-thread")) return;
  std::vector<std::string> options = workers(1);
  options.insert(options.end(), {"--executor", "thread"});
  const TestServer server(options);
  HeldHandlers held(server);
  check_capability("executor-thread", of_three(held.enter(3)));
}

TEST_CASE("A handler holds up a loop with --executor inline", "[handlers]") {
  if (!has_capability_to_show("executor-inline")) return;
  std::vector<std::string> options{"--executor", "inline"};
  if (program_has("--concurrency")) options.insert(options.end(), {"--concurrency", "2"});
  const TestServer server(options);
  // Of the two who come now, each gets a loop of his own, where there are two.
  Client other(server.endpoint());
  ask(other, "/plaintext");
  HeldHandlers held(server);
  REQUIRE(held.enter());
  other.send(get("/plaintext"));
  const bool other_served = server.answers(other);
  CHECK_FALSE(server.answers(held.last()));
  check_capability("executor-inline", std::string(other_served ? "its loop" : "everyone"));
}

TEST_CASE("Clients cost threads only where each has one", "[threads]") {
  constexpr std::size_t count = 64;
  const TestServer server(workers(2));
  std::deque<Client> clients;
  // One before we count, so that what is started for the first client is there.
  const auto one_more = [&] {
    clients.emplace_back(server.endpoint());
    clients.back().send(get("/plaintext"));
    server.answers(clients.back());
  };
  one_more();
  const std::size_t before = threads_of(server.process()).size();
  for (std::size_t i = 0; i < count; ++i) one_more();
  const std::size_t after = threads_of(server.process()).size();
  check_capability("threads-per-client", std::to_string(after - before));
}

}  // namespace stagecraft::capability
