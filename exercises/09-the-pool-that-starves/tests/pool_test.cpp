#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exercise.h"
#include "support/client.h"
#include "support/gate.h"
#include "support/http_response.h"
#include "support/process_view.h"
#include "support/scratch_folder.h"
#include "support/server_process.h"

namespace {

using namespace stagecraft::exercise;
using stagecraft::testing::Client;
using stagecraft::testing::Gate;
using stagecraft::testing::ServerProcess;

constexpr std::size_t workers = 2;
// Besides the workers: main(), the one that accepts, one more, and one of the thread sanitizer.
constexpr std::size_t other_threads = 4;

const std::string request = "GET / HTTP/1.1\r\nHost: example\r\n\r\n";

std::vector<std::string> options(const std::string& gates = "") {
  return {"--port", "0", "--workers", std::to_string(workers), "--gates", gates};
}

// Asks, and waits for the answer. A client that waits in vain fails the test case.
void ask(Client& client, const std::string& who) {
  note(who + " asks");
  client.send(request);
  try {
    REQUIRE_SAME(client.read_response().body, "hello\n");
  } catch (const std::runtime_error& failure) {
    FAIL(who << " got no answer: " << failure.what());
  }
  note(who + " is answered");
}

// Clients that have connected and say nothing.
std::list<Client> silent_clients(const ServerProcess& server, std::size_t count) {
  std::list<Client> clients;
  while (clients.size() < count) clients.emplace_back(server.endpoint());
  note(std::to_string(count) + " clients are connected, and silent");
  return clients;
}

}  // namespace

TEST_CASE("answers_a_client") {
  const Story story({.did = "one client asked twice", .paste = "curl -i http://127.0.0.1:8080/"});
  ServerProcess server(program("server"), options());
  Client client(server.endpoint());
  ask(client, "the client");
  ask(client, "the client");
}

TEST_CASE("silent_clients_hold_nobody_up") {
  const Story story({.did = "as many clients as there are workers connected and said nothing, then "
                            "another one asked",
                     .paste = "sleep 60 | nc 127.0.0.1 8080 & sleep 60 | nc 127.0.0.1 8080 & curl "
                              "http://127.0.0.1:8080/",
                     .likely = "a worker waits in recv() for a client that may never speak"});
  ServerProcess server(program("server"), options());
  const std::list<Client> silent = silent_clients(server, workers);
  Client client(server.endpoint());
  ask(client, "another client");
}

TEST_CASE("half_a_request_holds_nobody_up") {
  const Story story({.did =
                         "as many clients as there are workers sent half a request, then another "
                         "one asked",
                     .likely = "a worker stays with a client until its request is complete"});
  ServerProcess server(program("server"), options());
  std::list<Client> slow = silent_clients(server, workers);
  for (Client& client : slow) {
    client.send(request.substr(0, 20));
    client.wait_until_received();
  }
  note("each has sent half a request");
  Client client(server.endpoint());
  ask(client, "another client");
  for (Client& each : slow) {
    each.send(request.substr(20));
    REQUIRE_SAME(each.read_response().body, "hello\n");
  }
}

TEST_CASE("silent_client_still_connected") {
  const Story story(
      {.did = "as many clients as there are workers were silent until another one had "
              "been answered, then asked too",
       .likely = "silent clients are closed to make room: but silence is no offence"});
  ServerProcess server(program("server"), options());
  std::list<Client> silent = silent_clients(server, workers);
  Client client(server.endpoint());
  ask(client, "another client");
  for (Client& each : silent) ask(each, "a silent client");
}

TEST_CASE("kept_client_is_heard_again") {
  const Story story(
      {.did = "three times as many clients as workers asked, by turns, three times each",
       .likely = "a client that is parked again is not asked for by the poll() that is "
                 "under way: something has to make it return"});
  ServerProcess server(program("server"), options());
  std::list<Client> clients = silent_clients(server, 3 * workers);
  for (int round = 1; round <= 3; ++round) {
    int number = 0;
    for (Client& client : clients) {
      ask(client, "client " + std::to_string(++number));
      // Whatever the server does for it is done, and it sleeps.
      stagecraft::testing::wait_until_at_rest(server.process());
    }
  }
}

TEST_CASE("tasks_bounded") {
  const Story story({.did = "counted the threads of the server, with 30 clients connected",
                     .paste = "ls /proc/$(pgrep server)/task | wc -l",
                     .likely = "more workers put the day off on which all of them wait, and cost a "
                               "stack each"});
  ServerProcess server(program("server"), options());
  std::list<Client> clients = silent_clients(server, 30);
  ask(clients.back(), "the last client");
  const std::size_t threads = stagecraft::testing::threads_of(server.process()).size();
  INFO(threads << " threads, of which " << workers << " are to work");
  REQUIRE(threads <= workers + other_threads);
}

TEST_CASE("workers_work_at_once") {
  const Story story({.did = "held as many requests at a gate as there are workers",
                     .likely = "requests are answered on the thread that polls, one by one"});
  const stagecraft::testing::ScratchFolder folder;
  Gate first(folder, "a"), second(folder, "b");
  ServerProcess server(program("server"), options(folder.path()));
  Client one(server.endpoint()), two(server.endpoint());
  one.send("GET " + first.target() + " HTTP/1.1\r\n\r\n");
  first.wait_until_entered();
  note("gate a entered");
  two.send("GET " + second.target() + " HTTP/1.1\r\n\r\n");
  bool both = true;
  try {
    second.wait_until_entered();
  } catch (const std::runtime_error&) {
    both = false;
    note("gate b not entered, while a request is held at gate a");
  }
  first.let_go();
  if (!both) second.wait_until_entered();
  second.let_go();
  REQUIRE_SAME(one.read_response().body, "hello\n");
  REQUIRE_SAME(two.read_response().body, "hello\n");
  REQUIRE(both);
}

TEST_CASE("no_calls_while_all_idle") {
  const Story story(
      {.did = "had some clients connected and silent, and looked whether any thread of "
              "the server wakes up",
       .paste = "strace -f -p $(pgrep server)",
       .likely = "the clients are asked one after the other, round and round, whether "
                 "they have spoken; or poll() has a timeout"});
  ServerProcess server(program("server"), options());
  std::list<Client> clients = silent_clients(server, 2 * workers);
  for (Client& client : clients) ask(client, "a client");
  bool rests = true;
  try {
    stagecraft::testing::wait_until_at_rest(server.process());
  } catch (const std::runtime_error&) {
    rests = false;
    note("some thread of the server always runs");
  }
  REQUIRE(rests);
}

TEST_CASE("who_leaves_is_forgotten") {
  const Story story({.did = "clients asked, sent no more, and waited for the end",
                     .likely = "a client that has gone must be closed, and not be parked again"});
  ServerProcess server(program("server"), options());
  Client stays(server.endpoint());
  ask(stays, "one who stays");
  const std::size_t before = stagecraft::testing::descriptors_of(server.process());
  for (std::size_t i = 0; i < 3 * workers; ++i) {
    Client client(server.endpoint());
    ask(client, "one who leaves");
    client.finish_sending();
    try {
      REQUIRE_SAME(client.read_to_end(), "");
    } catch (const std::runtime_error& failure) {
      FAIL("the server does not close: " << failure.what());
    }
  }
  ask(stays, "one who stays");
  REQUIRE(stagecraft::testing::descriptors_of(server.process()) == before);
}
