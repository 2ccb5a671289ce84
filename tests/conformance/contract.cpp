// The contract of every server program: options, exit statuses, the ready line, signals.
#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/child_process.h"
#include "support/client.h"

namespace stagecraft::conformance {
namespace {

using testing::ChildProcess;

using testing::Deadline;

// Runs the program to its end and demands its exit status and one line on stderr.
void check_refused(const std::vector<std::string>& arguments, int exit_status) {
  ChildProcess program(server_program(), arguments);
  INFO("arguments: " << Catch::Detail::stringify(arguments));
  REQUIRE(program.wait_for_end(Deadline()));
  const std::string errors = program.errors();
  INFO("stderr: " << errors);
  CHECK(program.exit_status() == exit_status);
  CHECK(program.output().empty());
  CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
  CHECK(errors.size() > 10);
}

}  // namespace

TEST_CASE("A wrong option is refused with one line and status 2", "[contract]") {
  need_own_program();
  const std::vector<std::vector<std::string>> wrong{
      {"--no-such-option"},      {"--port"},        {"--port", "99999"}, {"--port", "x"},
      {"--app", "neither"},      {"--log", "loud"}, {"--port", "-1"},    {"--idle-timeout", "5"},
      {"--idle-timeout", "-1s"}, {"99999"},         {"--max-fields", ""}};
  for (const auto& arguments : wrong) check_refused(arguments, 2);
}

TEST_CASE("A port that is taken is refused with one line and status 1", "[contract]") {
  const auto own = server_with({});
  check_refused({"--port", std::to_string(own->endpoint().port)}, 1);
  check_refused({"--port", "0", "--host", "192.0.2.1"}, 1);
  own->stop();
}

TEST_CASE("--help explains the options", "[contract]") {
  need_own_program();
  ChildProcess program(server_program(), {"--help"});
  REQUIRE(program.wait_for_end(Deadline()));
  CHECK(program.exit_status() == 0);
  for (const std::string option : {"--host",
                                   "--port",
                                   "--app",
                                   "--root",
                                   "--log",
                                   "--trace",
                                   "--gates",
                                   "--config",
                                   "--grace",
                                   "--idle-timeout",
                                   "--head-timeout",
                                   "--body-timeout",
                                   "--answer-timeout",
                                   "--send-timeout",
                                   "--linger-timeout",
                                   "--request-timeout",
                                   "--max-request-line",
                                   "--max-head-size",
                                   "--max-fields",
                                   "--max-request-size",
                                   "--max-chunk-overhead",
                                   "--max-trailer-size",
                                   "--max-output",
                                   "--max-buffered",
                                   "--max-drain",
                                   "--max-linger",
                                   "--read-buffer-size"}) {
    INFO(option);
    CHECK(program.output().find(option + " ") != std::string::npos);
  }
}

TEST_CASE("SIGTERM and SIGINT end it with status 0", "[contract]") {
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto own = server_with({});
    check_at(own->endpoint(), Probe{.request = get("/"), .outcome = "200 keep"});
    own->stop(signal);
  }
}

TEST_CASE("A client that says nothing does not hold up the end", "[contract]") {
  const auto own = server_with({});
  Client silent(own->endpoint());
  Client kept(own->endpoint());
  // Idle for half a minute, if nobody stopped the server; its patience ends earlier.
  own->stop();
}

TEST_CASE("A port can be listened on again at once", "[contract]") {
  const auto first = server_with({});
  // The server closes first: its port is left in TIME_WAIT.
  check_at(first->endpoint(),
           Probe{.request = get("/", "Connection: close\r\n"), .outcome = "200 close"});
  const std::string port = std::to_string(first->endpoint().port);
  first->stop();
  const auto second = server_with({"--port", port});
  check_at(second->endpoint(), Probe{.request = get("/"), .outcome = "200 keep"});
  second->stop();
}

TEST_CASE("A bare number is the port", "[contract]") {
  const auto any = server_with({});
  const std::string port = std::to_string(any->endpoint().port);
  any->stop();
  testing::ServerProcess program(server_program(), {port});
  CHECK(std::to_string(program.endpoint().port) == port);
  program.stop();
}

}  // namespace stagecraft::conformance
