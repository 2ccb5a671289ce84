// What is used up: descriptors, places in a queue, connections.
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <filesystem>
#include <string>

#include "catch.h"
#include "robustness/support.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

namespace {

constexpr std::size_t few_descriptors = 32;

std::vector<std::string> with_few_descriptors() {
  return {"/bin/sh", "-c",
          "ulimit -n " + std::to_string(few_descriptors) + " && exec \"$0\" \"$@\""};
}

// Takes from a process, for as long as this lives, the right to open one descriptor more.
class NoDescriptorsLeft {
 public:
  explicit NoDescriptorsLeft(pid_t process) : process_(process) {
    wait_until_at_rest(process);  // what it has just sent it has closed by then
    const std::filesystem::path open = "/proc/" + std::to_string(process) + "/fd";
    rlim_t free = 0;  // the lowest number that is, which is the one that would be given out next
    while (std::filesystem::exists(std::filesystem::symlink_status(open / std::to_string(free)))) {
      ++free;
    }
    REQUIRE(prlimit(process_, RLIMIT_NOFILE, nullptr, &former_) == 0);
    const rlimit lowered{std::min(free, former_.rlim_max), former_.rlim_max};
    REQUIRE(prlimit(process_, RLIMIT_NOFILE, &lowered, nullptr) == 0);
  }
  ~NoDescriptorsLeft() { prlimit(process_, RLIMIT_NOFILE, &former_, nullptr); }
  NoDescriptorsLeft(const NoDescriptorsLeft&) = delete;
  NoDescriptorsLeft& operator=(const NoDescriptorsLeft&) = delete;

 private:
  pid_t process_;
  rlimit former_{};
};

// A form with a file that is too large to stay in memory.
std::string large_form() {
  const std::string body = "--b\r\nContent-Disposition: form-data; name=f; filename=a\r\n\r\n" +
                           noise(200'000) + "\r\n--b--\r\n";
  return request("POST", "/upload",
                 "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n") +
         body;
}

// Whether a new client is answered. One who is turned away is not.
bool is_served(const TestServer& server) {
  try {
    Client client(server.endpoint());
    client.send(get("/plaintext", "Connection: close\r\n"));
    return client.read_response().status == 200;
  } catch (const std::exception&) {
    return false;
  }
}

// One worker, and so many places in the queue before it.
std::vector<std::string> short_queue(int places) {
  return with_workers(1, {"--queue", std::to_string(places)});
}

}  // namespace

TEST_CASE("Out of descriptors it neither spins nor ends, and recovers", "[limits]") {
  TestServer server(with_workers(2 * few_descriptors), with_few_descriptors());
  server.folder().write("files/a.txt", "the text");
  Client first(server.endpoint());
  CHECK(ask(first, "/plaintext").status == 200);
  {
    std::deque<Client> more;
    for (std::size_t i = 0; i < 2 * few_descriptors; ++i) {
      more.emplace_back(server.endpoint()).send(get("/plaintext"));
    }
    wait_until_at_rest(server.process());
    INFO("a file for which there is no descriptor is not one that there is not");
    const int status = ask(first, "/files/a.txt").status;
    CHECK((status == 503 || status == 200));  // only who has few clients has some left
    CHECK(ask(first, "/plaintext").status == 200);
  }
  first.reset();
  const Deadline deadline;
  bool served = false;
  while (!served && !deadline.passed()) served = is_served(server);
  CHECK(served);
  INFO("it says so, but not again and again: " << server.control().errors());
  CHECK(server.control().errors().size() < 1'000);
}

TEST_CASE("A file for which there is no descriptor is not one that there is not", "[limits]") {
  const TestServer server;
  server.folder().write("files/a.txt", "the text");
  Client client(server.endpoint());
  CHECK(ask(client, "/files/a.txt").status == 200);
  {
    const NoDescriptorsLeft none(server.process());
    CHECK(ask(client, "/files/a.txt").status == 503);
    CHECK(ask(client, "/plaintext").status == 200);
    client.send(large_form());
    CHECK(client.read_response("POST").status == 503);
    client.read_to_end();
  }
  Client later(server.endpoint());
  CHECK(ask(later, "/files/a.txt").body == "the text");
  CHECK(ask(later, "/files/missing.txt").status == 404);
  later.send(large_form());
  CHECK(later.read_response("POST").status == 200);
}

TEST_CASE("All are answered whose handlers are done together", "[limits]") {
  const TestServer server(with_workers(4));
  constexpr int requests = 100;
  std::string batch;
  for (int i = 1; i < requests; ++i) batch += get("/block?ms=0");
  batch += get("/block?ms=0", "Connection: close\r\n");
  std::deque<Client> clients;
  for (int i = 0; i < 16; ++i) clients.emplace_back(server.endpoint()).send(batch);
  for (Client& client : clients) {
    for (int i = 1; i <= requests; ++i) {
      REQUIRE(json_number(client.read_response().body, "request") == i);
    }
  }
}

TEST_CASE("A full queue is answered 503, and forgotten when it has room", "[limits]") {
  if (!program_has("--queue")) return;
  const TestServer server(short_queue(1));
  Gate gate = server.gate("g");
  Client holding(server.endpoint());
  holding.send(get(gate.target(), "Connection: close\r\n"));
  gate.wait_until_entered();
  Client waiting(server.endpoint());
  waiting.send(get("/block?ms=0", "Connection: close\r\n"));
  CHECK_FALSE(server.answers(waiting));
  for (int i = 0; i < 3; ++i) {
    Client refused(server.endpoint());
    refused.send(get("/block?ms=0", "Connection: close\r\n"));
    CHECK(refused.read_response().status == 503);
    CHECK(refused.read_to_end().empty());
    CHECK(refused.ending() == Ending::end_of_stream);
  }
  gate.let_go();
  CHECK(holding.read_response().status == 200);
  CHECK(waiting.read_response().status == 200);
  Client later(server.endpoint());
  CHECK(ask(later, "/block?ms=0").status == 200);
}

TEST_CASE("A queue is served first in, first out", "[limits]") {
  if (!program_has("--queue")) return;
  const TestServer server(short_queue(8));
  constexpr int count = 5;
  std::deque<Gate> gates;
  std::deque<Client> clients;
  for (int i = 0; i < count; ++i) {
    gates.emplace_back(server.folder(), "g" + std::to_string(i));
    clients.emplace_back(server.endpoint())
        .send(get(gates.back().target(), "Connection: close\r\n"));
    CHECK(server.enters(gates.back(), clients.back()) == (i == 0));
  }
  for (int i = 0; i < count; ++i) {
    const auto next = static_cast<std::size_t>(i);
    gates[next].wait_until_entered();
    if (i + 1 < count) CHECK_FALSE(server.enters(gates[next + 1], clients[next + 1]));
    gates[next].let_go();
    CHECK(clients[next].read_response().status == 200);
  }
}

TEST_CASE("More clients than --max-connections cost those who are there nothing", "[limits]") {
  if (!program_has("--max-connections")) return;
  const TestServer server({"--max-connections", "2"});
  Client first(server.endpoint());
  Client second(server.endpoint());
  CHECK(ask(first, "/plaintext").status == 200);
  CHECK(ask(second, "/plaintext").status == 200);
  Client third(server.endpoint());
  third.send(get("/plaintext"));
  const bool refused = server.answers(third);
  if (refused) CHECK(third.read_response().status == 503);
  CHECK(ask(first, "/plaintext").status == 200);
  CHECK(ask(second, "/plaintext").status == 200);
  first.reset();
  if (!refused) CHECK(third.read_response().status == 200);
  third.reset();
  second.reset();
  check_descriptors(server, descriptors_of(server.process()));
  const Deadline deadline;
  while (!is_served(server) && !deadline.passed()) {
  }
  CHECK(is_served(server));
}

}  // namespace stagecraft::robustness
