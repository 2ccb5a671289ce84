// What became of each case and each requirement: kept while the suite runs, written as JSON.
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::conformance {

/// Ends the running case, or the section of it that runs, without failing it: it cannot be judged
/// on this server, and `why` says the reason.
[[noreturn]] void not_judged(const std::string& why);

/// Ends the running case, or the section of it that runs; what has failed so far has failed. From
/// inside a CHECK too: Catch2 takes it for an exception then, and the listener knows better.
[[noreturn]] void leave_case();

/// One thing that went wrong in a case.
struct Failure {
  std::vector<std::string> requirements;  ///< the ids that it breaks; empty: those of its case
  std::string text;
};

/// The test case that runs, and what was seen so far.
struct RunningCase {
  std::string name;
  std::vector<std::string> tags;
  std::vector<std::string> requirements;  ///< the ids among its tags
  std::set<std::string> judged;           ///< the ids that were judged
  std::vector<std::string> not_judged;    ///< why parts of it were not
  std::vector<Failure> failures;
  bool asserted = false;  ///< something was compared
  bool leaving = false;   ///< leave_case() was called, and nothing compared since
  std::string exchange;   ///< what the last check() sent and got, readable
};
RunningCase& running_case();

/// A case begins. `tags` as Catch2 writes them, `[rfc9112-3][9112-3.2-3]`.
void begin_case(std::string name, std::string_view tags);

/// The ids that the next failed assertion breaks, where these are not those of the case.
std::vector<std::string>& blamed();

/// What the running case shows: requirement_text() of each of its ids, a line each.
std::string running_requirements_text();

/// The words of a tag list, without the brackets, and the ids of requirements among them.
std::vector<std::string> words_in_tags(std::string_view tags);
std::vector<std::string> requirements_in_tags(std::string_view tags);

/// Writes what became of the running case: one line of JSON, an object with `case`, `tags`,
/// `verdict` (`pass`, `fail`, `not judged`), `judged` (ids), `not_judged` (reasons), `failures`
/// (each with `requirements` and `text`) and `seconds`.
void write_case(std::ostream& out, const RunningCase& one, double seconds);

/// Text as JSON writes it, in quotes; a byte that is not ASCII becomes a question mark.
std::string json_text(std::string_view text);

}  // namespace stagecraft::conformance
