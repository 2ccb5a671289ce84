// How connections end: half-closed, reset, lingering, drained.
#include <memory>
#include <string>
#include <string_view>

#include "catch.h"
#include "http/session.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view half_a_body =
    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe";

// A site whose `/later` promises an answer, and the promise.
struct Promise {
  Promise() {
    site.add("/later", [this](const Request&, Response& response) {
      responder = std::make_unique<Responder>(response.defer());
    });
  }
  void keep() {
    Response response;
    response.text("late");
    std::move(*responder).send(std::move(response));
    responder.reset();
  }
  Site site = plain_site();
  std::unique_ptr<Responder> responder;
};

constexpr std::string_view later = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n";

}  // namespace

TEST_CASE("What a half-closed client sent whole is answered, then the connection closes") {
  const Application application = plain_site().application();
  const auto talk = [&application](std::string_view input) {
    const Conversation conversation = converse(application, input, Client::half_closes);
    CHECK((conversation.end == End::closed));
    return summary(conversation.output);
  };
  CHECK(talk("").empty());
  CHECK(talk("\r\n") == "");
  CHECK(talk(get) == "200 hello");
  CHECK(talk(std::string(get) + std::string(get)) == "200 hello | 200 hello");
  CHECK(talk(std::string(get) + "GET / HT") == "200 hello | 400");
  CHECK(talk("G") == "400");
  CHECK(talk(half_a_body) == "400");
  CHECK(talk(std::string(half_a_body) + "llo") == "200 hello");
  CHECK(talk("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel") ==
        "400");
  CHECK(talk("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n") == "400");
  CHECK(talk("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe") == "404");
  CHECK(talk("GET /close HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(get)) == "200 bye");
}

TEST_CASE("Nobody lingers for a client that has half-closed") {
  const Application application = plain_site().application();
  CHECK_FALSE(converse(application, "G", Client::half_closes).lingers);
  CHECK_FALSE(converse(application, half_a_body, Client::half_closes).lingers);
}

TEST_CASE("A half-close that comes while a request is served does not cancel it") {
  Promise promise;
  SECTION("while the handler runs") {
    Driver driver(promise.site.application());
    driver.feed(get);
    REQUIRE(driver.run_until(Step::handle) == Step::handle);
    driver.session().received_end();
    CHECK(driver.step() == Step::handle);
    CHECK(driver.run() == Step::close);
    CHECK(summary(driver.output) == "200 hello");
  }
  SECTION("while a deferred answer is awaited") {
    Driver driver(promise.site.application());
    driver.feed(later);
    REQUIRE(driver.run() == Step::wait);
    driver.session().received_end();
    CHECK(driver.run() == Step::wait);
    CHECK_FALSE(promise.responder->abandoned());
    promise.keep();
    CHECK(driver.run() == Step::close);
    CHECK(summary(driver.output) == "200 late");
  }
  SECTION("while the answer is sent") {
    Driver driver(promise.site.application());
    driver.feed(get);
    REQUIRE(driver.run_until(Step::send) == Step::send);
    driver.send(10);
    driver.session().received_end();
    CHECK(driver.run() == Step::close);
    CHECK(summary(driver.output) == "200 hello");
  }
}

TEST_CASE("A reset ends the session at any step, and nothing more is sent") {
  Promise promise;
  const auto reset = [](Driver& driver) {
    const std::string sent = driver.output;
    driver.session().reset_by_peer();
    CHECK(driver.connection().client_gone);
    CHECK(driver.run() == Step::reset);
    CHECK(driver.output == sent);
  };
  SECTION("before the first byte") {
    Driver driver(promise.site.application());
    driver.step();
    reset(driver);
  }
  SECTION("in a head") {
    Driver driver(promise.site.application());
    driver.feed("GET").run();
    reset(driver);
  }
  SECTION("in a body") {
    Driver driver(promise.site.application());
    driver.feed(half_a_body).run();
    reset(driver);
  }
  SECTION("before handling, with answers gathered") {
    Driver driver(promise.site.application());
    driver.feed(std::string(get) + std::string(get)).run_until(Step::handle);
    driver.handle();
    REQUIRE(driver.step() == Step::handle);
    driver.session().reset_by_peer();
    CHECK(driver.step() == Step::wait);  // the second request is lent
    driver.session().handled();
    CHECK(driver.run() == Step::reset);
    CHECK(driver.output.empty());
  }
  SECTION("while waiting") {
    Driver driver(promise.site.application());
    driver.feed(later).run();
    reset(driver);
    CHECK(promise.responder->abandoned());
  }
  SECTION("while sending") {
    Driver driver(promise.site.application());
    driver.feed(get).run_until(Step::send);
    driver.send(1);
    reset(driver);
  }
  SECTION("while discarding a body") {
    Driver driver(promise.site.application());
    driver.feed("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n").run();
    reset(driver);
  }
  SECTION("while lingering") {
    Driver driver(promise.site.application());
    driver.feed("bad\r\n").run();
    REQUIRE(driver.shut_down);
    reset(driver);
  }
  SECTION("after the close") {
    Driver driver(promise.site.application());
    driver.end_input().run();
    driver.session().reset_by_peer();
    driver.session().received_end();
  }
}

TEST_CASE("A request that is lent when the client resets stays whole until it is given back") {
  Promise promise;
  promise.site.add(
      "/path", [](const Request& request, Response& response) { response.text(request.path()); });
  Driver driver(promise.site.application());
  driver.feed("GET /path HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(driver.run_until(Step::handle) == Step::handle);
  driver.session().reset_by_peer();
  CHECK(driver.step() == Step::wait);
  CHECK(driver.session().request().path() == "/path");
  driver.handle();
  CHECK(driver.step() == Step::reset);
  CHECK(driver.output.empty());
}

TEST_CASE("An answer promised by a handler whose client is gone is wanted by nobody") {
  Promise promise;
  Driver driver(promise.site.application());
  driver.feed(later);
  REQUIRE(driver.run_until(Step::handle) == Step::handle);
  driver.session().reset_by_peer();
  driver.handle();
  CHECK(promise.responder->abandoned());
  CHECK(driver.step() == Step::reset);
  promise.keep();
  CHECK_FALSE(driver.deliver());
}

TEST_CASE("A connection lingers until the client ends, or has sent too much") {
  Limits limits;
  limits.max_linger = 1000;
  const auto refused = [&limits] {
    auto driver = std::make_unique<Driver>(plain_site().application(), limits);
    driver->feed("bad\r\n");
    REQUIRE(driver->run() == Step::receive);
    REQUIRE(driver->shut_down);
    CHECK(driver->session().timer() == Timer::linger);
    return driver;
  };
  const auto ended = refused();
  CHECK(ended->feed("more").run() == Step::receive);
  CHECK(ended->end_input().run() == Step::close);

  const auto flooded = refused();
  CHECK(flooded->feed(std::string(1000, 'x')).run() == Step::receive);
  CHECK(flooded->feed("x").run() == Step::close);
  CHECK(summary(flooded->output) == "400");
}

TEST_CASE("A draining server's next answer is its last") {
  Promise promise;
  SECTION("told while idle") {
    Driver driver(promise.site.application());
    driver.feed(get).run();
    driver.common().draining = true;
    CHECK(driver.step() == Step::receive);
    CHECK(driver.session().idle());
    CHECK(driver.feed(get).run() == Step::close);
    CHECK(read_answers(driver.output)[0].count("Connection") == 0);
    CHECK(read_answers(driver.output)[1].field("Connection") == "close");
  }
  SECTION("told while a handler has the request") {
    Driver driver(promise.site.application());
    driver.feed(get).run_until(Step::handle);
    driver.common().draining = true;
    CHECK(driver.run() == Step::close);
    CHECK(read_answers(driver.output)[0].field("Connection") == "close");
  }
  SECTION("told while an answer is awaited, with a request behind it") {
    Driver driver(promise.site.application());
    driver.feed(std::string(later) + std::string(get)).run();
    driver.common().draining = true;
    promise.keep();
    driver.run();
    CHECK(summary(driver.output) == "200 late");
    CHECK(read_answers(driver.output)[0].field("Connection") == "close");
    CHECK(driver.shut_down);  // the other request was not read
  }
  SECTION("told in the middle of a body") {
    Driver driver(promise.site.application());
    driver.feed(half_a_body).run();
    driver.common().draining = true;
    CHECK(driver.feed("llo").run() == Step::close);
    CHECK(summary(driver.output) == "200 hello");
  }
}

TEST_CASE("The memory of one connection serves the next") {
  Limits limits;
  Workspace::Common common(plain_site().application());
  Workspace workspace(limits, common);
  const auto postbox = std::make_shared<FakePostbox>();
  std::span<char> rooms[2];
  for (std::span<char>& room : rooms) {
    ConnectionInfo connection;
    Session session(limits, workspace, postbox, connection);
    REQUIRE(session.next() == Step::receive);
    room = session.read_buffer();
  }
  CHECK(rooms[0].data() == rooms[1].data());
}
