// Field lines, one after the other: for heads and for trailers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

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
  enum class Found : std::uint8_t { end, incomplete, failed, stopped };

  void start(std::size_t position) { place_ = {position, position, 0}; }
  /// The next byte to look at: behind the last field line found, or behind the section's end.
  std::size_t position() const { return place_.next; }
  /// Looks for fields in section[0, size) and gives each to `take`, which says whether to go on:
  /// Found::stopped if not. `size` grows from call to call, the bytes before it stay the same.
  /// Found::failed: it will never be a field line.
  template <typename Take>
  Found parse(const char* section, std::size_t size, Take take);

 private:
  struct Place {
    std::size_t line = 0;   // where the line being read began
    std::size_t next = 0;   // the byte to look at next
    std::size_t colon = 0;  // where the line's colon is; 0: not seen yet
  };
  Place place_;
};

// A template, and part of its caller, so that all of it stays in registers while there are lines: a
// call, or a place stored for the next line to load, costs as much as a short line does.
template <typename Take>
[[gnu::always_inline]] inline FieldParser::Found FieldParser::parse(const char* section,
                                                                    std::size_t size, Take take) {
  const char* const end = section + size;
  const char* line = section + place_.line;
  const char* p = section + place_.next;
  const char* colon = place_.colon == 0 ? nullptr : section + place_.colon;
  const auto leave = [&](const char* next, Found found) {
    place_.line = static_cast<std::size_t>(line - section);
    place_.next = static_cast<std::size_t>(next - section);
    place_.colon = colon == nullptr ? 0 : static_cast<std::size_t>(colon - section);
    return found;
  };
  for (;;) {
    if (p == line) {
      if (p == end) return leave(p, Found::incomplete);
      if (*p == '\r') {  // an empty line: the section ends
        if (end - p < 2) return leave(p, Found::incomplete);
        return p[1] == '\n' ? leave(p + 2, Found::end) : leave(p, Found::failed);
      }
    }
    // The end of the line is looked for from its beginning, since all that a name may hold a value
    // may hold too: so neither search waits for what the other finds.
    const char* const line_end = scan::skip<scan::text>(section, p, end);
    if (colon == nullptr) {
      const char* const name_end = scan::skip<scan::token>(section, p, end);
      if (name_end == end) return leave(end, Found::incomplete);
      if (*name_end != ':' || name_end == line) return leave(name_end, Found::failed);
      colon = name_end;
    }
    p = line_end;
    if (end - p < 2) {
      // A byte that is not text and not CR is wrong whatever follows; for a CR we wait for the LF.
      const bool good = p == end || *p == '\r';
      return leave(p, good ? Found::incomplete : Found::failed);
    }
    if (p[0] != '\r' || p[1] != '\n') return leave(p, Found::failed);

    const char* first = colon + 1;
    const char* last = p;
    while (first != last && (*first == ' ' || *first == '\t')) ++first;
    while (last != first && (last[-1] == ' ' || last[-1] == '\t')) --last;
    const auto piece = [section](const char* begin, const char* behind) {
      return Piece{static_cast<std::uint16_t>(begin - section),
                   static_cast<std::uint16_t>(behind - begin)};
    };
    const FieldLine found{piece(line, colon), piece(first, last)};
    line = p = p + 2;
    colon = nullptr;
    if (!take(found)) return leave(p, Found::stopped);
  }
}

/// Whether two names are equal in any case of ASCII letters (RFC 9110 section 5.1).
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// The same against a name in lower case that is known when this is compiled, for names that are
/// tokens: setting one bit lowers a letter, and makes no other token byte equal to a letter or '-'.
template <std::size_t size>
bool is_name(std::string_view name, const char (&lower)[size]) {
  // Word by word; the last one may overlap the one before it.
  constexpr std::size_t length = size - 1;
  using Word = std::conditional_t<(length < 8), std::uint32_t, std::uint64_t>;
  static_assert(length >= sizeof(Word));
  const auto word = [](const char* p) {
    Word bytes = 0;
    std::memcpy(&bytes, p, sizeof(bytes));
    return bytes | static_cast<Word>(0x2020202020202020U);
  };
  for (std::size_t i = 0; i + sizeof(Word) < length; i += sizeof(Word)) {
    if (word(name.data() + i) != word(lower + i)) return false;
  }
  constexpr std::size_t last = length - sizeof(Word);
  return word(name.data() + last) == word(lower + last);
}

/// Whether a comma-separated list has the member `token`, in any case (RFC 9110 section 5.6.1:
/// empty members and white space do not count).
bool list_contains(std::string_view list, std::string_view token);

/// Takes the first member off a comma-separated list; empty when there are no more. Members are
/// trimmed, empty ones skipped.
std::string_view take_list_member(std::string_view& list);

}  // namespace stagecraft
