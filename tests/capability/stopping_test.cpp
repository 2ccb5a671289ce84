// The end of a server, and the next beginning.
#include <sched.h>

#include <csignal>
#include <deque>
#include <optional>
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

// Sends SIGTERM, and waits until the server has done for it what it can do now.
void tell_to_stop(const TestServer& server) {
  kill(server.process(), SIGTERM);
  const Deadline deadline;
  while (signal_pending(server.process(), SIGTERM) && !deadline.passed()) sched_yield();
  wait_until_at_rest(server.process());
}

// A client whose request waits in a gate, or for its turn.
struct Waiting {
  Waiting(const TestServer& server, int number)
      : gate(server.folder(), "g" + std::to_string(number)), client(server.endpoint()) {
    client.send(get(gate.target()));
  }

  Gate gate;
  Client client;
  bool answered = false;
};

// Lets them go as they get in, and returns how many were answered.
int let_go(std::deque<Waiting>& all) {
  int count = 0;
  const Deadline deadline;
  while (count < static_cast<int>(all.size()) && !deadline.passed()) {
    for (Waiting& each : all) {
      if (each.answered || !each.gate.entered()) continue;
      each.gate.let_go();
      CHECK(each.client.read_response().status == 200);
      each.answered = true;
      ++count;
    }
    sched_yield();
  }
  return count;
}

}  // namespace

TEST_CASE("All requests are answered that were there when it was told to stop", "[stopping]") {
  TestServer server({"--grace", "60s"});
  std::deque<Waiting> all;
  // With the first one inside: where it holds up everybody, the others are not even accepted.
  all.emplace_back(server, 0).gate.wait_until_entered();
  for (int i = 1; i < 20; ++i) all.emplace_back(server, i);
  server.answers(all.back().client);
  tell_to_stop(server);
  check_capability("drain", std::to_string(let_go(all)));
  for (Waiting& each : all) {
    CHECK(each.client.read_to_end().empty());
    CHECK(each.client.ending() == Ending::end_of_stream);
  }
  CHECK(server.control().wait_for_end() == "exit status 0");
}

TEST_CASE("A second signal ends it at once", "[stopping]") {
  TestServer server({"--grace", "60s"});
  Waiting waiting(server, 1);
  waiting.gate.wait_until_entered();
  tell_to_stop(server);
  kill(server.process(), SIGTERM);
  const std::string end = server.control().wait_for_end();
  waiting.gate.forget();
  INFO(end);
  check_capability("second-signal", end.find("signal 15") == 0);
}

TEST_CASE("It ends although clients say nothing", "[stopping]") {
  TestServer server({"--grace", "60s"});
  std::deque<Client> clients;
  for (int i = 0; i < 2; ++i) clients.emplace_back(server.endpoint()).send(get("/plaintext"));
  server.answers(clients.back());
  for (int i = 0; i < 2; ++i) clients.emplace_back(server.endpoint());
  server.answers(clients.back());
  kill(server.process(), SIGTERM);
  // Its grace and its patience with idle clients are longer than ours.
  check_capability("silent-at-stop", server.control().wait_for_end() == "exit status 0");
}

TEST_CASE("It can start again at once on the same port", "[stopping]") {
  std::optional<TestServer> server(std::in_place);
  const std::string port = std::to_string(server->endpoint().port);
  Client client(server->endpoint());
  ask(client, "/plaintext");
  // It closes first, so its end of the connection stays with the kernel for a minute.
  server->control().stop();
  CHECK(client.read_to_end().empty());
  server.reset();
  const TestServer next({"--port", port});
  Client another(next.endpoint());
  check_capability("restart", ask(another, "/plaintext").status == 200);
}

}  // namespace stagecraft::capability
