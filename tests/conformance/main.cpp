// The suite's program: Catch2's options, and `--target HOST:PORT` for a server that runs already.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_CONSOLE_WIDTH 100
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "conformance/requirements.h"
#include "conformance/server.h"

#if CATCH_VERSION_MAJOR >= 3
using ListenerBase = Catch::EventListenerBase;
#else
using ListenerBase = Catch::TestEventListenerBase;
#endif

namespace conformance = stagecraft::conformance;

namespace {

// Tells the probes which case runs, so that a failure can print what it is about.
class CaseListener : public ListenerBase {
 public:
  using ListenerBase::ListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    ListenerBase::testCaseStarting(info);
    conformance::running_case() = {info.name,
                                   conformance::requirements_in_tags(info.tagsAsString())};
  }
};

CATCH_REGISTER_LISTENER(CaseListener)

// Takes `--target HOST:PORT` out of the words; the rest is Catch2's. The environment's
// STAGECRAFT_TARGET says the same.
std::string take_target(std::vector<char*>& words) {
  const char* from_environment = std::getenv("STAGECRAFT_TARGET");
  std::string target = from_environment == nullptr ? "" : from_environment;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (std::string_view(words[i]) != "--target") continue;
    target = words[i + 1];
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(first, first + 2);
    break;
  }
  return target;
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::vector<char*> words(arguments, arguments + argument_count);
  try {
    const std::string target = take_target(words);
    if (!target.empty()) {
      conformance::use_target(stagecraft::testing::parse_endpoint(target));
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  const int failed = Catch::Session().run(static_cast<int>(words.size()), words.data());
  const std::string complaint = conformance::stop_shared_server();
  if (!complaint.empty()) std::cerr << complaint << "\n";
  return complaint.empty() ? failed : 1;
}
