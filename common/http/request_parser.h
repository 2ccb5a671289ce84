// From bytes to a request's head.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/limits.h"
#include "http/field_parser.h"
#include "http/request.h"
#include "http/status.h"

namespace stagecraft {

/// How the end of a request's body is found (RFC 9112 section 6.3).
enum class Framing : std::uint8_t { none, length, chunked };

/// A parsed head: pieces of its bytes, and what its fields mean for the connection.
struct RequestHead {
  /// Limits::max_fields cannot be larger.
  static constexpr std::size_t max_fields = 128;

  Method method = Method::get;
  std::uint8_t minor_version = 1;
  Framing framing = Framing::none;
  bool close = false;            ///< Connection lists close
  bool keep_alive = false;       ///< Connection lists keep-alive
  bool upgrade = false;          ///< Connection lists upgrade
  bool expect_continue = false;  ///< Expect: 100-continue
  bool expect_other = false;     ///< Expect: anything else
  std::uint16_t field_count = 0;
  std::uint16_t size = 0;  ///< of the whole head, its empty line included
  Piece target;
  Piece host;
  std::uint64_t content_length = 0;
  std::array<FieldLine, max_fields> fields;

  /// Whether the client lets the connection persist (RFC 9112 section 9.3).
  bool persistent() const { return !close && (minor_version >= 1 || keep_alive); }
};

/// Parses the head of a request (RFC 9112 sections 2, 3, 5 and 6) and judges its framing.
///
/// It keeps a state and a place, so it goes on where it stopped: each byte is judged once, and the
/// first one that cannot be right ends it, whatever the pieces in which the bytes arrive. Every
/// search ends at a limit, so the limits do not depend on the pieces either.
class RequestParser {
 public:
  explicit RequestParser(const Limits& limits);

  /// Ready for the next request.
  void reset();
  /// Looks at bytes[0, size): the request's first byte and all that follows, as far as it is there.
  /// `size` grows from call to call; the block may have moved.
  Progress parse(const char* bytes, std::size_t size);

  const RequestHead& head() const { return head_; }
  /// Whether a byte of a request has come; empty lines before one do not count.
  bool started() const { return state_ != State::start; }
  /// After Progress::failed: the answer that the client deserves, and why in plain words.
  Status error() const { return error_; }
  std::string_view reason() const { return reason_; }

 private:
  enum class State : std::uint8_t { start, method, target, version, fields, failed };

  Progress parse_request_line(const char* bytes, std::size_t size);
  Progress parse_start(const char* bytes, std::size_t size);
  Progress parse_parts(const char* bytes, std::size_t size);
  Progress parse_version(const char* bytes, std::size_t size);
  Progress parse_fields(const char* bytes, std::size_t size);
  Progress note(const char* bytes, const FieldLine& line);
  Progress note_host(const char* bytes, Piece piece);
  Progress note_content_length(std::string_view value);
  Progress note_transfer_encoding(std::string_view value);
  void note_connection(std::string_view value);
  void note_expect(std::string_view value);
  Progress finish();
  Progress fail(Status status, std::string_view reason);
  // Offsets into a head have 16 bits, whatever the option says.
  std::size_t max_head_size() const { return std::min<std::size_t>(limits_.max_head_size, 0xffff); }

  const Limits& limits_;
  FieldParser lines_;
  State state_ = State::start;
  bool host_seen_ = false;
  bool length_seen_ = false;
  bool coding_seen_ = false;
  bool coding_unknown_ = false;   // a transfer coding other than chunked stood before chunked
  std::uint16_t position_ = 0;    // the byte to look at next, until the version
  std::uint16_t line_start_ = 0;  // where the request line began
  std::uint16_t part_ = 0;        // where its part being read began
  Status error_ = Status::none;
  std::string_view reason_;
  // The last Host found good, if it is not long. Nearly all requests name the same one, and
  // comparing it is a quarter of the work of judging it. Kept by reset().
  std::array<char, 63> good_host_;
  std::uint8_t good_host_size_ = 0;
  RequestHead head_;
};

}  // namespace stagecraft
