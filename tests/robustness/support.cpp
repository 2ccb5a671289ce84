#include "robustness/support.h"

#include <sched.h>

#include <random>

#include "catch.h"
#include "support/deadline.h"
#include "support/process_view.h"
#include "support/requests.h"

namespace stagecraft::robustness {

std::vector<std::string> with_workers(std::size_t count, std::vector<std::string> options) {
  if (testing::program_has("--workers")) {
    const std::string number = std::to_string(count);
    options.insert(options.end(), {"--workers", number, "--workers-max", number});
  }
  return options;
}

std::vector<std::string> echo(std::vector<std::string> options) {
  options.insert(options.end(), {"--app", "echo"});
  return options;
}

void check_serves(const testing::TestServer& server) {
  testing::Client client(server.endpoint());
  client.send(testing::get("/", "Connection: close\r\n"));
  CHECK(client.read_response().status == 200);
}

void check_descriptors(const testing::TestServer& server, std::size_t count) {
  const testing::Deadline deadline;
  while (testing::descriptors_of(server.process()) != count && !deadline.passed()) sched_yield();
  // Fewer is no leak: one that was just being closed may have counted at the beginning.
  CHECK(testing::descriptors_of(server.process()) <= count);
}

std::string noise(std::size_t size) {
  std::mt19937_64 random(1);  // the same each time
  std::string bytes;
  bytes.reserve(size + sizeof(std::uint64_t));
  while (bytes.size() < size) {
    const std::uint64_t next = random();
    bytes.append(reinterpret_cast<const char*>(&next), sizeof next);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace stagecraft::robustness
