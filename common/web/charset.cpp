#include "web/charset.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "web/fields.h"

namespace stagecraft {

namespace {

// What the bytes from 0x80 to 0x9f mean; all others mean the character of their own number.
constexpr std::array<char16_t, 32> upper_controls{
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

bool is_one_of(std::string_view label, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [label](std::string_view name) { return equal_ignoring_case(label, name); });
}

void append_utf8(std::string& out, unsigned character) {
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xc0 | (character >> 6));
    out += static_cast<char>(0x80 | (character & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | (character >> 12));
    out += static_cast<char>(0x80 | ((character >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (character & 0x3f));
  }
}

}  // namespace

std::optional<Charset> charset_named(std::string_view label) {
  label = trimmed(label);
  if (is_one_of(label, {"utf-8", "utf8", "unicode-1-1-utf-8"})) return Charset::utf_8;
  if (is_one_of(label, {"iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "windows-1252",
                        "cp1252", "x-cp1252", "us-ascii", "ascii"})) {
    return Charset::windows_1252;
  }
  return std::nullopt;
}

bool to_utf8(std::string& text, Charset charset) {
  if (charset == Charset::utf_8) return is_utf8(text);
  std::string converted;
  converted.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(converted, byte >= 0x80 && byte < 0xa0 ? upper_controls[byte - 0x80] : byte);
  }
  text = std::move(converted);
  return true;
}

}  // namespace stagecraft
