// Patterns of paths: "/guests/{id: [0-9]+}/photo", "/files/...".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A pattern, taken apart. It is made of segments, and each of them is
///
///     guests          this text
///     {name}          any text but none
///     {name: regex}   a text that the regular expression describes from end to end; its syntax is
///                     RE2's (https://github.com/google/re2/wiki/Syntax)
///     ...             as the last one: this and all segments that follow, of whatever text
///
/// A path is compared as Request::path() gives it: decoded, case counting. "/a" and "/a/" are two
/// paths.
struct PathPattern {
  enum class Kind : std::uint8_t { text, any, expression };
  struct Segment {
    Kind kind = Kind::text;
    std::string_view text;  ///< the text itself, or the expression
    std::string_view name;  ///< of the parameter
  };

  /// Refers to `text`. Throws std::invalid_argument that quotes the pattern when it does not begin
  /// with '/', when its braces do not match or are only a part of a segment, and when two
  /// parameters have one name.
  explicit PathPattern(std::string_view text);

  /// Whether it is a plain path, without parameters and "...".
  bool is_plain() const;

  std::vector<Segment> segments;
  bool all_below = false;  ///< ends in "..."
};

/// What a path has in the places of a pattern's parameters. Found when asked for: it is two views,
/// so it costs nothing to make and works with any number of parameters.
class PathParameters {
 public:
  /// Both must live as long as this object. `path` matches `pattern`.
  PathParameters(std::string_view pattern, std::string_view path)
      : pattern_(pattern), path_(path) {}

  /// "7" of "id" in "/guests/7" by the pattern "/guests/{id}". Throws std::out_of_range if the
  /// pattern has no such parameter.
  std::string_view operator[](std::string_view name) const;
  /// What "..." stands for: "css/page.css" in "/files/css/page.css" by "/files/...". Empty if the
  /// pattern does not end so.
  std::string_view rest() const;

 private:
  std::string_view pattern_;
  std::string_view path_;
};

}  // namespace stagecraft
