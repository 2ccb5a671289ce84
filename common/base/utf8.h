// Is it UTF-8?
#pragma once

#include <cstddef>
#include <string_view>

namespace stagecraft {

/// How many bytes (1 to 4) the well-formed UTF-8 character at the beginning of TEXT has; 0 if there
/// is none: TEXT is empty, cut off, overlong, a surrogate or beyond U+10FFFF (RFC 3629 4).
std::size_t utf8_character_size(std::string_view text);

/// Whether the whole of TEXT is well-formed UTF-8.
bool is_utf8(std::string_view text);

}  // namespace stagecraft
