// The table of what the RFCs demand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::conformance {

/// `9112-3.2-3 (RFC 9112, section 3.2, MUST): Answer 400 when ...`, from requirements.tsv beside
/// this file; the bare id, with a remark, if the table does not have it.
std::string requirement_text(std::string_view id);

/// requirement_text() of each, a line each, the later ones indented.
std::string requirements_text(const std::vector<std::string>& ids);

}  // namespace stagecraft::conformance
