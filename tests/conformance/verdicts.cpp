#include "conformance/verdicts.h"

#include <algorithm>
#include <utility>

#include "catch.h"
#include "conformance/requirements.h"

namespace stagecraft::conformance {
namespace {

template <typename Texts>
std::string json_list(const Texts& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + json_text(text);
  return "[" + list + "]";
}

std::string verdict_of(const RunningCase& one) {
  if (!one.failures.empty()) return "fail";
  return one.asserted ? "pass" : "not judged";
}

}  // namespace

void not_judged(const std::string& why) {
  std::vector<std::string>& reasons = running_case().not_judged;
  if (std::find(reasons.begin(), reasons.end(), why) == reasons.end()) reasons.push_back(why);
  leave_case();
}

void leave_case() {
  running_case().leaving = true;
#if CATCH_VERSION_MAJOR >= 3
  SKIP();
#else
  // What Catch2 itself throws to leave a case. Version 2 has no SKIP; a case that has failed
  // nothing passes, and the listener knows better.
  throw Catch::TestFailureException();
#endif
}

RunningCase& running_case() {
  static RunningCase running;
  return running;
}

void begin_case(std::string name, std::string_view tags) {
  running_case() = {};
  running_case().name = std::move(name);
  running_case().tags = words_in_tags(tags);
  running_case().requirements = requirements_in_tags(tags);
}

std::vector<std::string>& blamed() {
  static std::vector<std::string> ids;
  return ids;
}

std::string running_requirements_text() { return requirements_text(running_case().requirements); }

std::vector<std::string> words_in_tags(std::string_view tags) {
  std::vector<std::string> words;
  while (!tags.empty()) {
    const auto end = std::min(tags.find(']'), tags.size() - 1);
    words.emplace_back(tags.substr(1, end - 1));
    tags.remove_prefix(end + 1);
  }
  return words;
}

std::vector<std::string> requirements_in_tags(std::string_view tags) {
  std::vector<std::string> ids = words_in_tags(tags);
  ids.erase(std::remove_if(ids.begin(), ids.end(),
                           [](const std::string& word) {
                             const std::string start = word.substr(0, 4);
                             return start != "9110" && start != "9112";
                           }),
            ids.end());
  return ids;
}

void write_case(std::ostream& out, const RunningCase& one, double seconds) {
  std::set<std::string> judged = one.judged;
  if (one.asserted) judged.insert(one.requirements.begin(), one.requirements.end());
  std::string failures;
  for (const Failure& failure : one.failures) {
    failures += (failures.empty() ? "" : ",");
    failures += "{\"requirements\":" + json_list(failure.requirements) +
                ",\"text\":" + json_text(failure.text) + "}";
  }
  out << "{\"case\":" << json_text(one.name) << ",\"tags\":" << json_list(one.tags)
      << ",\"verdict\":" << json_text(verdict_of(one)) << ",\"judged\":" << json_list(judged)
      << ",\"not_judged\":" << json_list(one.not_judged) << ",\"failures\":[" << failures
      << "],\"seconds\":" << seconds << "}" << std::endl;
}

std::string json_text(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char byte : text) {
    const unsigned value = static_cast<unsigned char>(byte);
    if (byte == '"' || byte == '\\') {
      quoted += {'\\', byte};
    } else if (byte == '\n') {
      quoted += "\\n";
    } else if (value < 0x20) {
      quoted += {'\\', 'u', '0', '0', digits[value >> 4U], digits[value & 15U]};
    } else {
      quoted += value < 0x7F ? byte : '?';
    }
  }
  return quoted + "\"";
}

}  // namespace stagecraft::conformance
