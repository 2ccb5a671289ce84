// The suite's program: Catch2's options, and those below for what is judged, and how.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_CONSOLE_WIDTH 100
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "conformance/listener.h"
#include "conformance/outcome.h"
#include "conformance/server.h"
#include "conformance/verdicts.h"

namespace conformance = stagecraft::conformance;

namespace {

enum ExitCode { all_passed = 0, some_failed = 1, wrong_usage = 2, cannot_be_judged = 3 };

// Takes `option VALUE` out of the words; the rest is Catch2's.
std::optional<std::string> take_option(std::vector<char*>& words, std::string_view option) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (std::string_view(words[i]) != option) continue;
    std::string value = words[i + 1];
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(first, first + 2);
    return value;
  }
  return std::nullopt;
}

// `--target HOST:PORT`: a server that runs already. `--judge profile|rfc`: see outcome.h.
// `--report FILE`: see listener.h.
void read_options(std::vector<char*>& words) {
  std::optional<std::string> target = take_option(words, "--target");
  const char* from_environment = std::getenv("STAGECRAFT_TARGET");
  if (!target && from_environment != nullptr) target = from_environment;
  if (target) {
    conformance::use_target(stagecraft::testing::parse_endpoint(*target));
    conformance::judge() = conformance::Judge::rfc;
    conformance::give_up_lost_servers();
  }
  if (const auto judge = take_option(words, "--judge")) {
    if (*judge != "profile" && *judge != "rfc") throw std::invalid_argument("--judge profile|rfc");
    conformance::judge() = *judge == "rfc" ? conformance::Judge::rfc : conformance::Judge::profile;
  }
  if (const auto report = take_option(words, "--report")) {
    conformance::report_to(*report);
    conformance::give_up_lost_servers();
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::vector<char*> words(arguments, arguments + argument_count);
  try {
    read_options(words);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return wrong_usage;
  }
  const int from_catch = Catch::Session().run(static_cast<int>(words.size()), words.data());
  const std::string complaint = conformance::stop_shared_server();
  if (!complaint.empty()) std::cerr << complaint << "\n";
  if (!conformance::giving_up().empty()) {
    std::cerr << conformance::giving_up() << "\n";
    return cannot_be_judged;
  }
  if (conformance::failed_cases() > 0 || !complaint.empty()) return some_failed;
  return conformance::left_inside_check() ? all_passed : from_catch;
}
