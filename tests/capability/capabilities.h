// The table of what each stage can do, and cannot.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::capability {

inline constexpr std::size_t stage_count = 7;

/// A row of the table.
struct Capability {
  std::string_view key;
  std::string_view question;  ///< to which the cells are the answers
  /// What the tests must find, for stages 01 to 07. `-`: the stage does not have the thing. `*`:
  /// the stages differ in nothing worth a verdict; whatever is found is told.
  std::array<std::string_view, stage_count> expected;
};

/// All rows, in the order in which they are told.
const std::vector<Capability>& capabilities();

/// Whether the stage under test has the thing that `key` asks for, so that there is something to
/// find out. If not, that is told, and the test case has nothing to do.
bool has_capability_to_show(std::string_view key);

/// Checks that `found` is what the table expects of the stage under test. If it is, and the
/// environment's STAGECRAFT_RESULTS names a folder, the cell is written there, for `./lab stages`:
/// with the text of `found`, or rather with `told`.
void check_capability(std::string_view key, const std::string& found, const std::string& told = "");

/// The same for a yes or no.
void check_capability(std::string_view key, bool found);

}  // namespace stagecraft::capability
