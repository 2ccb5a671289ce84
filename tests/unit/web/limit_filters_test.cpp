// How much, how often and how many at once.
#include "web/limit_filters.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "catch.h"
#include "unit/app/asking.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

Route text_route(Filter filter) {
  return filter({[](const Request&, Response& response) { response.text("x"); }});
}

// A client from this address asks once.
HttpResponse ask_from(const Route& route, const std::string& address,
                      const std::string& bytes = request("GET /")) {
  Driver driver([&route](const Request&) -> const Route& { return route; });
  driver.connection().remote_address = address;
  driver.feed(bytes).run();
  std::string_view output = driver.output;
  const auto answer = take_response(output, "GET", Stream::open);
  REQUIRE(answer);
  return *answer;
}

int status_from(const Route& route, const std::string& address) {
  return ask_from(route, address).status;
}

}  // namespace

TEST_CASE("A body has the limit of its route") {
  const Route route = text_route(size_limit(10));
  const auto status = [&route](std::size_t size) {
    return ask([&route](const Request&) -> const Route& { return route; }, "POST /", {},
               std::string(size, 'x'))
        .status;
  };
  CHECK(status(10) == 200);
  CHECK(status(11) == 413);
  Route lower{route.handle, [](const Request&, Response&) { return Intake{5, nullptr}; }};
  lower = size_limit(10)(std::move(lower));
  CHECK(ask([&lower](const Request&) -> const Route& { return lower; }, "POST /", {}, "123456")
            .status == 413);
}

TEST_CASE("A client gets its burst, then one token at a time") {
  std::uint64_t now = 5'000;
  const Route route =
      text_route(rate_limit({60, std::chrono::minutes(1), 3, 64}, [&now] { return now; }));
  for (int i = 0; i < 3; ++i) CHECK(status_from(route, "10.0.0.1:" + std::to_string(i)) == 200);
  const HttpResponse refused = ask_from(route, "10.0.0.1:9");
  CHECK(refused.status == 429);
  CHECK(refused.field("Retry-After") == "1");
  now += 999;
  CHECK(status_from(route, "10.0.0.1:9") == 429);
  now += 1;
  CHECK(status_from(route, "10.0.0.1:9") == 200);
  CHECK(status_from(route, "10.0.0.1:9") == 429);
  now += 100'000;
  for (int i = 0; i < 3; ++i) CHECK(status_from(route, "10.0.0.1:1") == 200);
  CHECK(status_from(route, "10.0.0.1:1") == 429);
}

TEST_CASE("Each client has a bucket of its own") {
  std::uint64_t now = 0;
  const Route route =
      text_route(rate_limit({1, std::chrono::hours(1), 1, 64}, [&now] { return now; }));
  CHECK(status_from(route, "10.0.0.1:1") == 200);
  CHECK(status_from(route, "10.0.0.2:1") == 200);
  CHECK(status_from(route, "[::1]:1") == 200);
  CHECK(status_from(route, "[::1]:2") == 429);
  CHECK(ask_from(route, "10.0.0.1:2").field("Retry-After") == "3600");
}

TEST_CASE("A full table forgets, and refuses nobody who is new") {
  std::uint64_t now = 0;
  const Route route =
      text_route(rate_limit({1, std::chrono::hours(1), 1, 8}, [&now] { return now; }));
  for (int i = 0; i < 1000; ++i) {
    ++now;
    CHECK(status_from(route, "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250) +
                                 ":1") == 200);
  }
}

TEST_CASE("A request with a body takes one token") {
  std::uint64_t now = 0;
  const Route route =
      text_route(rate_limit({1, std::chrono::hours(1), 2, 64}, [&now] { return now; }));
  const std::string post = request("POST /", {}, "12345");
  CHECK(ask_from(route, "10.0.0.1:1", post).status == 200);
  CHECK(ask_from(route, "10.0.0.1:1", post).status == 200);
  CHECK(ask_from(route, "10.0.0.1:1", post).status == 429);
}

TEST_CASE("So many requests are taken at once, and more when one is over") {
  Route route{[](const Request&, Response& response) { response.text("x"); }};
  route = concurrency_limit(2, std::chrono::seconds(7))(std::move(route));
  const Application application = [&route](const Request&) -> const Route& { return route; };
  const std::string half = request("POST /", {}, "12345");
  const auto begin = std::string_view(half).substr(0, half.size() - 1);
  Driver first(application);
  Driver second(application);
  first.feed(begin).run();
  second.feed(begin).run();
  const HttpResponse refused = ask_from(route, "10.0.0.1:1");
  CHECK(refused.status == 503);
  CHECK(refused.field("Retry-After") == "7");
  first.feed("5").run();
  CHECK(ask_from(route, "10.0.0.1:1").status == 200);
  first.feed(begin).run();
  CHECK(ask_from(route, "10.0.0.1:1").status == 503);
  second.session().reset_by_peer();
  CHECK(ask_from(route, "10.0.0.1:1").status == 200);
  first.session().expired();
  first.run();
  for (int i = 0; i < 5; ++i) CHECK(ask_from(route, "10.0.0.1:1").status == 200);
}

TEST_CASE("Two limits around one route count for themselves") {
  Route route{[](const Request&, Response& response) { response.text("x"); }};
  route = filtered(std::move(route), {concurrency_limit(3), concurrency_limit(1)});
  const Application application = [&route](const Request&) -> const Route& { return route; };
  const std::string half = request("POST /", {}, "12345");
  Driver first(application);
  first.feed(std::string_view(half).substr(0, half.size() - 1)).run();
  for (int i = 0; i < 5; ++i) CHECK(ask_from(route, "10.0.0.1:1").status == 503);
  first.feed("5").run();
  CHECK(ask_from(route, "10.0.0.1:1").status == 200);
}

TEST_CASE("A deferred answer counts until it is there, and a handler that throws no longer") {
  std::unique_ptr<Responder> later;
  Route route{[&later](const Request& request, Response& response) {
    if (request.path() == "/throws") throw std::runtime_error("broken");
    later = std::make_unique<Responder>(response.defer());
  }};
  route = concurrency_limit(1)(std::move(route));
  const Application application = [&route](const Request&) -> const Route& { return route; };
  CHECK(ask_from(route, "10.0.0.1:1", request("GET /throws")).status == 500);
  Driver driver(application);
  driver.feed(request("GET /")).run();
  CHECK(ask_from(route, "10.0.0.1:1").status == 503);
  std::move(*later).send(Response());
  driver.run();
  CHECK(ask_from(route, "10.0.0.1:1", request("GET /throws")).status == 500);
}
