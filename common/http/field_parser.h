// Field lines, one after the other: for heads and for trailers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/scan.h"
#include "http/status.h"

namespace stagecraft {

/// How far a parser came with the bytes that are there.
enum class Progress : std::uint8_t { incomplete, complete, failed };

/// A piece of a head or a trailer section, counted from its first byte. Two bytes each because
/// Limits::max_head_size and max_trailer_size end below 64 KiB: a field line takes 8 bytes.
struct Piece {
  std::uint16_t offset = 0, size = 0;

  std::string_view of(const char* section) const { return {section + offset, size}; }
};

struct FieldLine {
  Piece name, value;
};

/// Parses field lines (RFC 9112 section 5) up to the empty line that ends them. It keeps the place
/// of the byte it looks at next, so each byte is judged once however the bytes arrive, and a bad
/// one is reported when it arrives.
///
/// The profile is strict: CRLF ends a line and nothing else does; no white space before the colon
/// or at the beginning of a line (which also refuses obs-fold).
class FieldParser {
 public:
  enum class Found : std::uint8_t { field, end, incomplete, failed };

  void start(std::size_t position) {
    line_ = position_ = position;
    in_value_ = false;
  }
  /// The next byte to look at: behind the last field line found, or behind the section's end.
  std::size_t position() const { return position_; }
  /// Looks for the next field in section[0, size). `size` grows from call to call, the bytes before
  /// it stay the same. Found::field: `line` is set. Found::failed: it will never be a field line.
  Found next(const char* section, std::size_t size, FieldLine& line);

 private:
  Found at(const char* section, const char* p, Found found) {
    position_ = static_cast<std::size_t>(p - section);
    return found;
  }

  std::size_t line_ = 0;      // where the line being read began
  std::size_t position_ = 0;  // the byte to look at next
  std::size_t colon_ = 0;     // where the line's colon is, once in_value_
  bool in_value_ = false;
};

// In the header because a head has a dozen lines and a call costs as much as a short line.
inline FieldParser::Found FieldParser::next(const char* section, std::size_t size,
                                            FieldLine& line) {
  const char* p = section + position_;
  const char* const end = section + size;
  if (!in_value_) {
    if (position_ == line_) {
      if (p == end) return Found::incomplete;
      if (*p == '\r') {  // an empty line: the section ends
        if (end - p < 2) return Found::incomplete;
        return p[1] == '\n' ? at(section, p + 2, Found::end) : Found::failed;
      }
    }
    p = scan::skip<scan::token>(section, p, end);
    if (p == end) return at(section, p, Found::incomplete);
    colon_ = static_cast<std::size_t>(p - section);
    if (*p != ':' || colon_ == line_) return at(section, p, Found::failed);
    in_value_ = true;
    ++p;
  }
  p = scan::skip<scan::text>(section, p, end);
  if (end - p < 2) {
    // A byte that is not text and not CR is wrong whatever follows; for a CR we wait for the LF.
    const bool good = p == end || *p == '\r';
    return at(section, p, good ? Found::incomplete : Found::failed);
  }
  if (p[0] != '\r' || p[1] != '\n') return at(section, p, Found::failed);

  const char* first = section + colon_ + 1;
  const char* last = p;
  while (first != last && (*first == ' ' || *first == '\t')) ++first;
  while (last != first && (last[-1] == ' ' || last[-1] == '\t')) --last;
  line.name = {static_cast<std::uint16_t>(line_), static_cast<std::uint16_t>(colon_ - line_)};
  line.value = {static_cast<std::uint16_t>(first - section),
                static_cast<std::uint16_t>(last - first)};
  in_value_ = false;
  line_ = static_cast<std::size_t>(p + 2 - section);
  return at(section, p + 2, Found::field);
}

/// Whether two names are equal in any case of ASCII letters (RFC 9110 section 5.1).
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// The same against a name in lower case that is known when this is compiled, for names that are
/// tokens: setting one bit lowers a letter, and makes no other token byte equal to a letter or '-'.
template <std::size_t size>
bool is_name(std::string_view name, const char (&lower)[size]) {
  unsigned different = 0;
  for (std::size_t i = 0; i + 1 < size; ++i) {
    different |=
        (static_cast<unsigned char>(name[i]) | 0x20U) ^ static_cast<unsigned char>(lower[i]);
  }
  return different == 0;
}

/// Whether a comma-separated list has the member `token`, in any case (RFC 9110 section 5.6.1:
/// empty members and white space do not count).
bool list_contains(std::string_view list, std::string_view token);

/// Takes the first member off a comma-separated list; empty when there are no more. Members are
/// trimmed, empty ones skipped.
std::string_view take_list_member(std::string_view& list);

}  // namespace stagecraft
