// Handlers that fail, and what the observer hears.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "http/session.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

std::string get_path(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

Site failing_site() {
  Site site = plain_site();
  site.add("/throws", [](const Request&, Response& response) {
    response.status(Status::created);
    response.set_field("X-Half", "1");
    response.text("half an answer");
    response.close_after();
    throw std::runtime_error("/etc/secret <of the server>");
  });
  site.add("/throws-int", [](const Request&, Response&) { throw 7; });
  site.add("/injects", [](const Request&, Response& response) {
    response.set_field("X", "a\r\nSet-Cookie: evil");
  });
  site.add(
      "/admit-throws", [](const Request&, Response&) {},
      [](const Request&, Response& response) -> std::optional<Intake> {
        response.set_field("X-Half", "1");
        throw std::runtime_error("admit");
      });
  site.add(
      "/admit-defers", [](const Request&, Response&) {},
      [](const Request&, Response& response) -> std::optional<Intake> {
        response.defer();
        return std::nullopt;
      });
  return site;
}

}  // namespace

TEST_CASE("A handler that throws is answered 500 and the connection goes on") {
  const Site site = failing_site();
  for (const std::string_view path : {"/throws", "/throws-int", "/injects"}) {
    CAPTURE(path);
    const Conversation first = converse(site.application(), get_path(path) + std::string(get));
    CHECK(summary(first.output) == "500 | 200 hello");
    const Conversation pipelined = converse(
        site.application(), std::string(get) + get_path(path) + std::string(get) + get_path(path));
    CHECK(summary(pipelined.output) == "200 hello | 500 | 200 hello | 500");
    CHECK((pipelined.end == End::kept));
  }
}

TEST_CASE("Nothing of a failed answer reaches the client") {
  const Site site = failing_site();
  const HttpResponse answer =
      read_answers(converse(site.application(), get_path("/throws")).output).at(0);
  CHECK_FALSE(answer.has("X-Half"));
  CHECK(answer.body.find("secret") == std::string::npos);
  CHECK(answer.body.find("half") == std::string::npos);
  CHECK(answer.field("Content-Type") == "text/html; charset=utf-8");
}

TEST_CASE("An admit that throws is answered 500, before the body") {
  const Site site = failing_site();
  for (const std::string_view path : {"/admit-throws", "/admit-defers"}) {
    CAPTURE(path);
    Driver driver(site.application());
    driver.feed("POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    CHECK(driver.run() == Step::receive);
    CHECK(summary(driver.output) == "500");
    CHECK_FALSE(read_answers(driver.output)[0].has("X-Half"));
    driver.feed("hello" + std::string(get)).run();
    CHECK(summary(driver.output) == "500 | 200 hello");
  }
}

TEST_CASE("An application that throws is answered 500") {
  const Application application = [](const Request&) -> const Route& {
    throw std::runtime_error("no route");
  };
  const Conversation conversation =
      converse(application, std::string(get) +
                                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                                "\r\nab" +
                                std::string(get));
  CHECK(summary(conversation.output) == "500 | 500 | 500");
}

TEST_CASE("defer() and resumer() outside of a handler are mistakes that are told") {
  Response response;
  CHECK_THROWS_AS(response.defer(), std::logic_error);
  CHECK_THROWS_AS(response.resumer(), std::logic_error);
  std::unique_ptr<Response> kept;
  Site site;
  site.add("/", [&kept](const Request&, Response& given) {
    given.text("moved away");
    kept = std::make_unique<Response>(std::move(given));
    given.text("in its place");
  });
  CHECK(summary(converse(site.application(), get).output) == "200 in its place");
  CHECK_THROWS_AS(kept->defer(), std::logic_error);
}

TEST_CASE("The observer hears of requests and answers") {
  const Site site = failing_site();
  Driver driver(site.application());
  driver.feed(get_path("/?q") + "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" +
              "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  driver.run();
  const auto answers = read_answers(driver.output, {"GET", "POST", "HEAD"});
  REQUIRE(answers.size() == 3);
  const auto size = [&answers](std::size_t i) {
    return std::to_string(answers[i].head.size() + answers[i].body.size());
  };
  CHECK(driver.recorder().lines ==
        std::vector<std::string>{
            "read_request 29", "response_ready " + size(0), "answered GET /  200 5",
            "pipeline_request 57", "response_ready " + size(1), "answered POST /echo  200 3",
            "pipeline_request 47", "response_ready " + size(2), "answered HEAD /  200 0",
            "write_response " + std::to_string(driver.output.size()), "close_after_response 0"});
}

TEST_CASE("The observer hears of limits, timers and refused requests") {
  Limits limits;
  limits.max_request_line = 20;
  limits.max_request_size = 2;
  const auto heard = [&limits](std::string_view input, bool expire) {
    Driver driver(plain_site().application(), limits);
    driver.feed(input).run();
    if (expire) driver.session().expired();
    driver.run();
    std::string text;
    for (const std::string& line : driver.recorder().lines) {
      if (line.starts_with("response_ready")) continue;
      if (!text.empty()) text += ", ";
      text += line.substr(0, line.rfind(' '));
    }
    return text;
  };
  CHECK(heard("GET /aaaaaaaaaaaaaaaaaaaaaaaaa", false) ==
        "exceed_request_max_close, answered ?  414, write_response, close_after_response");
  CHECK(heard("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", false) ==
        "exceed_request_max_close, answered POST /echo  413, write_response, close_after_response");
  CHECK(heard("GET", true) ==
        "request_timeout, answered ?  408, write_response, close_after_response");
  CHECK(heard("", true) == "request_timeout");
}

TEST_CASE("The observer hears of an answer that was given in the handler's place") {
  Driver driver(plain_site().application());
  driver.feed(get).run_until(Step::handle);
  driver.session().expired();
  driver.handle();
  driver.run();
  unsigned answered = 0;
  for (const std::string& line : driver.recorder().lines) {
    if (line.starts_with("answered GET /  503 ")) ++answered;
  }
  CHECK(answered == 1);
}

TEST_CASE("The observer hears of the send that leaves nothing") {
  Driver driver(plain_site().application());
  driver.feed(std::string(get) + std::string(get)).run_until(Step::send);
  const auto last = [&driver] { return driver.recorder().lines.back(); };
  driver.send(10);
  CHECK(last() == "answered GET /  200 5");
  const std::size_t left = driver.session().output().memory[0].iov_len;
  driver.send(left);
  CHECK(last() == "write_response " + std::to_string(left));
}

TEST_CASE("The observer hears of an answer whose source fails") {
  struct Failing : BodySource {
    Produced produce(std::span<char> /*room*/) override { return {0, Flow::failed}; }
  };
  Site site;
  site.add("/", [](const Request&, Response& response) {
    response.stream(std::make_unique<Failing>(), "text/plain");
  });
  Driver driver(site.application());
  CHECK(driver.feed(get).run() == Step::reset);
  CHECK(driver.recorder().lines.back() == "response_ready_error 0");
}

TEST_CASE("The observer is told the route's pattern") {
  const Route route{[](const Request&, Response& response) { response.text("x"); },
                    {},
                    Where::here,
                    "/files/..."};
  Driver driver([&route](const Request&) -> const Route& { return route; });
  driver.feed(get_path("/files/a/b")).run();
  CHECK(driver.recorder().lines.end()[-2] == "answered GET /files/a/b /files/... 200 1");
}
