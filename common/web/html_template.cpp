#include "web/html_template.h"

#include <algorithm>
#include <stdexcept>

#include "base/escape.h"

namespace stagecraft {

namespace {

constexpr std::string_view open_mark = "{{";
constexpr std::string_view close_mark = "}}";

}  // namespace

HtmlTemplate::HtmlTemplate(std::string_view text) {
  while (!text.empty()) {
    const std::size_t begin = text.find(open_mark);
    if (begin == std::string_view::npos) {
      pieces_.push_back({text, {}});
      return;
    }
    const std::size_t end = text.find(close_mark, begin);
    if (end == std::string_view::npos) {
      throw std::invalid_argument("a template's gap does not end");
    }
    Piece piece{text.substr(0, begin), text.substr(begin + 2, end - begin - 2)};
    if (piece.name.starts_with('&')) {
      piece.name.remove_prefix(1);
      piece.escaped = false;
    }
    if (piece.name.empty()) throw std::invalid_argument("a template's gap has no name");
    pieces_.push_back(piece);
    text.remove_prefix(end + close_mark.size());
  }
}

std::string HtmlTemplate::fill(std::initializer_list<Value> values) const {
  std::string page;
  for (const Piece& piece : pieces_) {
    page += piece.before;
    if (piece.name.empty()) continue;
    const auto* const value =
        std::find_if(values.begin(), values.end(),
                     [&piece](const Value& candidate) { return candidate.name == piece.name; });
    if (value == values.end()) {
      throw std::invalid_argument("a template has no value for " + std::string(piece.name));
    }
    if (piece.escaped) {
      append_html_escaped(page, value->text);
    } else {
      page += value->text;
    }
  }
  return page;
}

}  // namespace stagecraft
