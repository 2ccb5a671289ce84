#include "conformance/trap_table.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stagecraft::conformance {
namespace {

constexpr std::string_view get_start = "GET / HTTP/1.1\r\nHost: a\r\n";
constexpr std::string_view post_start = "POST / HTTP/1.1\r\nHost: a\r\n";
constexpr std::string_view chunked_head =
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

[[noreturn]] void malformed(const Trap& trap, const std::string& what) {
  throw std::runtime_error("traps.tsv, " + trap.name + ": " + what);
}

std::string_view take(std::string_view& text, std::size_t count) {
  const std::string_view taken = text.substr(0, count);
  text.remove_prefix(taken.size());
  return taken;
}

std::string take_escape(std::string_view& text, const Trap& trap) {
  take(text, 1);  // the backslash
  const std::string_view letter = take(text, 1);
  if (letter == "r") return "\r";
  if (letter == "n") return "\n";
  if (letter == "t") return "\t";
  if (letter == "\\") return "\\";
  if (letter != "x") malformed(trap, "unknown escape \\" + std::string(letter));
  const std::string digits(take(text, 2));
  char* end = nullptr;
  const unsigned long value = std::strtoul(digits.c_str(), &end, 16);
  if (end != digits.c_str() + 2) malformed(trap, "no two hexadecimal digits behind \\x");
  return {static_cast<char>(value)};
}

std::string unescaped(std::string_view text, const Trap& trap) {
  std::string bytes;
  while (!text.empty()) {
    if (text.front() == '\\') {
      bytes += take_escape(text, trap);
    } else {
      bytes += take(text, 1);
    }
  }
  return bytes;
}

std::string repeated(std::string_view mark, const Trap& trap) {
  const auto star = mark.find('*');
  if (star == std::string_view::npos) malformed(trap, "unknown mark {" + std::string(mark) + "}");
  const std::string what = unescaped(mark.substr(star + 1), trap);
  const unsigned long times = std::strtoul(std::string(mark.substr(0, star)).c_str(), nullptr, 10);
  std::string bytes;
  for (unsigned long i = 0; i < times; ++i) bytes += what;
  if (bytes.empty()) malformed(trap, "nothing to repeat in {" + std::string(mark) + "}");
  return bytes;
}

void read_mark(std::string_view mark, Trap& trap) {
  std::string& bytes = trap.probe.request;
  if (mark == "GET") {
    bytes += get_start;
  } else if (mark == "POST") {
    bytes += post_start;
  } else if (mark == "CHUNKED") {
    bytes += chunked_head;
  } else if (mark == "|") {
    trap.probe.cuts.push_back(bytes.size());
  } else if (mark == "answer") {
    trap.probe.answer_awaited_at = bytes.size();
  } else if (mark == "FIN") {
    trap.probe.then = Then::half_close;
  } else {
    bytes += repeated(mark, trap);
  }
}

Trap read_row(const std::string& line) {
  std::istringstream columns(line);
  Trap trap;
  std::string text;
  std::getline(columns, trap.name, '\t');
  std::getline(columns, trap.probe.requirement, '\t');
  std::getline(columns, trap.probe.outcome, '\t');
  std::getline(columns, text, '\t');
  if (!std::getline(columns, trap.probe.hint, '\t')) malformed(trap, "not five columns");
  read_request(text, trap);
  // More than a server lingers for: it may throw the rest away, if only the answer arrives.
  trap.probe.reset_forgiven = trap.probe.request.size() > 200'000;
  return trap;
}

const std::vector<Trap>& table() {
  static const std::vector<Trap> traps = [] {
    std::vector<Trap> rows;
    std::ifstream file(STAGECRAFT_CONFORMANCE_DIR "/traps.tsv");
    std::string line;
    std::getline(file, line);  // the names of the columns
    while (std::getline(file, line)) rows.push_back(read_row(line));
    return rows;
  }();
  return traps;
}

}  // namespace

void read_request(std::string_view text, Trap& trap) {
  while (!text.empty()) {
    if (text.front() == '\\') {
      trap.probe.request += take_escape(text, trap);
    } else if (text.front() == '{') {
      const auto end = text.find('}');
      if (end == std::string_view::npos) malformed(trap, "a mark without its end");
      const std::string_view mark = take(text, end + 1);
      read_mark(mark.substr(1, mark.size() - 2), trap);
    } else {
      trap.probe.request += take(text, 1);
    }
  }
}

std::vector<Trap> traps_of(std::string_view family) {
  std::vector<Trap> chosen;
  for (const Trap& trap : table()) {
    if (trap.name.substr(0, trap.name.find('/')) == family) chosen.push_back(trap);
  }
  if (chosen.empty()) throw std::runtime_error("traps.tsv has no family " + std::string(family));
  return chosen;
}

std::size_t trap_count() { return table().size(); }

}  // namespace stagecraft::conformance
