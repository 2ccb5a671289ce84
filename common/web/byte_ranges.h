// Which parts of a content a client asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A part of a content: `length` bytes, at least one, from `offset` on.
struct ByteRange {
  std::uint64_t offset = 0, length = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// What a Range field asks for.
struct RangeSelection {
  enum Kind : std::uint8_t {
    whole,         ///< all of it: the field is to be ignored
    parts,         ///< `ranges`, at least one, none overlapping or touching another
    unsatisfiable  ///< nothing that there is: 416
  };
  Kind kind = whole;
  std::vector<ByteRange> ranges{};  ///< in the order in which they were asked for
};

/// As many ranges as one request may name; with more of them the field is ignored.
inline constexpr std::size_t max_ranges = 16;

/// Reads the value of a Range field for a content of `size` bytes (RFC 9110 section 14).
///
/// Ignored, as section 14.2 lets us, are other units than bytes, what is not well-formed and more
/// than max_ranges of them. Ranges that overlap or touch become one (section 15.3.7.2). So however
/// a client asks, it gets each byte once, and at most max_ranges parts (section 17.15). Numbers of
/// any length are read; what is beyond 64 bits is beyond every content.
RangeSelection select_ranges(std::string_view field_value, std::uint64_t size);

/// The value of Content-Range for a part, "bytes 0-4/100".
std::string content_range(const ByteRange& range, std::uint64_t size);
/// The same for a 416, "bytes */100".
std::string unsatisfied_content_range(std::uint64_t size);

}  // namespace stagecraft
