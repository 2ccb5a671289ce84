// What a listener sees of Catch2 stands in a part of its header that tests do not need.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "conformance/listener.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "conformance/verdicts.h"

#if CATCH_VERSION_MAJOR >= 3
using ListenerBase = Catch::EventListenerBase;
using AssertionHandled = void;
#else
using ListenerBase = Catch::TestEventListenerBase;
using AssertionHandled = bool;
#endif

namespace stagecraft::conformance {
namespace {

struct Report {
  std::ofstream file;
  std::ostream* out = nullptr;
  int failed = 0;
  bool only_left = false;  ///< a case was left inside a CHECK, which Catch2 counts as a failure
};

Report& report() {
  static Report one;
  return one;
}

// What a failed CHECK compared, with the exchange that it is about: it shows only a part of it.
std::string assertion_text(const Catch::AssertionStats& stats) {
  const Catch::AssertionResult& result = stats.assertionResult;
  std::string text;
  for (const Catch::MessageInfo& info : stats.infoMessages) {
    if (!info.message.empty() && info.type == Catch::ResultWas::Info) text += info.message + "\n";
  }
  if (result.hasExpression()) {
    text += "this does not hold: " + result.getExpression() + "\n";
    if (result.hasExpandedExpression()) text += "with:    " + result.getExpandedExpression() + "\n";
    const std::string& exchange = running_case().exchange;
    if (!exchange.empty()) text += "the last exchange before it:\n" + exchange;
  }
  if (result.hasMessage()) text += std::string(result.getMessage());
  return text;
}

class CaseListener : public ListenerBase {
 public:
  using ListenerBase::ListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    ListenerBase::testCaseStarting(info);
    begin_case(info.name, info.tagsAsString());
    began_ = std::chrono::steady_clock::now();
  }

  AssertionHandled assertionEnded(const Catch::AssertionStats& stats) override {
    RunningCase& one = running_case();
    const bool left = std::exchange(one.leaving, false) &&
                      stats.assertionResult.getResultType() == Catch::ResultWas::ThrewException;
    if (left) {
      report().only_left = true;
      return AssertionHandled();
    }
    one.asserted = true;
    if (!stats.assertionResult.isOk()) {
      one.failures.push_back({blamed(), assertion_text(stats)});
    }
    return AssertionHandled();
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ListenerBase::testCaseEnded(stats);
    RunningCase& one = running_case();
    if (!one.failures.empty()) {
      ++report().failed;
      const std::string loss = server_loss();
      // In front: whatever the case complains of may come from that.
      if (!loss.empty()) one.failures.insert(one.failures.begin(), {{}, loss});
      if (!loss.empty()) std::cout << loss << "\n";
    }
    if (one.failures.empty() && !one.asserted && report().out != &std::cout) {
      for (const std::string& why : one.not_judged) {
        if (why != giving_up()) std::cout << "not judged: " << one.name << ": " << why << "\n";
      }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
    if (report().out != nullptr) write_case(*report().out, one, took.count());
  }

 private:
  std::chrono::steady_clock::time_point began_;
};

CATCH_REGISTER_LISTENER(CaseListener)

}  // namespace

void report_to(const std::string& path) {
  Report& one = report();
  if (path == "-") {
    one.out = &std::cout;
    return;
  }
  one.file.open(path);
  if (!one.file) throw std::runtime_error("cannot write " + path);
  one.out = &one.file;
}

int failed_cases() { return report().failed; }

bool left_inside_check() { return report().only_left; }

}  // namespace stagecraft::conformance
