#include "conformance/server.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "catch.h"
#include "conformance/requirements.h"

namespace stagecraft::conformance {
namespace {

using testing::Endpoint;
using testing::ServerProcess;

struct UnderTest {
  std::optional<Endpoint> target;
  std::unique_ptr<ServerProcess> process;
};

UnderTest& under_test() {
  static UnderTest one;
  return one;
}

// No connection is closed for being idle while a test thinks: the cases that are about time start
// their own server.
const std::vector<std::string> common_options{"--port",         "0",  "--app", "echo",
                                              "--idle-timeout", "30s"};

std::unique_ptr<ServerProcess> start(const std::vector<std::string>& options) {
  std::vector<std::string> all = common_options;
  all.insert(all.end(), options.begin(), options.end());
  return std::make_unique<ServerProcess>(server_program(), all);
}

}  // namespace

const Endpoint& server() {
  UnderTest& one = under_test();
  if (one.target) return *one.target;
  if (one.process != nullptr && !one.process->running()) {
    FAIL("a request before this one ended the server\n" << stop_shared_server());
  }
  if (one.process == nullptr) one.process = start({});
  return one.process->endpoint();
}

bool has_own_program() {
  if (!under_test().target) return true;
  std::cout << "skipped, it needs a server of its own: " << running_case().name << "\n";
  return false;
}

std::string server_program() {
  const char* program = std::getenv("STAGECRAFT_PROGRAM");
  if (program == nullptr) {
    throw std::runtime_error(
        "which server? STAGECRAFT_PROGRAM=PROGRAM starts one, --target HOST:PORT takes one");
  }
  return program;
}

std::unique_ptr<ServerProcess> server_with(const std::vector<std::string>& options) {
  return has_own_program() ? start(options) : nullptr;
}

void use_target(const Endpoint& target) { under_test().target = target; }

std::string stop_shared_server() {
  UnderTest& one = under_test();
  if (one.process == nullptr) return "";
  const std::unique_ptr<ServerProcess> process = std::move(one.process);
  try {
    process->stop();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string server_state() {
  const UnderTest& one = under_test();
  if (one.process == nullptr) return "";
  std::string text;
  if (!one.process->running()) text += "the server has ended: " + one.process->end_text() + "\n";
  const std::string errors = one.process->errors();
  if (!errors.empty()) text += "its stderr:\n" + errors;
  return text;
}

}  // namespace stagecraft::conformance
