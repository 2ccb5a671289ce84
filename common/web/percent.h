// Escapes in URLs and forms: %41 is A.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stagecraft {

/// What a '+' means: a space in forms and queries, itself everywhere else.
enum class Plus : std::uint8_t { is_plus, is_space };

/// Appends `text` with its escapes undone. A '%' that is not followed by two hexadecimal digits is
/// itself, as it is to browsers: people type "50%".
void append_percent_decoded(std::string& out, std::string_view text, Plus plus);

/// Appends `text` so that it can stand in any part of a URL, in a cookie and in a form: all but
/// letters, digits and "-._~" escaped (RFC 3986 section 2.3).
void append_percent_encoded(std::string& out, std::string_view text);

}  // namespace stagecraft
