// Answers that come later: from anywhere, once, in their place, or not at all.
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
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
constexpr std::string_view later = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n";

void answer(Responder& responder, std::string_view text) {
  Response response;
  response.text(text);
  std::move(responder).send(std::move(response));
}

// A site with paths that promise answers in several ways, and the promises.
struct Promises {
  Promises() {
    site.add("/later", [this](const Request&, Response& response) {
      responders.push_back(response.defer());
    });
    site.add("/at-once", [](const Request&, Response& response) {
      Responder responder = response.defer();
      answer(responder, "at once");
    });
    site.add("/thread", [](const Request&, Response& response) {
      std::thread([responder = response.defer()]() mutable {
        answer(responder, "from a thread");
      }).join();
    });
    site.add("/dropped", [](const Request&, Response& response) { response.defer(); });
    site.add("/throws", [](const Request&, Response& response) {
      const Responder responder = response.defer();
      throw std::runtime_error("after defer()");
    });
    site.add("/twice", [this](const Request&, Response& response) {
      responders.push_back(response.defer());
      responders.push_back(response.defer());
    });
    site.add("/overwritten", [this](const Request&, Response& response) {
      response.status(Status::created);
      response.text("dropped");
      response.set_field("X-Dropped", "1");
      responders.push_back(response.defer());
      response.text("dropped too");
    });
  }
  Site site = plain_site();
  std::vector<Responder> responders;
};

std::string talk(std::string_view path) {
  Promises promises;
  const std::string input = "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  const Conversation conversation = converse(promises.site.application(), input + std::string(get));
  CHECK((conversation.end == End::kept));
  return summary(conversation.output);
}

}  // namespace

TEST_CASE("A deferred answer comes when it comes, and the connection goes on") {
  Promises promises;
  Driver driver(promises.site.application());
  CHECK(driver.feed(later).run() == Step::wait);
  CHECK(driver.output.empty());
  CHECK(driver.run() == Step::wait);
  CHECK_FALSE(promises.responders[0].abandoned());
  answer(promises.responders[0], "done");
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 done");
  CHECK(driver.feed(get).run() == Step::receive);
  CHECK(summary(driver.output) == "200 done | 200 hello");
}

TEST_CASE("Answers given before the handler returns") {
  CHECK(talk("/at-once") == "200 at once | 200 hello");
  CHECK(talk("/thread") == "200 from a thread | 200 hello");
}

TEST_CASE("A letter that is delivered while its handler still runs is not lost") {
  Promises promises;
  Driver driver(promises.site.application());
  driver.feed("GET /at-once HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(get));
  REQUIRE(driver.run_until(Step::handle) == Step::handle);
  Session& session = driver.session();
  run(session.route().handle, session.request(), session.response());
  CHECK(driver.deliver());  // what a loop does while a worker is between send() and its return
  CHECK(driver.step() == Step::handle);
  session.handled();
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 at once | 200 hello");
}

TEST_CASE("A promise that is dropped is answered 500") {
  CHECK(talk("/dropped") == "500 | 200 hello");
  Promises promises;
  Driver driver(promises.site.application());
  CHECK(driver.feed(later).run() == Step::wait);
  promises.responders.clear();
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "500");
}

TEST_CASE("A handler that throws after defer() is answered 500, once") {
  CHECK(talk("/throws") == "500 | 200 hello");
}

TEST_CASE("Of two promises for one request the last one counts") {
  Promises promises;
  Driver driver(promises.site.application());
  driver.feed("GET /twice HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(get)).run();
  answer(promises.responders[0], "first");
  CHECK(driver.run() == Step::wait);
  answer(promises.responders[1], "second");
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 second | 200 hello");
}

TEST_CASE("What was set before and after defer() is dropped") {
  Promises promises;
  Driver driver(promises.site.application());
  driver.feed("GET /overwritten HTTP/1.1\r\nHost: a\r\n\r\n").run();
  answer(promises.responders[0], "this");
  driver.run();
  CHECK(summary(driver.output) == "200 this");
  CHECK_FALSE(read_answers(driver.output)[0].has("X-Dropped"));
}

TEST_CASE("Requests behind a deferred one wait for it and are then answered") {
  Promises promises;
  Driver driver(promises.site.application());
  driver.feed(std::string(get) + std::string(later) + std::string(get) + std::string(later) +
              std::string(get));
  CHECK(driver.run() == Step::wait);
  CHECK(summary(driver.output) == "200 hello");  // what is ready leaves
  answer(promises.responders.at(0), "one");
  CHECK(driver.run() == Step::wait);
  CHECK(summary(driver.output) == "200 hello | 200 one | 200 hello");
  answer(promises.responders.at(1), "two");
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 hello | 200 one | 200 hello | 200 two | 200 hello");
}

TEST_CASE("An answer for another request or another connection is stale") {
  Promises promises;
  Driver first(promises.site.application());
  first.connection().id = 100;
  Driver second(promises.site.application());
  second.connection().id = 200;
  first.feed(later).run();
  second.feed(later).run();
  answer(promises.responders[0], "for the first");
  const std::shared_ptr<Deferred> letter = first.postbox().take();
  REQUIRE(letter);
  CHECK_FALSE(second.session().answer(*letter));
  CHECK(second.run() == Step::wait);
  CHECK(first.session().answer(*letter));
  CHECK_FALSE(first.session().answer(*letter));  // once
  CHECK(first.run() == Step::receive);
  CHECK(summary(first.output) == "200 for the first");
}

TEST_CASE("An answer that comes when its request is long over is stale") {
  Promises promises;
  Driver driver(promises.site.application());
  driver.feed("GET /twice HTTP/1.1\r\nHost: a\r\n\r\n").run();
  answer(promises.responders[1], "in time");
  driver.run();
  answer(promises.responders[0], "late");
  CHECK_FALSE(driver.deliver());
  CHECK(driver.feed(later).run() == Step::wait);
  CHECK(promises.responders.size() == 3);
  answer(promises.responders[2], "next");
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 in time | 200 next");
}

TEST_CASE("An answer from another thread while the connection waits") {
  Promises promises;
  Driver driver(promises.site.application());
  driver.feed(later).run();
  std::thread worker([&promises] { answer(promises.responders[0], "from a thread"); });
  driver.postbox().wait_for(1);
  CHECK(driver.run() == Step::receive);
  worker.join();
  CHECK(summary(driver.output) == "200 from a thread");
}

TEST_CASE("A promise outlives its connection") {
  Promises promises;
  {
    Driver driver(promises.site.application());
    driver.feed(later).run();
  }
  CHECK(promises.responders[0].abandoned());
  promises.responders.clear();
  SUCCEED("the postbox lived as long as the promise");
}

TEST_CASE("A deferred answer keeps what its request asked of the connection") {
  Promises promises;
  Driver driver(promises.site.application());
  driver.feed("GET /later HTTP/1.0\r\n\r\n").run();
  answer(promises.responders[0], "old");
  CHECK(driver.run() == Step::close);
  CHECK(read_answers(driver.output)[0].field("Connection") == "close");

  Driver head(promises.site.application());
  head.feed("HEAD /later HTTP/1.1\r\nHost: a\r\n\r\n").run();
  answer(promises.responders[1], "not sent");
  CHECK(head.run() == Step::receive);
  CHECK(read_answers(head.output, {"HEAD"})[0].field("Content-Length") == "8");
}

TEST_CASE("postpone() lets earlier answers leave before a handler begins") {
  Driver driver(plain_site().application());
  driver.feed(std::string(get) + std::string(get));
  REQUIRE(driver.run_until(Step::handle) == Step::handle);
  CHECK_FALSE(driver.session().postpone());
  driver.handle();
  REQUIRE(driver.step() == Step::handle);
  CHECK(driver.session().postpone());
  REQUIRE(driver.step() == Step::send);
  driver.send(5);
  REQUIRE(driver.step() == Step::send);
  driver.send(all);
  REQUIRE(driver.step() == Step::handle);
  CHECK_FALSE(driver.session().postpone());
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 hello | 200 hello");
}
