// What a stage's Server promises to main(): compiled for each stage, with its "server.h".
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "app/signals.h"
#include "catch.h"
#include "known_options.h"
#include "running_server.h"
#include "support/client.h"
#include "support/deadline.h"

using namespace stagecraft;
using namespace stagecraft::testing;

TEST_CASE("A started server tells its port and answers there") {
  Running running(say_hello);
  CHECK(running.server.port() != 0);
  CHECK(running.server.address() == running.endpoint().text());
  Client client(running.endpoint());
  CHECK(ask(client).body == "hello");
  CHECK(ask(client).body == "hello");
}

TEST_CASE("An address that is taken is a failure that names it") {
  const Running running(say_hello);
  try {
    const Running second(say_hello, running.server.port());
    FAIL("it started");
  } catch (const std::system_error& failure) {
    CHECK(failure.code() == std::errc::address_in_use);
    CHECK(std::string(failure.what()).find(running.endpoint().text()) != std::string::npos);
  }
}

TEST_CASE("A server that was never started can be stopped and destroyed") {
  Server server(Options{}, Application{});
  CHECK(server.stop(0ms));
  server.join();
}

TEST_CASE("The port is free again after join, and a new server on it starts at once") {
  std::optional<Running> running(std::in_place, say_hello);
  const std::uint16_t port = running->server.port();
  {
    Client client(running->endpoint());
    ask(client);
    // The server closes first: its side of the connection stays with the kernel for a while.
    CHECK(running->server.stop(long_grace));
    running->server.join();
    CHECK(client.read_to_end().empty());
  }
  CHECK_THROWS(Client({"127.0.0.1", port}));
  running.reset();
  running.emplace(say_hello, port);
  Client client(running->endpoint());
  CHECK(ask(client).body == "hello");
}

TEST_CASE("A request that is being worked on when the server is told to stop is answered") {
  Gate gate;
  Running running(gate.handler());
  Client client(running.endpoint());
  client.send(get);
  gate.wait_until_entered();
  std::future<bool> stopped = begin_to_stop(running.server);
  gate.let_go();
  const HttpResponse answer = client.read_response();
  CHECK(answer.body == "let go");
  CHECK(answer.lists("Connection", "close"));
  CHECK(stopped.get());
  CHECK(client.read_to_end().empty());
  CHECK((client.ending() == Ending::end_of_stream));
}

TEST_CASE("A client that goes on asking is answered, and told that the connection closes") {
  Running running(say_hello);
  Client client(running.endpoint());
  ask(client);
  std::future<bool> stopped = begin_to_stop(running.server);
  // A loop may have one or two requests before it the moment it learns that it is to stop.
  constexpr int many = 1000;
  int asked = 1;
  while (!ask(client).lists("Connection", "close") && asked < many) ++asked;
  CHECK(asked < many);
  CHECK(client.read_to_end().empty());
  CHECK(stopped.get());
}

TEST_CASE("Whoever had connected when the server was told to stop is answered") {
  Gate gate;
  std::atomic<bool> first = true;
  Running running([&, handle = gate.handler()](const Request& request, Response& response) {
    first.exchange(false) ? handle(request, response) : say_hello(request, response);
  });
  Client working(running.endpoint());
  working.send(get);
  gate.wait_until_entered();
  Client waiting(running.endpoint());
  waiting.send(get);
  std::future<bool> stopped = begin_to_stop(running.server);
  gate.let_go();
  CHECK(working.read_response().body == "let go");
  CHECK(waiting.read_response().body == "hello");
  CHECK(stopped.get());
  CHECK((waiting.read_to_end().empty() && waiting.ending() == Ending::end_of_stream));
}

TEST_CASE("A client that says nothing does not keep a server from stopping") {
  Running running(say_hello);
  Client asked(running.endpoint());
  ask(asked);
  CHECK(running.server.stop(long_grace));
  CHECK(asked.read_to_end().empty());
}

TEST_CASE("An answer for later comes while the server stops") {
  std::promise<Responder> promised;
  Running running(
      [&](const Request&, Response& response) { promised.set_value(response.defer()); });
  Client client(running.endpoint());
  client.send(get);
  Responder responder = promised.get_future().get();
  std::future<bool> stopped = begin_to_stop(running.server);
  Response response;
  response.text("later");
  std::move(responder).send(std::move(response));
  CHECK(client.read_response().body == "later");
  CHECK(stopped.get());
}

TEST_CASE("An answer that is faster than its handler does not run it twice") {
  std::atomic<int> entered = 0;
  std::promise<void> answered, let_go;
  const auto handler = [&](const Request& request, Response& response) {
    if (request.path() == "/other" || ++entered > 1) return response.text("other");
    Response answer;
    answer.text("early");
    std::move(response.defer()).send(std::move(answer));
    answered.set_value();
    let_go.get_future().wait();
  };
  Running running(handler, 0, patient(), Where::pool);
  Client client(running.endpoint());
  client.send(get);
  answered.get_future().wait();
  // Where the handler has left the loop, the loop has read the answer once others are served.
  for (int i = 0; features.executor && i < 2; ++i) {
    Client other(running.endpoint());
    other.send("GET /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    CHECK(other.read_response().body == "other");
  }
  let_go.set_value();
  CHECK(client.read_response().body == "early");
  CHECK(entered == 1);
}

TEST_CASE("When the grace is over nobody waits for a promised answer, and it may still come") {
  std::promise<Responder> promised;
  std::optional<Running> running(std::in_place, [&](const Request&, Response& response) {
    promised.set_value(response.defer());
  });
  Client client(running->endpoint());
  client.send(get);
  Responder responder = promised.get_future().get();
  CHECK(running->server.stop(0ms));
  CHECK(responder.abandoned());
  running.reset();
  Response response;
  response.text("too late");
  std::move(responder).send(std::move(response));
  client.read_to_end();
}

TEST_CASE("When the grace is over nobody waits for the rest of a request") {
  Running running(say_hello);
  Client client(running.endpoint());
  client.send("GET / HTTP/1.1\r\nHo");
  CHECK(client.wait_until_received());
  CHECK(running.server.stop(0ms));
}

TEST_CASE("An answer that comes when its time was up is dropped") {
  // A body that tells when it is destroyed.
  struct Dropped : BodySource {
    explicit Dropped(std::promise<void>& told) : told_(told) {}
    ~Dropped() override { told_.set_value(); }
    Produced produce(std::span<char>) override { return {}; }
    std::promise<void>& told_;
  };
  std::promise<Responder> promised;
  Limits limits = patient();
  limits.answer_timeout = 1ms;
  Running running([&](const Request&, Response& response) { promised.set_value(response.defer()); },
                  0, limits);
  Client client(running.endpoint());
  client.send(get);
  Responder responder = promised.get_future().get();
  CHECK(client.read_response().status == 503);
  client.read_to_end();
  std::promise<void> dropped;
  Response response;
  response.stream(std::make_unique<Dropped>(dropped), "text/plain");
  std::move(responder).send(std::move(response));
  const auto patience = scaled(default_patience);
  CHECK((dropped.get_future().wait_for(patience) == std::future_status::ready));
}

TEST_CASE("A handler that stays longer than the grace is told of") {
  Gate gate;
  Running running(gate.handler());
  Client client(running.endpoint());
  client.send(get);
  gate.wait_until_entered();
  CHECK_FALSE(running.server.stop(0ms));
  gate.let_go();
  running.server.join();
}

TEST_CASE("A handler that fails costs its own request only, and so does a broken promise") {
  Running running([](const Request& request, Response& response) {
    if (request.path() == "/throw") throw std::runtime_error("this handler always fails");
    if (request.path() == "/drop") Responder dropped = response.defer();
    if (request.path() == "/") say_hello(request, response);
  });
  Client client(running.endpoint());
  client.send("GET /throw HTTP/1.1\r\nHost: a\r\n\r\nGET /drop HTTP/1.1\r\nHost: a\r\n\r\n");
  client.send(get);
  CHECK(client.read_response().status == 500);
  CHECK(client.read_response().status == 500);
  CHECK(client.read_response().body == "hello");
}

TEST_CASE("A client that resets its connection costs nobody else anything") {
  Gate gate;
  std::atomic<bool> first = true;
  Running running([&, handle = gate.handler()](const Request& request, Response& response) {
    first.exchange(false) ? handle(request, response) : say_hello(request, response);
  });
  Client gone(running.endpoint());
  gone.send(get);
  gate.wait_until_entered();
  gone.reset();
  gate.let_go();
  Client client(running.endpoint());
  CHECK(ask(client).body == "hello");
}

TEST_CASE("A server's threads take no signals") {
  std::promise<sigset_t> mask;
  Running running([&](const Request&, Response& response) {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    mask.set_value(blocked);
    response.text("done");
  });
  Client client(running.endpoint());
  ask(client);
  const sigset_t blocked = mask.get_future().get();
  for (const int signal : {SIGTERM, SIGINT, SIGPIPE, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM}) {
    INFO(signal);
    CHECK(sigismember(&blocked, signal) == 1);
  }
  CHECK(sigismember(&blocked, SIGSEGV) == 0);
}
