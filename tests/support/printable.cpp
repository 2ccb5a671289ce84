#include "support/printable.h"

namespace stagecraft::testing {
namespace {

constexpr std::size_t longest_run = 40;
constexpr std::size_t shown_of_run = 8;
constexpr std::size_t longest_command = 800;
// printf '%b' prints its words behind each other: each gets a line, and none gets too long for one.
constexpr std::size_t longest_word = 60;

std::string printable_byte(char byte) {
  switch (byte) {
    case '\r':
      return "\\r";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  if (byte >= ' ' && byte <= '~') return std::string(1, byte);
  constexpr std::string_view digits = "0123456789ABCDEF";
  const unsigned value = static_cast<unsigned char>(byte);
  return std::string("\\x") + digits[value >> 4U] + digits[value & 15U];
}

std::string printable_with(std::string_view bytes, std::size_t most, std::string_view line_end) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    if (text.size() > most) {
      return text + "<and " + std::to_string(bytes.size() - at) + " bytes more>";
    }
    std::size_t run = bytes.find_first_not_of(bytes[at], at);
    run = (run == std::string_view::npos ? bytes.size() : run) - at;
    const bool shorten = run > longest_run;
    for (std::size_t i = 0; i < (shorten ? shown_of_run : run); ++i) {
      text += printable_byte(bytes[at]);
      if (bytes[at] == '\n') text += line_end;
    }
    if (shorten) text += "<" + std::to_string(run) + " times>";
    at += run;
  }
  return text;
}

}  // namespace

std::string printable(std::string_view bytes, std::size_t most) {
  return printable_with(bytes, most, "");
}

std::string printable_lines(std::string_view bytes, std::size_t most) {
  std::string text = "    " + printable_with(bytes, most, "\n    ");
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

std::string shell_command(std::string_view request) {
  std::string words;
  std::string word;
  for (const char byte : request) {
    const unsigned value = static_cast<unsigned char>(byte);
    if (byte == '\r') {
      word += "\\r";
    } else if (byte == '\n') {
      word += "\\n";
    } else if (byte < ' ' || byte > '~' || byte == '\'' || byte == '\\') {
      // Octal with a leading zero, because that is what the %b of every printf(1) knows.
      const auto digit = [value](unsigned shift) {
        return static_cast<char>(unsigned{'0'} + ((value >> shift) & 7U));
      };
      word += {'\\', '0', digit(6), digit(3), digit(0)};
    } else {
      word += byte;
    }
    if (byte == '\n' || word.size() > longest_word) {
      words += " '" + word + "' \\\n   ";
      word.clear();
    }
  }
  if (words.size() + word.size() > longest_command) return "";
  if (!word.empty()) words += " '" + word + "'";
  return "printf '%b'" + words + " | nc 127.0.0.1 8080";
}

}  // namespace stagecraft::testing
