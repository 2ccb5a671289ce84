#include "support/server_process.h"

#include <csignal>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "catch.h"
#include "support/deadline.h"
#include "support/printable.h"

namespace stagecraft::testing {
namespace {

constexpr std::string_view ready_start = "listening on http://";

}  // namespace

ServerProcess::ServerProcess(const std::string& program, const std::vector<std::string>& arguments)
    : program_(program), child_(program, arguments) {
  await_ready_line();
}

ServerProcess::~ServerProcess() {
  try {
    if (!stopped_) stop();
  } catch (const std::exception& error) {
    if (std::uncaught_exceptions() == 0) FAIL_CHECK(error.what());
  }
}

void ServerProcess::await_ready_line() {
  const Deadline deadline;
  while (child_.output().find('\n') == std::string::npos) {
    switch (child_.read_output(deadline)) {
      case ChildProcess::Read::more:
        break;
      case ChildProcess::Read::timeout:
        fail("no ready line came in time");
      case ChildProcess::Read::ended:
        fail("the program ended (" + child_.end_text() + ") before its ready line");
    }
  }
  ready_line_ = child_.output().substr(0, child_.output().find('\n') + 1);
  const std::string line = ready_line_.substr(0, ready_line_.size() - 1);
  if (line.substr(0, ready_start.size()) != ready_start) {
    fail("the first line of stdout is not `listening on http://ADDRESS:PORT`: `" + printable(line) +
         "`");
  }
  try {
    endpoint_ = parse_endpoint(std::string_view(line).substr(ready_start.size()));
  } catch (const std::invalid_argument& error) {
    fail(std::string("the ready line has no address: ") + error.what());
  }
}

void ServerProcess::stop() { stop(SIGTERM); }

void ServerProcess::stop(int signal) {
  stopped_ = true;
  if (!running()) fail("the program had ended by itself: " + end_text());
  child_.send_signal(signal);
  if (!child_.wait_for_end(Deadline())) {
    child_.send_signal(SIGKILL);
    fail("the program did not end in time after signal " + std::to_string(signal));
  }
  if (child_.exit_status() != 0) {
    fail("after signal " + std::to_string(signal) + " the program ended with " + end_text() +
         " instead of exit status 0");
  }
  if (child_.output() != ready_line_) {
    fail("the program wrote more than its ready line to stdout: `" + printable(child_.output()) +
         "`");
  }
}

void ServerProcess::abandon() {
  stopped_ = true;
  if (!running()) return;
  child_.send_signal(SIGKILL);
  child_.wait_for_end(Deadline());
}

std::string ServerProcess::wait_for_end() {
  stopped_ = true;
  if (!child_.wait_for_end(Deadline())) {
    child_.send_signal(SIGKILL);
    fail("the program did not end in time");
  }
  // A sanitizer's report ends a program too, and it stands on stderr.
  if (child_.exit_status() == 0 || errors().empty()) return end_text();
  return end_text() + "\nstderr:\n" + errors();
}

void ServerProcess::fail(const std::string& what) const {
  const std::string text = errors();
  throw std::runtime_error(program_ + ": " + what +
                           (text.empty() ? "\nstderr is empty" : "\nstderr:\n" + text));
}

}  // namespace stagecraft::testing
