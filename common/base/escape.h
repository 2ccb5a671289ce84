// Text that came from a stranger, made harmless for the place where it is shown. Each function
// appends to OUT, so that a caller who keeps the string allocates nothing in the long run.
#pragma once

#include <string>
#include <string_view>

namespace stagecraft {

/// For HTML text and for attribute values in quotes of either kind: & < > " ' become references.
void append_html_escaped(std::string& out, std::string_view text);

/// For one line of a log: `"` and `\` get a backslash, control characters and every byte that is
/// not ASCII become \xHH. What is left can neither end the line nor the quotes around it, nor move
/// a terminal's cursor.
void append_log_escaped(std::string& out, std::string_view text);

/// For the inside of a JSON string (RFC 8259 7). Valid UTF-8 is left as it is; a byte that is not
/// part of any becomes U+FFFD, since JSON has no way to carry it.
void append_json_escaped(std::string& out, std::string_view text);

/// For the path of a URL (RFC 3986 3.3): what is not a letter, a digit or one of -._~/!$()*+,;=:@
/// becomes %HH. A '/' stays, so that a whole path can be escaped at once. What comes out may stand
/// in an HTML attribute as it is.
void append_path_escaped(std::string& out, std::string_view path);

}  // namespace stagecraft
