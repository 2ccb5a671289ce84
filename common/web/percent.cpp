#include "web/percent.h"

#include "http/scan.h"

namespace stagecraft {

namespace {

unsigned hex_value(char c) {
  return c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

bool is_unreserved(char c) {
  return scan::is(c, scan::digit) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

void append_percent_decoded(std::string& out, std::string_view text, Plus plus) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escape = c == '%' && i + 2 < text.size() && scan::is(text[i + 1], scan::hex) &&
                        scan::is(text[i + 2], scan::hex);
    if (escape) {
      out += static_cast<char>(16 * hex_value(text[i + 1]) + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += c == '+' && plus == Plus::is_space ? ' ' : c;
    }
  }
}

void append_percent_encoded(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 0xf];
  }
}

}  // namespace stagecraft
