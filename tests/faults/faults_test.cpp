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

TEST_CASE("A failing accept() while the server stops loses nobody who has connected", "[faults]") {
  const int error = GENERATE(ECONNABORTED, EINTR, EPERM);
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
  // Where a thread accepts while another is held, all have come in before.
  const bool accepts_meanwhile = program_has("--stack-size") && !program_has("--executor");
  CHECK((accepts_meanwhile || faults.struck() == 1));
  CHECK(server.control().wait_for_end() == "exit status 0");
}

TEST_CASE("A lack of descriptors that cannot even be told for want of memory ends nothing",
          "[faults]") {
  Faults faults;
  const TestServer server({}, faults.launcher());
  check_serves(server);
  faults.starve(1);
  faults.arm(Call::accept, EMFILE);
  Client before(server.endpoint());  // if a thread was waiting in accept(), it does not fail
  before.send(get("/plaintext", closing));
  Client unlucky(server.endpoint());
  unlucky.send(get("/plaintext", closing));
  faults.wait_until_struck();
  before.read_to_end();
  unlucky.read_to_end();
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

TEST_CASE("A wait that fails for want of memory ends nothing", "[faults]") {
  Faults faults;
  const TestServer server({}, faults.launcher());
  check_serves(server);
  faults.arm(Call::poll, ENOMEM, 1, 3);
  for (int i = 0; i < 4; ++i) check_serves(server);
  CHECK(faults.struck() == (stage_under_test().substr(0, 2) == "04" ? 3 : 0));
}

TEST_CASE("A connection whose interest cannot be changed is given up, and no other", "[faults]") {
  Faults faults;
  const TestServer server({}, faults.launcher());
  server.folder().write("files/large", std::string(8 << 20, 'a'));
  faults.arm(Call::epoll_change, ENOMEM);
  constexpr int small_buffer = 4096;
  Client client(server.endpoint(), small_buffer);
  client.send(get("/files/large", closing));
  client.wait_until_readable();
  wait_until_at_rest(server.process());
  CHECK(client.read_to_end().size() > 0);  // and not only after the timeout for sending
  check_serves(server);
}

TEST_CASE("Clients are accepted again even if that could not be said at first", "[faults]") {
  Faults faults;
  std::vector<std::string> options = one_thread();
  if (program_has("--max-connections")) options.insert(options.end(), {"--max-connections", "1"});
  const TestServer server(options, faults.launcher());
  const bool refuses = program_has("--stack-size") && !program_has("--executor");
  faults.arm(Call::epoll_change, ENOMEM, 2);  // the first says that nobody is wanted
  Client first(server.endpoint());
  CHECK(ask(first, "/plaintext").status == 200);
  Client second(server.endpoint());
  second.send(get("/plaintext", closing));
  if (stage_under_test() >= "05") faults.wait_until_struck();
  first.reset();
  if (!refuses) CHECK(second.read_response().status == 200);
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
