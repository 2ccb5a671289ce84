// The table of what the RFCs demand, and which of it the running test case shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::conformance {

/// `9112-3.2-3 (RFC 9112, section 3.2, MUST): Answer 400 when ...`, from requirements.tsv beside
/// this file; the bare id, with a remark, if the table does not have it.
std::string requirement_text(std::string_view id);

/// The test case that runs: set by the listener in main.cpp.
struct RunningCase {
  std::string name;
  std::vector<std::string> requirements;  ///< the ids among its tags
};
RunningCase& running_case();

/// Takes the ids out of a case's tags, `[rfc9112-3][9112-3.2-3]`.
std::vector<std::string> requirements_in_tags(std::string_view tags);

/// What the running case shows: requirement_text() of each of its ids, a line each.
std::string running_requirements_text();

}  // namespace stagecraft::conformance
