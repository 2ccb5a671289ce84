// What a trace tells of handlers.
#include "app/traced_handlers.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "catch.h"
#include "unit/app/asking.h"
#include "unit/base/unit_fixtures.h"
#include "web/router.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// What is told of one handler, and of what it tells itself.
std::vector<std::string> told_of(const Handler& handler, int expected) {
  const Pipe pipe;
  Logger logger(LogLevel::debug, pipe.write_end());
  Metrics metrics;
  Telemetry telemetry(logger, metrics);
  Router routes;
  routes.add("/a/...", {Method::get}, {[&](const Request& request, Response& response) {
               logger.log(LogEvent("inside"));
               handler(request, response);
             }});
  const Application traced = trace_handlers(routes.application(), telemetry);
  CHECK(ask(traced, "GET /a/b").status == expected);
  return lines_of(pipe.text());
}

void check_order(const std::vector<std::string>& lines) {
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("event=handler_enter id=") != std::string::npos);
  CHECK(lines[0].ends_with("request=1 route=\"/a/...\""));
  CHECK(lines[1].find("event=inside") != std::string::npos);
  CHECK(lines[2].find("event=handler_leave id=") != std::string::npos);
  CHECK(lines[2].ends_with("request=1"));
}

}  // namespace

TEST_CASE("A handler is told of before and after") {
  check_order(told_of([](const Request&, Response& response) { response.text("x"); }, 200));
}

TEST_CASE("A handler that throws is left, too") {
  check_order(told_of([](const Request&, Response&) { throw std::runtime_error("no"); }, 500));
}

TEST_CASE("A traced route is the same route each time, and has all that its own has") {
  const Pipe pipe;
  Logger logger(LogLevel::debug, pipe.write_end());
  Metrics metrics;
  Telemetry telemetry(logger, metrics);
  Router routes;
  routes.add(
      "/a", {Method::get}, [](const Request&, Response&) {}, Where::pool);
  const Application traced = trace_handlers(
      Application([&](const Request&) -> const Route& { return routes.find(Method::get, "/a"); }),
      telemetry);
  const Route* first = nullptr;
  const Application watched([&](const Request& head) -> const Route& {
    const Route& route = traced(head);
    CHECK(route.where == Where::pool);
    CHECK(route.pattern == "/a");
    if (first != nullptr) CHECK(first == &route);
    first = &route;
    return route;
  });
  ask(watched, "GET /a");
  ask(watched, "GET /a");
  CHECK(first != nullptr);
}
