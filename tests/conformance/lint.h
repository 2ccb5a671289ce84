// What every answer owes, whatever it answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/http_response.h"

namespace stagecraft::conformance {

/// A rule that an answer breaks.
struct Violation {
  std::string requirement;  ///< its id in requirements.tsv
  std::string text;         ///< what was seen
};

/// The rules for senders that can be judged on one answer alone, beyond the grammar, which the
/// strict reader has demanded already. `method` is that of the request.
std::vector<Violation> lint(const testing::HttpResponse& answer, std::string_view method);

/// Whether `text` is a date in the one form that may be sent, as `Sun, 06 Nov 1994 08:49:37 GMT`,
/// and the day of the week is that of the date (RFC 9110, section 5.6.7).
bool is_imf_fixdate(const std::string& text);

}  // namespace stagecraft::conformance
