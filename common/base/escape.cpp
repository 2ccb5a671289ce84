#include "base/escape.h"

#include "base/utf8.h"

namespace stagecraft {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

void append_hex(std::string& out, unsigned char byte) {
  out += hex_digits[byte >> 4U];
  out += hex_digits[byte & 15U];
}

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

void append_html_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

void append_log_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_control(c) || byte >= 0x80) {
      out += "\\x";
      append_hex(out, byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
}

void append_path_escaped(std::string& out, std::string_view path) {
  for (const char c : path) {
    const bool letter_or_digit =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    constexpr std::string_view others = "-._~/!$()*+,;=:@";
    if (letter_or_digit || others.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      append_hex(out, static_cast<unsigned char>(c));
    }
  }
}

void append_json_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char c = text.front();
    std::size_t taken = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (is_control(c)) {
      out += "\\u00";
      append_hex(out, static_cast<unsigned char>(c));
    } else if (taken = utf8_character_size(text); taken != 0) {
      out += text.substr(0, taken);
    } else {
      out += "\\ufffd";
      taken = 1;
    }
    text.remove_prefix(taken);
  }
}

}  // namespace stagecraft
