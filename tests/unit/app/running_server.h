// A stage's Server in the test's own process, with handlers of the test.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include "catch.h"
#include "server.h"
#include "support/client.h"

namespace stagecraft::testing {

using namespace std::chrono_literals;

inline constexpr auto long_grace = 60s;  // reached only by a server that hangs

// A handler that tells when it has been entered, and stays until it is let go.
class Gate {
 public:
  Handler handler() {
    return [this](const Request&, Response& response) {
      entered_.set_value();
      let_go_.get_future().wait();
      response.text("let go");
    };
  }
  void wait_until_entered() { entered_.get_future().wait(); }
  void let_go() { let_go_.set_value(); }

 private:
  std::promise<void> entered_, let_go_;
};

// So that no test depends on a timer that it has not set.
inline Limits patient() {
  Limits limits;
  limits.idle_timeout = limits.head_timeout = limits.body_timeout = limits.request_timeout = 60s;
  return limits;
}

inline Options options_of(std::uint16_t port, const Limits& limits) {
  Options options;
  options.port = port;
  options.limits = limits;
  return options;
}

// A server of one route, for every path and method.
struct Running {
  explicit Running(Handler handler, std::uint16_t port = 0, const Limits& limits = patient(),
                   Where where = Where::here)
      : server(options_of(port, limits), Route{.handle = std::move(handler), .where = where},
               telemetry) {
    telemetry.on_failure([this] {
      if (failures++ == 0) failed.set_value();
    });
    server.start();
  }
  Endpoint endpoint() const { return {"127.0.0.1", server.port()}; }

  Logger logger;
  Metrics metrics;
  Telemetry telemetry{logger, metrics};
  std::atomic<int> failures = 0;  // of loops
  std::promise<void> failed;      // the first of them
  Server server;
};

inline void say_hello(const Request&, Response& response) { response.text("hello"); }

inline constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// One request and its answer.
inline HttpResponse ask(Client& client) {
  client.send(get);
  return client.read_response();
}

// Whether the thread of that number (man 2 gettid) of this process sleeps in the kernel.
inline bool is_asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  REQUIRE(name_end + 2 < text.size());
  return text[name_end + 2] == 'S';
}

// Calls a function on another thread, and returns when that waits for something.
inline std::future<bool> begin(const std::function<bool()>& function) {
  std::atomic<pid_t> thread = 0;
  std::future<bool> done = std::async(std::launch::async, [&thread, function] {
    thread = ::gettid();
    return function();
  });
  while (thread == 0 || !is_asleep(thread)) std::this_thread::yield();
  return done;
}

// Calls stop(), and returns when that waits for the server to end: whatever the server does from
// now on, it knows that it is to stop.
inline std::future<bool> begin_to_stop(Server& server) {
  return begin([&server] { return server.stop(long_grace); });
}

}  // namespace stagecraft::testing
