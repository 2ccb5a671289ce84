#include "conformance/server.h"

#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "catch.h"
#include "conformance/readiness.h"
#include "conformance/routes.h"
#include "conformance/verdicts.h"

namespace stagecraft::conformance {
namespace {

using testing::Endpoint;
using testing::ServerProcess;

// After so many crashes the rest would only say the same.
constexpr int most_losses = 3;

struct UnderTest {
  std::optional<Endpoint> target;
  std::unique_ptr<ServerProcess> process;
  bool looked_at = false;  ///< readiness_fault() was asked for
  bool patient = true;     ///< there is no end of new servers
  int losses = 0;
  std::string giving_up;
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

[[noreturn]] void give_up(const std::string& why) {
  under_test().giving_up = why;
  FAIL(why);
  leave_case();
}

void start_shared(UnderTest& one) {
  try {
    one.process = start({});
  } catch (const std::exception& error) {
    give_up(std::string("the server does not start: ") + error.what());
  }
}

}  // namespace

const Endpoint& server() {
  UnderTest& one = under_test();
  if (!one.giving_up.empty() && one.patient) give_up(one.giving_up);
  if (!one.giving_up.empty()) not_judged(one.giving_up);
  if (!one.target && one.process == nullptr) start_shared(one);
  const Endpoint& endpoint = one.target ? *one.target : one.process->endpoint();
  if (!std::exchange(one.looked_at, true)) {
    const std::string fault = readiness_fault(endpoint);
    if (!fault.empty()) give_up("the server at " + endpoint.text() + " cannot be judged: " + fault);
    if (one.target) look_for_routes(endpoint);
  }
  return endpoint;
}

void need_own_program() {
  if (under_test().target) not_judged("it takes a server that the suite starts with options");
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
  need_own_program();
  server();  // if that one does not start, this one would not either
  return start(options);
}

void use_target(const Endpoint& target) { under_test().target = target; }

const Endpoint* target() { return under_test().target ? &*under_test().target : nullptr; }

std::string server_loss() {
  UnderTest& one = under_test();
  if (!one.giving_up.empty() || (!one.target && one.process == nullptr)) return "";
  std::string loss;
  if (one.process != nullptr && !one.process->running()) {
    loss = "this case ended the server: " + one.process->end_text();
    const std::string errors = one.process->errors();
    if (!errors.empty()) loss += "\nits stderr:\n" + errors;
  } else if (!answers(one.target ? *one.target : one.process->endpoint())) {
    loss = "since this case the server does not answer any more, not even GET /";
  }
  if (loss.empty()) return "";
  if (one.process != nullptr) one.process->abandon();
  one.process.reset();
  ++one.losses;
  if (one.patient) return loss;
  if (one.target) {
    one.giving_up = "the server was lost in the case `" + running_case().name + "`";
  } else if (one.losses == most_losses) {
    one.giving_up =
        "the server was lost three times, last in the case `" + running_case().name + "`";
  }
  return loss;
}

void give_up_lost_servers() { under_test().patient = false; }

const std::string& giving_up() { return under_test().giving_up; }

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
