// Bytes made readable for failure messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stagecraft::testing {

/// `bytes` on one line: printable ASCII as it is, CR, LF and HTAB as `\r`, `\n` and `\t`, the rest
/// as `\xNN`. A run of more than 40 equal bytes is shortened to `aaaaaaaa<1000 times>`, and what is
/// past `most` characters to `<and 5000 more>`.
std::string printable(std::string_view bytes, std::size_t most = 2000);

/// The same over several lines, a new one after each LF and each line indented by four spaces.
std::string printable_lines(std::string_view bytes, std::size_t most = 2000);

/// A shell command that sends `request` to a server on port 8080 and prints its answer, a line for
/// each line of the request; empty if that would be too long to paste.
std::string shell_command(std::string_view request);

}  // namespace stagecraft::testing
