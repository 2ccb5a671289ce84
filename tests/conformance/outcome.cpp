#include "conformance/outcome.h"

#include <algorithm>
#include <array>

namespace stagecraft::conformance {
namespace {

constexpr std::string_view either = " or ";
constexpr std::string_view beside = " / ";

// Where keeping the connection is what is asked for.
constexpr std::array about_keeping{"9112-9.3-1", "9112-9.3-4", "9112-9.3.2-1"};
// Where closing it is.
constexpr std::array about_closing{"9112-2.2-6", "9112-6.1-6", "9112-6.1-7", "9112-6.3-3",
                                   "9112-6.3-4", "9112-6.3-5", "9112-6.3-6", "9112-8-1",
                                   "9112-9.3-4", "9112-9.6-2", "9112-9.6-4", "9112-9.6-5",
                                   "9112-9.6-6", "9112-11.2-1"};

// Where an error has to have the very status that is asked for.
constexpr std::array about_status{"9112-3.2-3", "9112-3.2-4", "9112-3.2-5", "9112-5.1-1",
                                  "9110-9.1-4"};
// Statuses that tell only why something is refused; another reason may be found first.
constexpr std::array reasons{"400", "405", "413", "414", "421", "431", "501", "505"};

template <std::size_t size>
bool names_one_of(const std::vector<std::string>& requirements,
                  const std::array<const char*, size>& about) {
  return std::any_of(requirements.begin(), requirements.end(), [&](const std::string& id) {
    return std::find(about.begin(), about.end(), id) != about.end();
  });
}

std::string_view take_part(std::string_view& text, std::string_view separator) {
  const auto end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  return part;
}

struct Parts {
  std::string_view statuses;
  std::string_view end;
};

Parts split(std::string_view outcome) {
  const auto space = outcome.rfind(' ');
  if (space == std::string_view::npos) return {outcome, ""};
  return {outcome.substr(0, space), outcome.substr(space + 1)};
}

bool same_statuses(std::string_view got, std::string_view expected) {
  return std::equal(got.begin(), got.end(), expected.begin(), expected.end(),
                    [](char a, char b) { return a == b || (b == 'x' && a >= '0' && a <= '9'); });
}

bool is_error(std::string_view statuses) {
  return statuses.size() >= 3 && statuses[statuses.size() - 3] >= '4';
}

// An error alone, or the end without a word; also where what follows was misread and refused too.
bool is_refusal(std::string_view outcome) {
  if (outcome == "no answer, close" || outcome == "no answer, reset") return true;
  const Parts got = split(outcome);
  if (got.end != "keep" && got.end != "close") return false;
  for (const std::string_view refusal : {"4xx", "5xx", "4xx, 4xx"}) {
    if (same_statuses(got.statuses, refusal)) return true;
  }
  return false;
}

bool is_reason(std::string_view statuses) {
  return std::find(reasons.begin(), reasons.end(), statuses) != reasons.end();
}

bool fits(std::string_view outcome, std::string_view one, Judge judge,
          const std::vector<std::string>& requirements) {
  if (outcome == one || (one == "refused" && is_refusal(outcome))) return true;
  const Parts got = split(outcome);
  const Parts wanted = split(one);
  if (judge == Judge::rfc && is_refusal(outcome) && is_reason(wanted.statuses) &&
      !names_one_of(requirements, about_status) &&
      (wanted.end != "close" || got.end != "keep" || !names_one_of(requirements, about_closing))) {
    return true;
  }
  if (!same_statuses(got.statuses, wanted.statuses)) return false;
  const bool known_end = got.end == "keep" || got.end == "close";
  if (got.end == wanted.end || (wanted.end == "any" && known_end)) return true;
  if (judge == Judge::profile) return false;
  if (wanted.end == "keep") return got.end == "close" && !names_one_of(requirements, about_keeping);
  return wanted.end == "close" && got.end == "keep" && is_error(wanted.statuses) &&
         !names_one_of(requirements, about_closing);
}

}  // namespace

Judge& judge() {
  static Judge chosen = Judge::profile;
  return chosen;
}

bool outcome_allowed(std::string_view outcome, std::string_view expected, Judge judge,
                     const std::vector<std::string>& requirements) {
  std::string_view profile = take_part(expected, beside);
  for (std::string_view side : {profile, judge == Judge::rfc ? expected : ""}) {
    while (!side.empty()) {
      if (fits(outcome, take_part(side, either), judge, requirements)) return true;
    }
  }
  return false;
}

std::string expected_text(std::string_view expected, Judge judge) {
  const std::string_view profile = take_part(expected, beside);
  std::string text(profile);
  if (judge == Judge::rfc && !expected.empty()) text.append(either).append(expected);
  return text;
}

}  // namespace stagecraft::conformance
