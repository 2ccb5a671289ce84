// The six timers: which one runs when, when it starts anew, and what its end means.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.h"
#include "http/session.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view post_head =
    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";

// A site whose `/later` never answers by itself.
struct Patience {
  Patience() {
    site.add("/later", [this](const Request&, Response& response) {
      responders.push_back(response.defer());
    });
    site.add("/large", [](const Request&, Response& response) {
      response.body(std::string(400'000, 'x'), "");
    });
  }
  Site site = plain_site();
  std::vector<Responder> responders;
};

// How often a timer was started since the last time.
class Restarts {
 public:
  explicit Restarts(Driver& driver) : driver_(driver), last_(driver.session().restarts()) {}
  std::uint32_t since() {
    const std::uint32_t now = driver_.session().restarts();
    return now - std::exchange(last_, now);
  }

 private:
  Driver& driver_;
  std::uint32_t last_;
};

}  // namespace

TEST_CASE("Each timer has its length in the limits") {
  Limits limits;
  limits.idle_timeout = std::chrono::milliseconds(1);
  limits.head_timeout = std::chrono::milliseconds(2);
  limits.body_timeout = std::chrono::milliseconds(3);
  limits.answer_timeout = std::chrono::milliseconds(4);
  limits.send_timeout = std::chrono::milliseconds(5);
  limits.linger_timeout = std::chrono::milliseconds(6);
  int expected = 1;
  for (const Timer timer :
       {Timer::idle, Timer::head, Timer::body, Timer::answer, Timer::send, Timer::linger}) {
    CHECK(length(timer, limits).count() == expected++);
  }
}

TEST_CASE("The idle timer runs before a request and closes without a word") {
  Driver driver(plain_site().application());
  CHECK(driver.step() == Step::receive);
  CHECK(driver.session().timer() == Timer::idle);
  SECTION("before the first request") {}
  SECTION("after empty lines, which begin no request") {
    Restarts restarts(driver);
    driver.feed("\r\n\r\n").run();
    CHECK(driver.session().timer() == Timer::idle);
    CHECK(restarts.since() == 0);
  }
  SECTION("between requests, from the last answer on") {
    Restarts restarts(driver);
    driver.feed(get).run();
    CHECK(driver.session().timer() == Timer::idle);
    CHECK(restarts.since() > 0);
  }
  driver.output.clear();
  driver.session().expired();
  CHECK(driver.run() == Step::close);
  CHECK(driver.output.empty());
}

TEST_CASE("The head timer runs from the first byte to the last of a head and never anew") {
  Driver driver(plain_site().application());
  driver.step();
  Restarts restarts(driver);
  driver.feed("G").run();
  CHECK(driver.session().timer() == Timer::head);
  CHECK(restarts.since() == 1);
  for (const char c : get.substr(1, get.size() - 2)) driver.feed({&c, 1}).run();
  CHECK(driver.session().timer() == Timer::head);
  CHECK(restarts.since() == 0);
  driver.session().expired();
  driver.run();
  CHECK(summary(driver.output) == "408");
  CHECK(read_answers(driver.output)[0].field("Connection") == "close");
  CHECK(driver.shut_down);
}

TEST_CASE("The head timer of a request behind others starts when they are answered") {
  Driver driver(plain_site().application());
  driver.feed(std::string(get) + "GET").run();
  CHECK(summary(driver.output) == "200 hello");
  CHECK(driver.session().timer() == Timer::head);
  Restarts restarts(driver);
  driver.feed(std::string(get.substr(3)) + "GET").run();
  CHECK(driver.session().timer() == Timer::head);
  CHECK(restarts.since() > 0);
}

TEST_CASE("The body timer starts anew with each 64 KiB") {
  Limits limits;
  limits.max_request_size = 10 * MiB;
  for (const std::string_view framing :
       {"Content-Length: 1000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nf4240\r\n"}) {
    CAPTURE(framing);
    Driver driver(plain_site().application(), limits);
    driver.feed("POST /echo HTTP/1.1\r\nHost: a\r\n" + std::string(framing)).run();
    CHECK(driver.session().timer() == Timer::body);
    Restarts restarts(driver);
    driver.feed(std::string(timer_restart_bytes - 1, 'x')).run();
    CHECK(restarts.since() == 0);
    driver.feed("x").run();
    CHECK(restarts.since() == 1);
    driver.feed("x").run();
    CHECK(restarts.since() == 0);
    driver.feed(std::string(timer_restart_bytes, 'x')).run();
    CHECK(restarts.since() == 1);
    CHECK(driver.session().timer() == Timer::body);
    driver.session().expired();
    driver.run();
    CHECK(summary(driver.output) == "408");
    CHECK(driver.shut_down);
  }
}

TEST_CASE("The body timer of an unwanted body closes without another answer") {
  Driver driver(plain_site().application());
  driver.feed("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe").run();
  CHECK(driver.session().timer() == Timer::body);
  driver.session().expired();
  CHECK(driver.run() == Step::close);
  CHECK(summary(driver.output) == "404");
}

TEST_CASE("A body behind an unwanted one has its own time") {
  Driver driver(plain_site().application());
  driver.feed("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n").run();
  REQUIRE(driver.session().timer() == Timer::body);
  Restarts restarts(driver);
  driver.feed("hello" + std::string(post_head) + "he").run();
  CHECK(driver.session().timer() == Timer::body);
  CHECK(restarts.since() > 0);
}

TEST_CASE("The answer timer runs from the handler to the answer, and ends it with 503") {
  Patience patience;
  Driver driver(patience.site.application());
  driver.feed("GET /later HTTP/1.1\r\nHost: a\r\n\r\n").run();
  CHECK(driver.session().timer() == Timer::answer);
  driver.session().expired();
  CHECK(patience.responders[0].abandoned());
  CHECK(driver.run() == Step::close);
  CHECK(summary(driver.output) == "503");
  CHECK_FALSE(driver.shut_down);  // nothing is unread
  Response late;
  late.text("late");
  std::move(patience.responders[0]).send(std::move(late));
  CHECK_FALSE(driver.deliver());
}

TEST_CASE("Each deferred answer has its own time, also on one connection") {
  Patience patience;
  Driver driver(patience.site.application());
  const std::string_view later = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n";
  driver.feed(std::string(later) + std::string(later)).run();
  Restarts restarts(driver);
  Response first;
  first.text("1");
  std::move(patience.responders[0]).send(std::move(first));
  CHECK(driver.run() == Step::wait);
  CHECK(driver.session().timer() == Timer::answer);
  CHECK(restarts.since() > 0);
}

TEST_CASE("Each handler has its own time, also behind an answer that has not been sent yet") {
  Driver driver(plain_site().application());
  driver.feed(std::string(get) + std::string(get));
  REQUIRE(driver.run_until(Step::handle) == Step::handle);
  CHECK(driver.session().timer() == Timer::answer);
  Restarts restarts(driver);
  driver.handle();
  REQUIRE(driver.step() == Step::handle);
  CHECK(driver.session().timer() == Timer::answer);
  CHECK(restarts.since() == 1);
  driver.run();
}

TEST_CASE("An answer that is too late for its timer while the handler still runs") {
  Patience patience;
  Driver driver(patience.site.application());
  driver.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(driver.run_until(Step::handle) == Step::handle);
  CHECK(driver.session().timer() == Timer::answer);
  driver.session().expired();
  REQUIRE(driver.step() == Step::send);
  while (driver.step() == Step::send) driver.send(7);
  CHECK(summary(driver.output) == "503");
  CHECK(driver.step() == Step::wait);  // until the handler gives back what it was lent
  CHECK(driver.session().timer() == Timer::answer);
  driver.session().expired();  // a second time changes nothing
  CHECK(driver.step() == Step::wait);
  driver.handle();
  CHECK(driver.run() == Step::close);
  CHECK(summary(driver.output) == "503");
}

TEST_CASE("A handler that defers when its time is up already is told that nobody waits") {
  Patience patience;
  Driver driver(patience.site.application());
  driver.feed("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(driver.run_until(Step::handle) == Step::handle);
  driver.session().expired();
  driver.handle();
  CHECK(patience.responders[0].abandoned());
  CHECK(driver.run() == Step::close);
  CHECK(summary(driver.output) == "503");
}

TEST_CASE("The send timer starts anew with each 64 KiB taken and ends in a reset") {
  Patience patience;
  Driver driver(patience.site.application());
  driver.feed("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(driver.run_until(Step::send) == Step::send);
  CHECK(driver.session().timer() == Timer::send);
  Restarts restarts(driver);
  driver.send(timer_restart_bytes - 1);
  driver.step();
  CHECK(restarts.since() == 0);
  driver.send(1);
  driver.step();
  CHECK(restarts.since() == 1);
  driver.send(timer_restart_bytes);
  driver.step();
  CHECK(restarts.since() == 1);
  driver.session().expired();
  const std::size_t sent = driver.output.size();
  CHECK(driver.run() == Step::reset);
  CHECK(driver.output.size() == sent);
}

TEST_CASE("What was received does not count as sent") {
  Patience patience;
  Driver driver(patience.site.application());
  const std::string body(timer_restart_bytes - 10, 'x');
  driver.feed("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  REQUIRE(driver.run_until(Step::send) == Step::send);
  Restarts restarts(driver);
  driver.send(20);
  driver.step();
  CHECK(restarts.since() == 0);
}

TEST_CASE("What was sent does not count as received") {
  Patience patience;
  patience.site.add("/almost", [](const Request&, Response& response) {
    response.body(std::string(timer_restart_bytes - 1000, 'x'), "");
  });
  Driver driver(patience.site.application());
  driver.feed("GET /almost HTTP/1.1\r\nHost: a\r\n\r\n").run();
  driver.feed("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n").run();
  CHECK(driver.session().timer() == Timer::body);
  Restarts restarts(driver);
  driver.feed(std::string(5000, 'x')).run();
  CHECK(restarts.since() == 0);
}

TEST_CASE("Answers sent one after the other have the send timer anew") {
  Driver driver(plain_site().application());
  driver.feed(get).run_until(Step::send);
  Restarts restarts(driver);
  driver.send(all);
  driver.feed(get).run_until(Step::send);
  CHECK(driver.session().timer() == Timer::send);
  CHECK(restarts.since() > 0);
}

TEST_CASE("The linger timer runs once and closes") {
  Driver driver(plain_site().application());
  driver.feed("bad\r\n").run();
  CHECK(driver.session().timer() == Timer::linger);
  Restarts restarts(driver);
  driver.feed(std::string(2 * timer_restart_bytes, 'x')).run();
  CHECK(driver.session().timer() == Timer::linger);
  CHECK(restarts.since() == 0);
  driver.session().expired();
  CHECK(driver.run() == Step::close);
}
