// Answers that are promised, and made later by another thread (/slow).
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>

#include "capability/capabilities.h"
#include "capability/crowd.h"
#include "catch.h"
#include "support/deadline.h"
#include "support/open_files.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/socket_queue.h"
#include "support/test_server.h"

namespace stagecraft::capability {

using namespace testing;

namespace {

// The longest that it takes: within this test such a promise is not kept. What the server is then
// not given time for is cut off.
constexpr std::string_view promised = "/slow?ms=10000";

std::vector<std::string> in_a_hurry(std::vector<std::string> options) {
  options.insert(options.end(), {"--grace", "0"});
  return options;
}

// Clients to whom an answer is promised, as far as the server has come to them.
class Promised {
 public:
  Promised(const TestServer& server, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      clients_.emplace_back(server.endpoint()).send(get(promised));
    }
    for (const Client& client : clients_) {
      while (on_the_way_to_peer(client.descriptor()) > 0) sched_yield();
    }
    server.answers(clients_.back());
  }

  // How many requests have been received; none has been answered.
  std::size_t waiting() {
    return static_cast<std::size_t>(
        std::count_if(clients_.begin(), clients_.end(), [](Client& client) {
          return !client.readable() && unread_by_peer(client.descriptor()).value_or(1) == 0;
        }));
  }

 private:
  std::deque<Client> clients_;
};

}  // namespace

TEST_CASE("A client is served while answers are promised to others", "[deferred]") {
  const TestServer server(in_a_hurry(workers(2)));
  const Promised others(server, 2);
  Client another(server.endpoint());
  another.send(get("/plaintext"));
  check_capability("deferred-holds", server.answers(another));
}

TEST_CASE("So many answers can be promised at once", "[deferred]") {
  const TestServer server(in_a_hurry(workers(8)));
  check_capability("deferred-at-once", std::to_string(Promised(server, 500).waiting()));
}

// In the tests of the night. Connected first, so that what is measured is the answering.
TEST_CASE("Very many promises are kept in time", "[.][deferred-19000]") {
  if (!has_capability_to_show("deferred-19000")) return;
  constexpr std::size_t count = 19'000;
  REQUIRE(open_files() > count + 100);
  const TestServer server({"--trace", "/dev/null", "--max-connections", "20000"});
  std::deque<Client> clients;
  for (std::size_t i = 0; i < count; ++i) {
    clients.emplace_back(server.endpoint());
    if (i % 256 == 0) wait_until_at_rest(server.process());
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (Client& client : clients) client.send(get("/slow?ms=1000"));
  for (Client& client : clients) REQUIRE(client.read_response().status == 200);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  // What they promise is a second; what is beyond it, our own asking and reading included, is told.
  const bool in_time = took < scaled(std::chrono::milliseconds{3'000});
  check_capability("deferred-19000", std::string(in_time ? "in time" : "late"),
                   std::to_string(took.count()) + " ms");
}

TEST_CASE("Each of many promises is kept", "[deferred]") {
  const TestServer server(workers(8));
  std::deque<Client> clients;
  constexpr int count = 100;
  for (int i = 0; i < count; ++i) {
    clients.emplace_back(server.endpoint()).send(get("/slow?ms=1&close=1"));
  }
  for (Client& client : clients) CHECK(client.read_response().status == 200);
}

}  // namespace stagecraft::capability
