// multipart/form-data, taken apart while it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "web/charset.h"
#include "web/refusal.h"

namespace stagecraft {

/// What a form of parts may have; all bounds hold for every way of splitting the bytes.
struct MultipartLimits {
  std::uint64_t max_bytes = 32u << 20;      ///< of the whole body; beyond it 413
  std::size_t max_fields = 1000;            ///< parts without a file's name; then 413
  std::size_t max_files = 20;               ///< each may hold a descriptor; then 413
  std::size_t max_head_bytes = 8u << 10;    ///< the field lines of one part; then 431
  std::size_t max_field_bytes = 64u << 10;  ///< the value of one field; then 413
  std::size_t max_fields_bytes = 1u << 20;  ///< names and values of all fields; then 413
  /// Of one file, kept in memory; a larger one goes to a temporary file.
  std::size_t max_memory_bytes = 64u << 10;
  /// Where temporary files are made; they never have a name there. Empty: $TMPDIR, or /tmp.
  std::string folder = {};
};

/// What a part says of itself.
struct PartHead {
  std::string name;                     ///< of the field, in UTF-8
  std::optional<std::string> filename;  ///< there, maybe empty: it is a file. As the client says
                                        ///< it: never a path to write to (see plain_file_name)
  std::string type;                     ///< its Content-Type, as it was sent; may be empty
  std::optional<Charset> charset;       ///< of a field's value, if it says so
};

/// The last segment of a file's name, without what could lead elsewhere: neither folders, in either
/// system's manner, nor control characters, nor a dot at its beginning. "file" if nothing is left.
std::string plain_file_name(std::string_view name);

/// What becomes of the parts, in order. What one of these refuses ends the parsing.
class PartReceiver {
 public:
  virtual ~PartReceiver() = default;
  virtual Refusal begin_part(PartHead head) = 0;
  /// Never empty; in pieces that depend on how the body arrived.
  virtual Refusal part_data(std::string_view piece) = 0;
  virtual Refusal end_part() = 0;
};

/// Parses a body by RFC 7578 and RFC 2046 section 5.1. Binary-safe: a part's content is all bytes
/// up to a CR LF and a whole delimiter line, so what only resembles one is content. What stands
/// before the first delimiter and behind the last is passed over, and so are spaces behind a
/// delimiter. Never holds more than a delimiter or a part's head.
///
///     preamble --delimiter--> head --empty line--> content --delimiter--> head ...
///                                                  content --last delimiter--> epilogue
class MultipartParser {
 public:
  /// Precondition: is_boundary(boundary). Both references must outlive the parser.
  MultipartParser(std::string_view boundary, const MultipartLimits& limits, PartReceiver& receiver);

  /// Takes the next piece. After a refusal it must not be called again.
  Refusal write(std::string_view piece);
  /// The body is over: refused if its last delimiter has not come.
  Refusal finish();

  /// Whether a text can be a boundary (RFC 2046 section 5.1.1): 1 to 70 of certain characters.
  static bool is_boundary(std::string_view text);

 private:
  enum class State : std::uint8_t { preamble, head, content, epilogue };
  enum class Line : std::uint8_t { delimiter, last, other, unknown };
  enum class End : std::uint8_t { not_yet, here };
  struct Found {
    Line line = Line::other;
    std::size_t size = 0;  // of what follows the boundary, with its CR LF
  };

  // Each takes what it can from the front of `bytes`, and says how much by making it shorter.
  Refusal parse(std::string_view& bytes, End end);
  Refusal parse_content(std::string_view& bytes, End end);
  Refusal parse_head(std::string_view& bytes);
  Refusal take_head(std::string_view head);
  Found look_at_line(std::string_view behind_boundary, End end) const;
  Refusal pass_on(std::string_view& bytes, std::size_t size);
  Refusal reach(Line line);

  const std::string delimiter_;  // CR LF "--" boundary
  const MultipartLimits& limits_;
  PartReceiver& receiver_;
  std::string held_;  // what came and could not be decided yet
  State state_ = State::preamble;
  bool stuck_ = false;    // no progress without more bytes
  std::size_t skip_ = 0;  // of the content: the end of the empty line before it
  std::size_t fields_ = 0;
  std::size_t files_ = 0;
};

}  // namespace stagecraft
