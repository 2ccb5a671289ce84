// Clients that connect and say nothing, or nothing more.
#include <deque>
#include <string>

#include "capability/capabilities.h"
#include "capability/crowd.h"
#include "catch.h"
#include "support/open_files.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::capability {

using namespace testing;

namespace {

// Whether a new client is answered; those who are there already do nothing meanwhile.
bool serves_another(const TestServer& server) {
  Client another(server.endpoint());
  another.send(get("/plaintext"));
  if (!server.answers(another)) return false;
  CHECK(another.read_response().status == 200);
  return true;
}

// Whether another client is served when `count` have been, as far as they were, and stay.
bool serves_another_beside(std::size_t count) {
  std::vector<std::string> options{"--trace", "/dev/null"};
  if (program_has("--max-connections")) {
    options.insert(options.end(), {"--max-connections", std::to_string(count + 1)});
  }
  const TestServer server(options);
  std::deque<Client> clients;
  for (std::size_t i = 0; i < count; ++i) {
    clients.emplace_back(server.endpoint());
    clients.back().send(get("/plaintext"));
    // All at once could be more than may wait to be accepted. And who is not accepted now is not
    // accepted for all those who follow.
    if (i % 256 == 0 && !server.answers(clients.back())) break;
  }
  server.answers(clients.back());
  return serves_another(server);
}

}  // namespace

TEST_CASE("A client is served while another is silent", "[silent]") {
  const TestServer server(workers(2));
  const Client silent(server.endpoint());
  check_capability("silent-client", serves_another(server));
}

TEST_CASE("A client is served while as many others are silent as there are workers", "[silent]") {
  const TestServer server(workers(2));
  const Client silent(server.endpoint());
  const Client silent_too(server.endpoint());
  check_capability("silent-clients", serves_another(server));
}

TEST_CASE("A client who was served while another was silent had not to wait for him", "[silent]") {
  const TestServer server(workers(2));
  Client silent(server.endpoint());
  wait_until_at_rest(server.process());
  Client other(server.endpoint());
  other.send(get("/whoami"));
  const bool served = server.answers(other);
  const std::string first = ask(silent, "/whoami").body;
  {
    INFO("now that the silent one has spoken and goes, both have their answers");
    silent.finish_sending();
    const std::string second = other.read_response().body;
    CHECK(served == (json_number(second, "entered_us") <= json_number(first, "entered_us")));
  }
}

TEST_CASE("A client is served while 1,000 stay", "[idle-1000]") {
  check_capability("idle-1000", serves_another_beside(1'000));
}

// In the tests of the night: the kernel alone needs a while for so many connections.
TEST_CASE("A client is served while 10,000 stay", "[.][idle-10000]") {
  constexpr std::size_t count = 10'000;
  REQUIRE(open_files() > count + 100);
  check_capability("idle-10000", serves_another_beside(count));
}

}  // namespace stagecraft::capability
