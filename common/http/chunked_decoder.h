// The chunked transfer coding, taken apart (RFC 9112 section 7.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/limits.h"
#include "http/field_parser.h"
#include "http/status.h"

namespace stagecraft {

/// Decodes a chunked body from pieces of any size. Size lines and extensions are judged byte by
/// byte and never seen again; only the trailer section must stay until it is whole.
class ChunkedDecoder {
 public:
  static constexpr std::size_t max_trailers = 32;

  explicit ChunkedDecoder(const Limits& limits) : limits_(limits) {}
  /// Ready for the next body.
  void reset();
  /// A body of more than `bytes` is refused with 413, as soon as a chunk's size says so.
  void limit(std::uint64_t bytes) { max_bytes_ = bytes; }

  struct Result {
    Progress progress = Progress::incomplete;
    std::size_t used = 0;   ///< bytes that need not be shown again
    std::string_view data;  ///< a piece of the body: the last of the bytes used
  };
  /// Looks at `bytes`: all that have come and are not used yet. Returns after the first piece of
  /// data: call it again with the rest while it uses any.
  Result decode(std::string_view bytes);

  /// The trailer section: shown to decode() from its first byte each time, used all at once when it
  /// is whole. The pieces count from that byte.
  const FieldLine& trailer(std::size_t index) const { return trailers_[index]; }
  std::size_t trailer_count() const { return trailer_count_; }
  /// Its size, once the body is complete.
  std::size_t trailer_size() const { return lines_.position(); }

  /// After Progress::failed: the answer that the client deserves, and why in plain words.
  Status error() const { return error_; }
  std::string_view reason() const { return reason_; }

 private:
  enum class State : std::uint8_t {
    size,         // hexadecimal digits
    gap,          // white space behind a size or an extension: only ';' may follow
    name_begin,   // behind ';'
    name,         // of an extension
    name_gap,     // white space behind the name: '=' or ';' may follow
    value_begin,  // behind '='
    value,        // a token
    quoted,       // a quoted string
    quoted_pair,  // behind a backslash in it
    quoted_end,   // behind its closing quote
    size_lf,      // behind the CR that ends the line
    data,
    data_cr,
    data_lf,
    trailer,
    failed
  };

  bool take_size_digit(char c);
  static State behind_element(char c);
  State next_in_line(char c);
  bool take_line(std::string_view bytes, std::size_t& used);
  Progress take_trailer(std::string_view bytes);
  Progress fail(Status status, std::string_view reason);

  const Limits& limits_;
  FieldParser lines_;
  State state_ = State::size;
  bool size_seen_ = false;                                               // the line has a digit
  std::uint64_t max_bytes_ = std::numeric_limits<std::uint64_t>::max();  // of data
  std::uint64_t left_ = 0;                                               // of the chunk being read
  std::uint64_t data_bytes_ = 0;                                         // of the body so far
  std::uint64_t overhead_bytes_ = 0;  // all else but the trailer section
  std::size_t trailer_count_ = 0;
  Status error_ = Status::none;
  std::string_view reason_;
  std::array<FieldLine, max_trailers> trailers_;
};

}  // namespace stagecraft
