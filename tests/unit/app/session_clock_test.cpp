// When a session's timer is up, by a time that the test makes.
#include "app/session_clock.h"

#include "app/echo.h"
#include "catch.h"
#include "unit/app/asking.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;
using namespace std::chrono_literals;

namespace {

using Time = SessionClock::Clock::time_point;

constexpr Time start{1000s};

Limits short_limits() {
  Limits limits;
  limits.idle_timeout = 10s;
  limits.head_timeout = 20s;
  limits.body_timeout = 30s;
  limits.send_timeout = 40s;
  limits.request_timeout = 45s;
  return limits;
}

// A session of the echo application, and the clock beside it.
struct Clocked {
  const Router table = echo_routes();
  Limits limits = short_limits();
  Driver driver{table.application(), limits};
  SessionClock clock{start};

  // The deadline at the step that comes next, as of `now`.
  Time deadline(Time now) {
    driver.step();
    return clock.deadline(driver.session(), limits, now);
  }
  void receive(std::string_view bytes) {
    driver.feed(bytes);
    driver.receive();
  }
};

}  // namespace

TEST_CASE("The idle timer begins at accept") {
  Clocked clocked;
  CHECK((clocked.deadline(start + 3s) == start + 10s));
  CHECK((clocked.deadline(start + 4s) == start + 10s));
}

TEST_CASE("The head timer begins when the first byte is noticed and never again") {
  Clocked clocked;
  clocked.deadline(start);
  clocked.receive("G");
  CHECK((clocked.deadline(start + 5s) == start + 25s));
  clocked.receive("ET / HT");
  CHECK((clocked.deadline(start + 9s) == start + 25s));
  CHECK((clocked.clock.began() == start + 5s));
}

TEST_CASE("No request takes longer than the request timer, in whatever it spends the time") {
  Clocked clocked;
  clocked.deadline(start);
  clocked.receive("POST / HTTP/1.1\r\n");
  CHECK((clocked.deadline(start + 9s) == start + 29s));
  clocked.receive("Host: a\r\nContent-Length: 9\r\n\r\n");
  CHECK((clocked.deadline(start + 28s) == start + 45s));
  clocked.receive("1234");
  CHECK((clocked.deadline(start + 44s) == start + 45s));
}

TEST_CASE("The request timer does not measure the sending, and begins anew after it") {
  Clocked clocked;
  clocked.deadline(start);
  clocked.receive(request("GET /"));
  REQUIRE((clocked.driver.step() == Step::handle));
  clocked.driver.handle();
  CHECK((clocked.deadline(start + 44s) == start + 84s));
  clocked.driver.send(all);
  CHECK((clocked.deadline(start + 50s) == start + 60s));
  clocked.receive("G");
  CHECK((clocked.deadline(start + 59s) == start + 79s));
  clocked.receive("ET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n");
  CHECK((clocked.deadline(start + 78s) == start + 95s));
}

TEST_CASE("The request timer begins anew with all that a connection without HTTP hears") {
  class Listener : public RawStream {
    Status write(std::span<const char> /*piece*/) override { return Status::ok; }
    Produced produce(std::span<char> /*room*/) override { return {0, Flow::later}; }
  };
  const Limits limits = short_limits();
  Driver driver([](const Request&, Response& response) {
    response.take_over(Status::switching_protocols, "mute", std::make_unique<Listener>());
  });
  SessionClock clock(start);
  driver.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n").run();
  CHECK((clock.deadline(driver.session(), limits, start) == start + 10s));
  for (int seconds = 5; seconds < 100; seconds += 5) {
    driver.feed("x").run();
    const Time now = start + std::chrono::seconds(seconds);
    CHECK((clock.deadline(driver.session(), limits, now) == now + 10s));
  }
}

TEST_CASE("A timer of length 0 is never up") {
  Clocked clocked;
  clocked.limits.idle_timeout = 0s;
  clocked.limits.request_timeout = 0s;
  CHECK((clocked.deadline(start) == SessionClock::never));
}
