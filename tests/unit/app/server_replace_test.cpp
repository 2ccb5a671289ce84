// What becomes of requests when a running Server gets another application: compiled for each stage.
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.h"
#include "known_options.h"
#include "running_server.h"
#include "support/deadline.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// Only an event loop can be woken to let go of an application that it does not need.
constexpr bool has_loop = features.idle_timeout_reason.empty();

// Something that an application owns, and that tells when it is destroyed.
class Property {
 public:
  class Owned {
   public:
    explicit Owned(std::promise<void> gone) : gone_(std::move(gone)) {}
    ~Owned() { gone_.set_value(); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

   private:
    std::promise<void> gone_;
  };

  // To be captured by a handler; given once.
  std::shared_ptr<Owned> take() { return std::make_shared<Owned>(std::move(promise_)); }
  bool is_gone() const { return gone_.wait_for(0s) == std::future_status::ready; }
  bool goes() const {
    return gone_.wait_for(scaled(default_patience)) == std::future_status::ready;
  }

 private:
  std::promise<void> promise_;
  std::future<void> gone_ = promise_.get_future();
};

Handler says(std::string text, std::shared_ptr<Property::Owned> owned = {}) {
  return [text = std::move(text), owned = std::move(owned)](const Request&, Response& response) {
    response.text(text);
  };
}

}  // namespace

TEST_CASE("Who asks after the application was replaced is answered by the new one") {
  Running running(says("old"));
  {
    Client client(running.endpoint());
    CHECK(ask(client).body == "old");
    running.server.replace(says("new"));
    CHECK(ask(client).body == "new");
  }
  Client other(running.endpoint());
  CHECK(ask(other).body == "new");
}

TEST_CASE("An application can be replaced before the start, and after the end") {
  Property first;
  Property second;
  Server server(options_of(0, patient()), says("first", first.take()));
  server.replace(says("second", second.take()));
  CHECK(first.is_gone());
  server.start();
  {
    Client client({"127.0.0.1", server.port()});
    CHECK(ask(client).body == "second");
  }
  CHECK(server.stop(long_grace));
  server.join();
  server.replace(says("third"));
  CHECK(second.goes());
}

TEST_CASE("A request that a handler has ends with the old application, which goes with it") {
  Gate gate;
  Property old;
  Running running([owned = old.take(), handle = gate.handler()](
                      const Request& request, Response& response) { handle(request, response); },
                  0, patient(), Where::pool);
  Client client(running.endpoint());
  client.send(get);
  gate.wait_until_entered();
  running.server.replace(says("new"));
  CHECK_FALSE(old.is_gone());
  gate.let_go();
  CHECK(client.read_response().body == "let go");
  CHECK(old.goes());
  CHECK(ask(client).body == "new");
}

TEST_CASE("An application is there until the answers that it promised are given") {
  std::promise<Responder> promised;
  Property old;
  Running running([owned = old.take(), &promised](const Request&, Response& response) {
    promised.set_value(response.defer());
  });
  Client client(running.endpoint());
  client.send(get);
  Responder responder = promised.get_future().get();
  running.server.replace(says("new"));
  CHECK_FALSE(old.is_gone());
  Response response;
  response.text("promised");
  std::move(responder).send(std::move(response));
  CHECK(client.read_response().body == "promised");
  CHECK(old.goes());
  CHECK(ask(client).body == "new");
}

TEST_CASE("Clients that say nothing do not keep an application that was replaced") {
  if (!has_loop) return;
  Property old;
  Running running(says("old", old.take()));
  std::vector<std::unique_ptr<Client>> clients;  // on each loop
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<Client>(running.endpoint()));
    CHECK(ask(*clients.back()).body == "old");
  }
  running.server.replace(says("new"));
  CHECK(old.goes());
}

TEST_CASE("An application that is replaced while many ask is never seen again after that") {
  std::vector<std::unique_ptr<Property>> properties;
  Running running(says("0"));
  std::atomic<int> newest = 0;
  std::atomic<int> outdated = 0;
  // One client, since the simplest server has time for one.
  std::future<void> asked = std::async(std::launch::async, [&] {
    Client client(running.endpoint());
    for (int i = 0; i < 100; ++i) {
      const int at_least = newest;
      if (std::stoi(ask(client).body) < at_least) ++outdated;
    }
  });
  while (asked.wait_for(0s) != std::future_status::ready) {
    const int number = newest + 1;
    properties.push_back(std::make_unique<Property>());
    running.server.replace(says(std::to_string(number), properties.back()->take()));
    newest = number;
  }
  asked.get();
  CHECK(outdated == 0);
  CHECK(running.server.stop(long_grace));
  running.server.join();
  running.server.replace(says("ended"));
  for (const auto& property : properties) CHECK(property->goes());
}
