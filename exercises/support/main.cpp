// The program of an exercise's tests. Started by hand it is a plain Catch2 program; started by the
// grader it also reports, test case by test case.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_CONSOLE_WIDTH 100
#include <signal.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <string_view>

#include "report.h"
#include "telling.h"

namespace stagecraft::exercise {
namespace {

constexpr int most_failures_told = 3;
constexpr int exit_of_a_strayed_child = 121;

std::string refusal;  // why the running test case cannot be judged

std::string json_text(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const unsigned byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (byte < 0x20U || byte >= 0x7fU) {
      json += {'\\', 'u', '0', '0', digits[byte >> 4U], digits[byte & 15U]};
    } else {
      json += c;
    }
  }
  return json + "\"";
}

std::string field(std::string_view name, std::string_view text) {
  return json_text(name) + ":" + json_text(text);
}

#if CATCH_VERSION_MAJOR == 2
using ListenerBase = Catch::TestEventListenerBase;
std::string name_of(const Catch::TestCaseStats& stats) { return stats.testInfo.name; }
#else
using ListenerBase = Catch::EventListenerBase;
std::string name_of(const Catch::TestCaseStats& stats) { return stats.testInfo->name; }
#endif

class Reporter : public ListenerBase {
 public:
  using ListenerBase::ListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    forget_telling();
    refusal.clear();
    failures_ = "";
    failure_count_ = 0;
    report_line("{" + field("begins", test.name) + "}");
  }

#if CATCH_VERSION_MAJOR == 2
  bool assertionEnded(const Catch::AssertionStats& stats) override {
    take(stats);
    return true;
  }
#else
  void assertionEnded(const Catch::AssertionStats& stats) override { take(stats); }
#endif

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    // A child that the submission forked and that came back here would tell everything twice.
    if (is_forked_child()) _exit(exit_of_a_strayed_child);
    const bool passed = stats.totals.assertions.allPassed() && stats.totals.assertions.total() > 0;
    const std::string verdict = !refusal.empty() ? "not judged" : passed ? "passed" : "failed";
    report_line("{" + field("ends", name_of(stats)) + "," + field("verdict", verdict) + "," +
                field("reason", refusal) + ",\"failures\":[" + failures_ + "]}");
  }

 private:
  void take(const Catch::AssertionStats& stats) {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (result.isOk() || ++failure_count_ > most_failures_told) return;
    std::ostringstream message;
    for (const Catch::MessageInfo& info : stats.infoMessages) message << info.message << "\n";
    if (result.hasExpression()) {
      message << result.getExpressionInMacro();
      if (result.hasExpandedExpression()) message << "\nwas  " << result.getExpandedExpression();
    } else if (result.hasMessage() && stats.infoMessages.empty()) {
      message << std::string(result.getMessage());
    }
    const Telling telling = current_telling();
    std::string events;
    for (const std::string& event : transcript())
      events += (events.empty() ? "" : ",") + json_text(event);
    failures_ += (failures_.empty() ? "{" : ",{") + field("did", telling.did) + "," +
                 field("paste", telling.paste) + "," + field("likely", telling.likely) + "," +
                 field("message", message.str()) + "," +
                 field("file", result.getSourceInfo().file) +
                 ",\"line\":" + std::to_string(result.getSourceInfo().line) + ",\"events\":[" +
                 events + "]}";
  }

  std::string failures_;
  int failure_count_ = 0;
};

}  // namespace
}  // namespace stagecraft::exercise

using stagecraft::exercise::Reporter;
CATCH_REGISTER_LISTENER(Reporter)

CATCH_TRANSLATE_EXCEPTION(const stagecraft::exercise::NotJudged& refused) {
  stagecraft::exercise::refusal = refused.reason;
  return "NOT JUDGED: " + refused.reason;
}

int main(int argument_count, char** arguments) {
  signal(SIGPIPE, SIG_IGN);
  return Catch::Session().run(argument_count, arguments);
}
