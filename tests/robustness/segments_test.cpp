// Answers to a batch of requests leave together, and do not wait for each other's acknowledgement.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "robustness/support.h"
#include "support/requests.h"
#include "support/system_calls.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

// Sixteen small segments, each sent by itself, are what Nagle's algorithm and delayed
// acknowledgements make 40 ms of.
TEST_CASE("The answers to one packet of requests are one packet", "[segments]") {
  constexpr int batches = 10;
  constexpr int in_batch = 16;
  TestServer server;
  std::string batch;
  for (int i = 0; i < in_batch; ++i) batch += get("/plaintext");
  {
    Client client(server.endpoint());
    for (int i = 0; i < batches; ++i) {
      client.send(batch);
      for (int k = 0; k < in_batch; ++k) REQUIRE(client.read_response().status == 200);
    }
  }
  server.control().stop();
  CHECK(server.trace().events("read_bytes").size() == batches);
  CHECK(server.trace().events("write").size() == batches);
}

#ifdef STAGECRAFT_STRACE

// Where answers to one client do leave one by one, no segment may wait for the one before.
TEST_CASE("Every connection is told not to delay what is sent", "[segments]") {
  const ScratchFolder folder;
  const std::string file = folder.path("calls");
  TestServer server({}, strace_to(file, "accept,accept4,setsockopt"));
  constexpr int clients = 3;
  for (int i = 0; i < clients; ++i) check_serves(server);
  server.control().stop();
  const std::vector<SystemCall> calls = system_calls_in(file);
  const auto undelayed = std::count_if(calls.begin(), calls.end(), [](const SystemCall& call) {
    return call.text.find("TCP_NODELAY, [1]") != std::string::npos && call.result() == 0;
  });
  CHECK(undelayed == clients);
}

#endif

}  // namespace stagecraft::robustness
