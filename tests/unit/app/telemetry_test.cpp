// What a request leaves behind in the logs and counts.
#include "app/telemetry.h"

#include <string>
#include <vector>

#include "app/echo.h"
#include "catch.h"
#include "unit/app/asking.h"
#include "unit/base/unit_fixtures.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// Answers `bytes` by a session that tells everything to a Telemetry at this level; what was logged.
std::string logged(LogLevel level, std::string_view bytes, Metrics& metrics) {
  const Pipe pipe;
  Logger logger(level, pipe.write_end());
  Telemetry telemetry(logger, metrics);
  const Router table = echo_routes();
  metrics.name_routes(table.patterns());
  const Limits limits;
  Workspace::Common common(table.application());
  Workspace workspace(limits, common, &telemetry);
  ConnectionInfo connection;
  connection.id = 7;
  connection.remote_address = "192.0.2.1:4711";
  const auto postbox = std::make_shared<FakePostbox>();
  Session session(limits, workspace, postbox, connection);
  telemetry.accepted(connection);
  for (bool done = false; !done;) {
    switch (session.next()) {
      case Step::receive:
        done = bytes.empty();
        if (!done) {
          const std::span<char> room = session.read_buffer();
          REQUIRE(room.size() >= bytes.size());
          std::copy(bytes.begin(), bytes.end(), room.begin());
          session.received(bytes.size());
          telemetry.received(connection, bytes.size(), session.request_bytes());
          bytes = {};
        }
        break;
      case Step::handle:
        run(session.route().handle, session.request(), session.response());
        session.handled();
        break;
      case Step::send: {
        std::size_t size = 0;
        for (const iovec& piece : session.output().memory) size += piece.iov_len;
        telemetry.sent(connection, size);
        session.sent(size);
        break;
      }
      default:
        done = true;
    }
  }
  telemetry.closed(connection);
  return pipe.text();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("With logging off nothing is written, but counted") {
  Metrics metrics;
  CHECK(logged(LogLevel::off, request("GET /"), metrics).empty());
  const std::string text = metrics.text();
  CHECK(has(text, "stagecraft_answers_total{route=\"...\",status=\"2xx\"} 1\n"));
  CHECK(has(text, "stagecraft_connections_total 1\n"));
  CHECK(has(text, "stagecraft_connections_open 0\n"));
  CHECK(has(text, "stagecraft_received_bytes_total 35\n"));
}

TEST_CASE("The access log has a line for each answer") {
  Metrics metrics;
  const std::string text =
      logged(LogLevel::access, request("GET /a?b=\"c") + request("HEAD /d"), metrics);
  const auto lines = lines_of(text);
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], "192.0.2.1 - - ["));
  CHECK(has(lines[0], "\"GET /a?b=\\\"c HTTP/1.1\" 200 2"));
  CHECK(has(lines[1], "\"HEAD /d HTTP/1.1\" 200 0"));
}

TEST_CASE("A request that cannot be read has a line too") {
  Metrics metrics;
  const std::string text = logged(LogLevel::access, "GET\r\n\r\n", metrics);
  CHECK(has(text, "\"-\" 400 "));
  CHECK(has(metrics.text(), "stagecraft_answers_total{route=\"\",status=\"4xx\"} 1\n"));
}

TEST_CASE("The events of a request are told in their order, with their numbers") {
  Metrics metrics;
  const std::string text = logged(LogLevel::debug, request("GET /"), metrics);
  std::size_t at = 0;
  for (const char* event :
       {"event=accept id=7 remote_address=", "event=read_bytes id=7 read_bytes=35 request_bytes=35",
        "event=read_request id=7 request_bytes=35",
        "event=response_ready id=7 num_bytes=", "event=write id=7 num_bytes=",
        "event=write_response id=7 num_bytes=", "event=close id=7"}) {
    INFO(event << " in " << text);
    const std::size_t found = text.find(event, at);
    CHECK(found != std::string::npos);
    at = found == std::string::npos ? at : found;
  }
}

TEST_CASE("A thread tells what it waits for, and a loop that it goes on") {
  const Pipe pipe;
  Logger logger(LogLevel::debug, pipe.write_end());
  Metrics metrics;
  Telemetry telemetry(logger, metrics);
  ConnectionInfo connection;
  connection.id = 7;
  telemetry.waits(connection, WaitFor::input);
  telemetry.waits(connection, WaitFor::room);
  telemetry.waits(connection, WaitFor::answer);
  telemetry.waits();
  telemetry.woke_up(3);
  const std::vector<std::string> lines = lines_of(pipe.text());
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].ends_with(" event=wait id=7 for=\"input\""));
  CHECK(lines[1].ends_with(" event=wait id=7 for=\"room\""));
  CHECK(lines[2].ends_with(" event=wait id=7 for=\"answer\""));
  CHECK(lines[3].ends_with(" event=wait for=\"anybody\""));
  CHECK(lines[4].ends_with(" event=wake_up loop=3"));
}

TEST_CASE("Nothing is allocated to tell what nobody wants to know") {
  const Pipe pipe;
  Logger logger(LogLevel::off, pipe.write_end());
  Metrics metrics;
  Telemetry telemetry(logger, metrics);
  ConnectionInfo connection;
  connection.remote_address = std::string(100, 'x');
  const auto tell_all = [&](const Request* request) {
    telemetry.accepted(connection);
    telemetry.received(connection, 1, 1);
    telemetry.waits();
    telemetry.woke_up(0);
    telemetry.waits(connection, WaitFor::input);
    telemetry.event(SessionEvent::read_request, connection, 1);
    telemetry.entered(*request, "/");
    telemetry.left(*request);
    telemetry.answered(connection, request, "/", Status::ok, 1);
    telemetry.sent(connection, 1);
    telemetry.closed(connection);
  };
  std::size_t allocated = 1;
  Router table;
  table.add("/...", {Method::get}, {[&](const Request& request, Response&) {
              tell_all(&request);
              const std::size_t before = allocations();
              tell_all(&request);
              allocated = allocations() - before;
            }});
  ask(table.application(), "GET /" + std::string(100, 'x'));
  CHECK(allocated == 0);
}

TEST_CASE("verbose: the fields of a request and of its answer, before its line") {
  Metrics metrics;
  const std::string log = logged(
      LogLevel::verbose, "GET /path/a HTTP/1.1\r\nHost: h\r\nX-Odd: \xff\"\r\n\r\n", metrics);
  const std::vector<std::string> lines = lines_of(log);
  REQUIRE(lines.size() > 5);
  CHECK(lines[0] == "> GET /path/a HTTP/1.1");
  CHECK(lines[1] == "> Host: h");
  CHECK(lines[2] == "> X-Odd: \\xff\\\"");
  CHECK(lines[3] == "< HTTP/1.1 200 OK");
  CHECK(log.find("\n< Date: ") != std::string::npos);
  CHECK(log.find("\n< Content-Length: 9\n") != std::string::npos);
  CHECK(lines.back().starts_with("192.0.2.1 - - ["));
}

TEST_CASE("verbose: nobody's credentials are shown") {
  Metrics metrics;
  const std::string log = logged(LogLevel::verbose,
                                 "GET / HTTP/1.1\r\nHost: h\r\nauthorization: Basic abc\r\n"
                                 "Cookie: session=abc\r\n\r\n",
                                 metrics);
  CHECK(log.find("abc") == std::string::npos);
  CHECK(log.find("> authorization: (not shown)\n") != std::string::npos);
  CHECK(log.find("> Cookie: (not shown)\n") != std::string::npos);
}

TEST_CASE("verbose: a request that cannot be read has no fields, its answer has") {
  Metrics metrics;
  const std::string log = logged(LogLevel::verbose, "GET / HTTP/1.1\r\nbad field\r\n\r\n", metrics);
  CHECK(log.starts_with("> -\n< HTTP/1.1 400 Bad Request\n"));
}

TEST_CASE("access and debug: no fields") {
  Metrics metrics;
  for (const LogLevel level : {LogLevel::access, LogLevel::debug}) {
    CHECK(logged(level, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", metrics).find("> ") ==
          std::string::npos);
  }
}
