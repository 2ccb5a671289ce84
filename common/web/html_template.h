// Pages with gaps.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A page with gaps for texts. `{{name}}` is filled in with a text that is escaped, so that
/// whatever a stranger wrote is shown and not run; `{{&name}}` with HTML that the program has made
/// itself, with another template say. A gap stands between tags, or in an attribute in quotes;
/// never in a script or a style, where other rules hold.
///
/// Taken apart once; const from then on, so that any thread may use it.
class HtmlTemplate {
 public:
  struct Value {
    std::string_view name, text;
  };

  /// Refers to `text`, which lives as long as the program. Throws std::invalid_argument when a gap
  /// does not end.
  explicit HtmlTemplate(std::string_view text);

  /// The page. Throws std::invalid_argument when a gap has no value.
  std::string fill(std::initializer_list<Value> values) const;

 private:
  struct Piece {
    std::string_view before;  // the gap
    std::string_view name;    // empty: there is none
    bool escaped = true;
  };
  std::vector<Piece> pieces_;
};

}  // namespace stagecraft
