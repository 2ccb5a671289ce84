// Clients who want all of the server for themselves.
#include <string>

#include "capability/capabilities.h"
#include "capability/crowd.h"
#include "catch.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::capability {

using namespace testing;

namespace {

// One loop, where there are loops: to be served by another would prove nothing.
std::vector<std::string> one_loop(std::vector<std::string> options) {
  if (program_has("--concurrency")) options.insert(options.end(), {"--concurrency", "1"});
  options.insert(options.end(), {"--trace", "/dev/null"});
  return options;
}

// Whether `other` is answered while `greedy` still has answers to come, of very many for which it
// has asked without waiting for any.
bool answered_beside_asker(Client& greedy, Client& other) {
  constexpr int in_batch = 64;
  constexpr int batches = 300;
  std::string batch;
  for (int i = 0; i < in_batch; ++i) batch += get("/plaintext");
  greedy.send(batch);
  greedy.read_response();
  other.send(get("/plaintext"));
  for (int i = 1; i < batches && !other.readable(); ++i) greedy.send(batch);
  for (int i = 1; i < batches * in_batch && !other.readable(); ++i) greedy.read_response();
  return other.readable();
}

}  // namespace

TEST_CASE("A client is served while another asks without end", "[fairness]") {
  // Nor is a second worker to be what makes it fair.
  const TestServer server(one_loop(workers(1)));
  Client greedy(server.endpoint());
  Client other(server.endpoint());
  check_capability("greedy-asker", answered_beside_asker(greedy, other));
  greedy.reset();
}

TEST_CASE("A client is served while another is sent very much", "[fairness]") {
  constexpr std::size_t much = std::size_t{64} << 20U;
  std::vector<std::string> options = one_loop(workers(2));
  options.insert(options.end(), {"--app", "echo"});
  const TestServer server(options);
  Client reader(server.endpoint());
  reader.send(get("/large?n=" + std::to_string(much)));
  reader.wait_until_readable();
  Client other(server.endpoint());
  other.send(get("/"));
  while (!other.readable() && reader.available() < much) reader.wait_until_readable();
  const bool served = other.readable();
  CHECK(reader.read_response().body.size() == much);
  reader.reset();
  CHECK(other.read_response().status == 200);
  check_capability("greedy-reader", served);
}

}  // namespace stagecraft::capability
