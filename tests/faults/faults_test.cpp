// What failing system calls once led to, and must not lead to again: each is a test by name.
#include "faults/faults.h"

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::faults {

using namespace testing;

namespace {

// One loop, which runs the handlers itself: then a gate holds everything that there is.
std::vector<std::string> one_thread(std::vector<std::string> options = {}) {
  if (program_has("--executor")) options.insert(options.end(), {"--executor", "inline"});
  if (program_has("--concurrency")) options.insert(options.end(), {"--concurrency", "1"});
  return options;
}

const std::string closing = "Connection: close\r\n";

void check_serves(const TestServer& server) {
  Client client(server.endpoint());
  client.send(get("/plaintext", closing));
  CHECK(client.read_response().body == "hello world\n");
  client.read_to_end();
}

}  // namespace

TEST_CASE("A failing accept() while the server stops loses nobody who has connected",
          "[faults]") {
  const int error = GENERATE(ECONNABORTED, EINTR, EPERM, ENOBUFS);
  Faults faults;
  TestServer server(one_thread(), faults.launcher());
  Gate gate = server.gate("g");
  Client holding(server.endpoint());
  holding.send(get(gate.target(), closing));
  gate.wait_until_entered();
  std::vector<std::unique_ptr<Client>> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(std::make_unique<Client>(server.endpoint()));
    waiting.back()->send(get("/plaintext", closing));
  }
  faults.arm(Call::accept, error, 2);
  REQUIRE(kill(server.process(), SIGTERM) == 0);
  gate.let_go();
  CHECK(holding.read_response().status == 200);
  for (const auto& client : waiting) CHECK(client->read_response().body == "hello world\n");
  CHECK(faults.struck() == 1);
  CHECK(server.control().wait_for_end() == "exit status 0");
}

TEST_CASE("A lack of descriptors that cannot even be told for want of memory ends nothing",
          "[faults]") {
  Faults faults;
  const TestServer server({}, faults.launcher());
  check_serves(server);
  faults.arm(Call::accept, EMFILE);
  Client client(server.endpoint());
  faults.wait_until_struck();
  faults.arm(Call::memory, ENOMEM, 1, 3);
  client.send(get("/plaintext", closing));
  faults.wait_until_struck();
  faults.disarm();
  check_serves(server);
}

TEST_CASE("An interrupted wake-up wakes all the same", "[faults]") {
  Faults faults;
  const TestServer server({}, faults.launcher());
  Client client(server.endpoint());
  for (const std::string target : {"/slow?ms=1", "/block?ms=0"}) {
    faults.arm(Call::wake_up, EINTR);
    client.send(get(target));
    CHECK(client.read_response().status == 200);
  }
}

TEST_CASE("A worker may give back the last connection while its loop ends", "[faults]") {
  if (!program_has("--executor")) return;
  Faults faults;
  TestServer server({"--workers", "1"}, faults.launcher());
  Gate gate = server.gate("g");
  Client client(server.endpoint());
  client.send(get(gate.target(), closing));
  gate.wait_until_entered();
  // The connection is in the mailbox, and the worker just about to say so.
  faults.arm(Call::wake_up, What::hold);
  gate.let_go();
  faults.wait_until_held();
  const std::size_t threads = threads_of(server.process()).size();
  REQUIRE(kill(server.process(), SIGTERM) == 0);  // and so the loop looks by itself
  CHECK(client.read_response().status == 200);
  client.read_to_end();
  wait_until_at_rest(server.process());
  CHECK(threads_of(server.process()).size() < threads);  // the loop has ended
  constexpr std::int64_t size_of_count = 8;
  CHECK(faults.let_go() == size_of_count);  // not -EBADF: the mailbox is still there
  CHECK(server.control().wait_for_end() == "exit status 0");
}

}  // namespace stagecraft::faults
