// What clients cost who have asked and may ask again.
#include <deque>
#include <string>

#include "capability/capabilities.h"
#include "catch.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::capability {

using namespace testing;

// Sanitizers keep a shadow of all memory, and what is freed; and that of threads wakes up by
// itself.
#ifndef STAGECRAFT_SANITIZED

namespace {

std::string size_text(std::size_t bytes) {
  constexpr std::size_t kibibyte = 1024;
  if (bytes < 10 * kibibyte) return std::to_string(bytes) + " B";
  return std::to_string(bytes / kibibyte) + " KiB";
}

}  // namespace

TEST_CASE("An idle connection costs next to nothing", "[idle]") {
  if (!has_capability_to_show("idle-memory")) return;
  const TestServer server({"--trace", "/dev/null"});
  std::deque<Client> clients;
  const auto connect = [&](int count) {
    for (int i = 0; i < count; ++i) {
      REQUIRE(ask(clients.emplace_back(server.endpoint()), "/plaintext").status == 200);
    }
    wait_until_at_rest(server.process());
    return private_memory_bytes_of(server.process());
  };
  constexpr int measured = 1'000;
  const std::size_t before = connect(200);  // what is there once is there by then
  const std::size_t each = (connect(measured) - before) / measured;
  const std::string found = each <= 1'024 ? "at most 1 KiB" : "more than 1 KiB";
  check_capability("idle-memory", found, size_text(each));
}

TEST_CASE("Nothing at all is done while all clients are idle", "[idle]") {
  const TestServer server;
  std::deque<Client> clients;
  for (int i = 0; i < 20; ++i) clients.emplace_back(server.endpoint()).send(get("/plaintext"));
  server.answers(clients.back());
  wait_until_at_rest(server.process());
  const std::vector<ThreadView> before = threads_of(server.process());
  // Time goes by that is measured by something else: another server keeps its word in the meantime.
  const TestServer clock;
  Client waiting(clock.endpoint());
  CHECK(ask(waiting, "/slow?ms=1100").status == 200);
  const bool same = threads_of(server.process()) == before;
  check_capability("idle-work", std::string(same ? "nothing" : "something"));
}

#endif

}  // namespace stagecraft::capability
