#include "web/path_pattern.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft {

namespace {

constexpr std::string_view all_below_mark = "...";

[[noreturn]] void refuse(std::string_view pattern, std::string_view reason) {
  throw std::invalid_argument("the pattern " + std::string(pattern) + ' ' + std::string(reason));
}

// The size of the segment at the beginning of `rest`. A '/' in braces belongs to an expression, and
// so do braces that count repetitions or stand behind a backslash.
std::size_t segment_size(std::string_view rest) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '/' && depth == 0) return i;
    if (c == '\\' && depth > 0) {
      ++i;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && depth > 0) {
      --depth;
    }
  }
  return rest.size();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Takes apart what is known to be well-formed.
PathPattern::Segment segment_of(std::string_view text) {
  if (!text.starts_with('{')) return {PathPattern::Kind::text, text, {}};
  const std::string_view inside = text.substr(1, text.size() - 2);
  const std::size_t colon = inside.find(':');
  if (colon == std::string_view::npos) return {PathPattern::Kind::any, {}, trimmed(inside)};
  return {PathPattern::Kind::expression, trimmed(inside.substr(colon + 1)),
          trimmed(inside.substr(0, colon))};
}

// Without its '/', which stands at the front; moves on to the next.
std::string_view take_segment(std::string_view& rest, std::size_t size) {
  const std::string_view segment = rest.substr(1, size);
  rest.remove_prefix(1 + size);
  return segment;
}

std::string_view next_of_pattern(std::string_view& rest) {
  return take_segment(rest, segment_size(rest.substr(1)));
}

std::string_view next_of_path(std::string_view& rest) {
  return take_segment(rest, std::min(rest.find('/', 1), rest.size()) - 1);
}

bool is_name(std::string_view text) {
  constexpr auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

}  // namespace

PathPattern::PathPattern(std::string_view text) {
  if (!text.starts_with('/')) refuse(text, "does not begin with '/'");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = next_of_pattern(rest);
    if (part == all_below_mark && rest.empty()) {
      all_below = true;
      break;
    }
    const bool braces = part.find_first_of("{}") != std::string_view::npos;
    if (braces && (part.front() != '{' || part.back() != '}' || part.size() < 2)) {
      refuse(text, "has braces that are not around a whole segment");
    }
    // Would a '/' end the segment? Not while a brace is open.
    if (braces && segment_size(std::string(part) + '/') != part.size()) {
      refuse(text, "has a brace that is not closed");
    }
    const Segment segment = segment_of(part);
    if (segment.kind != Kind::text) {
      if (!is_name(segment.name)) refuse(text, "has a parameter without a proper name");
      for (const Segment& other : segments) {
        if (other.name == segment.name) refuse(text, "has two parameters of one name");
      }
    }
    if (segment.kind == Kind::expression && segment.text.empty()) {
      refuse(text, "has a parameter whose expression is empty");
    }
    segments.push_back(segment);
  }
}

bool PathPattern::is_plain() const {
  return !all_below && std::all_of(segments.begin(), segments.end(), [](const Segment& segment) {
    return segment.kind == Kind::text;
  });
}

std::string_view PathParameters::operator[](std::string_view name) const {
  std::string_view pattern = pattern_;
  std::string_view path = path_;
  while (!pattern.empty() && !path.empty()) {
    const PathPattern::Segment segment = segment_of(next_of_pattern(pattern));
    const std::string_view text = next_of_path(path);
    if (segment.kind != PathPattern::Kind::text && segment.name == name) return text;
  }
  throw std::out_of_range("the pattern " + std::string(pattern_) + " has no parameter " +
                          std::string(name));
}

std::string_view PathParameters::rest() const {
  std::string_view pattern = pattern_;
  std::string_view path = path_;
  while (!pattern.empty() && !path.empty()) {
    if (next_of_pattern(pattern) == all_below_mark && pattern.empty()) return path.substr(1);
    next_of_path(path);
  }
  return {};
}

}  // namespace stagecraft
