// Several loops, and several processes, at one port.
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "capability/capabilities.h"
#include "catch.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::capability {

using namespace testing;

namespace {

// A new client, and the number of the loop that has got it.
std::int64_t loop_of(Client& client) { return json_number(ask(client, "/whoami").body, "loop"); }

// Who answers for a server of several at one port: the file that it has.
std::string name_at(const Endpoint& endpoint) {
  Client client(endpoint);
  return ask(client, "/files/name.txt").body;
}

}  // namespace

TEST_CASE("A new client goes to the loop that has the fewest", "[loops]") {
  if (!has_capability_to_show("placement")) return;
  const TestServer server({"--concurrency", "3"});
  std::deque<Client> all;
  std::map<std::int64_t, std::vector<Client*>> of_loop;
  for (int i = 0; i < 9; ++i) {
    Client& client = all.emplace_back(server.endpoint());
    of_loop[loop_of(client)].push_back(&client);
  }
  CHECK(of_loop.size() == 3);
  for (const auto& [loop, those] : of_loop) CHECK(those.size() == 3);
  const std::int64_t left = of_loop.rbegin()->first;
  for (Client* client : of_loop[left]) client->reset();
  server.trace().wait_for("close", 3);
  wait_until_at_rest(server.process());
  int there = 0;
  for (int i = 0; i < 3; ++i) there += loop_of(all.emplace_back(server.endpoint())) == left ? 1 : 0;
  check_capability("placement", there == 3 ? std::string("the emptiest") : std::string("any"));
}

TEST_CASE("Two processes can share a port", "[loops]") {
  if (!has_capability_to_show("reuse-port")) return;
  TestServer first({"--reuse-port", "on"});
  const std::string port = std::to_string(first.endpoint().port);
  TestServer second({"--reuse-port", "on", "--port", port});
  first.folder().write("files/name.txt", "first");
  second.folder().write("files/name.txt", "second");
  std::map<std::string, int> answered;
  // The kernel throws a coin for each: that all 64 fall on one side does not happen.
  for (int i = 0; i < 64; ++i) ++answered[name_at(first.endpoint())];
  check_capability("reuse-port", std::to_string(answered.size()));
  first.control().stop();
  for (int i = 0; i < 8; ++i) CHECK(name_at(first.endpoint()) == "second");
}

TEST_CASE("Each loop has a listener of its own with --reuse-port", "[loops]") {
  if (!has_capability_to_show("reuse-port")) return;
  const TestServer server({"--reuse-port", "on", "--concurrency", "2"});
  std::map<std::int64_t, int> clients;
  for (int i = 0; i < 64; ++i) {
    Client client(server.endpoint());
    ++clients[loop_of(client)];
  }
  CHECK(clients.size() == 2);
}

}  // namespace stagecraft::capability
