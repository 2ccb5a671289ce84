#include "web/multipart_parser.h"

#include <algorithm>

#include "base/utf8.h"
#include "web/fields.h"

namespace stagecraft {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t max_boundary_size = 70;
// Spaces behind a delimiter, which gateways have added in other times. More make it no delimiter:
// so the bytes that wait for a decision have a bound.
constexpr std::size_t max_padding = 64;

constexpr Refusal malformed(std::string_view reason) { return {Status::bad_request, reason}; }

// Browsers write a quote in a name as %22, and a backslash as itself.
std::string with_quotes(std::string text) {
  for (std::size_t at = text.find("%22"); at != std::string::npos; at = text.find("%22", at + 1)) {
    text.replace(at, 3, "\"");
  }
  return text;
}

// Whether the content is as it stands there. RFC 7578 section 4.7: no other is in use.
bool is_plain_encoding(std::string_view value) {
  return equal_ignoring_case(value, "binary") || equal_ignoring_case(value, "8bit") ||
         equal_ignoring_case(value, "7bit");
}

Refusal read_disposition(std::string_view value, PartHead& head) {
  const auto disposition = parse_parameterized(value);
  if (!disposition || disposition->value != "form-data") {
    return malformed("a part says that it is no form-data");
  }
  const auto name = disposition->parameter("name");
  if (!name) return malformed("a part has no name");
  head.name = with_quotes(std::string(*name));
  head.filename = extended_parameter(*disposition, "filename");
  if (head.filename && !disposition->parameter("filename*")) {
    head.filename = with_quotes(*std::move(head.filename));
  }
  if (!is_utf8(head.name) || !is_utf8(head.filename.value_or(""))) {
    return malformed("a part's name is not in UTF-8");
  }
  return {};
}

Refusal read_type(std::string_view value, PartHead& head) {
  head.type = value;
  const auto type = parse_parameterized(value);
  const auto label = type ? type->parameter("charset") : std::nullopt;
  if (!label || head.filename) return {};
  const auto charset = charset_named(*label);
  if (!charset) return {Status::unsupported_media_type, "a part is in an unknown charset"};
  head.charset = charset;
  return {};
}

}  // namespace

std::string plain_file_name(std::string_view name) {
  const std::size_t separator = name.find_last_of("/\\");
  if (separator != std::string_view::npos) name.remove_prefix(separator + 1);
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && (c != '.' || !plain.empty())) plain += c;
  }
  return plain.empty() ? "file" : plain;
}

bool MultipartParser::is_boundary(std::string_view text) {
  constexpr std::string_view others = "'()+_,-./:=? ";
  return !text.empty() && text.size() <= max_boundary_size && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
                  others.find(c) != std::string_view::npos;
         });
}

MultipartParser::MultipartParser(std::string_view boundary, const MultipartLimits& limits,
                                 PartReceiver& receiver)
    : delimiter_("\r\n--" + std::string(boundary)),
      limits_(limits),
      receiver_(receiver),
      held_(line_end) {}  // so that the first delimiter, at the very beginning, is one like others

Refusal MultipartParser::write(std::string_view piece) {
  if (held_.empty()) {  // as a rule: what came is looked at where it is
    const Refusal refusal = parse(piece, End::not_yet);
    held_ = piece;
    return refusal;
  }
  held_ += piece;
  std::string_view bytes = held_;
  const Refusal refusal = parse(bytes, End::not_yet);
  held_.erase(0, held_.size() - bytes.size());
  return refusal;
}

Refusal MultipartParser::finish() {
  std::string_view bytes = held_;
  if (const Refusal refusal = parse(bytes, End::here)) return refusal;
  held_.clear();
  if (state_ == State::epilogue) return {};
  return malformed("the form ends before its last boundary");
}

Refusal MultipartParser::parse(std::string_view& bytes, End end) {
  for (stuck_ = false; !stuck_ && !bytes.empty();) {
    switch (state_) {
      case State::preamble:
      case State::content:
        if (const Refusal refusal = parse_content(bytes, end)) return refusal;
        break;
      case State::head:
        if (const Refusal refusal = parse_head(bytes)) return refusal;
        break;
      case State::epilogue:
        bytes = {};
        break;
    }
  }
  return {};
}

// Up to the next delimiter, or as far as it is certain that none begins.
Refusal MultipartParser::parse_content(std::string_view& bytes, End end) {
  const std::size_t at = bytes.find(delimiter_);
  if (at == std::string_view::npos) {
    // A delimiter may have begun at the last CR, unless too much follows it.
    std::size_t certain = bytes.size();
    const std::size_t tail = bytes.size() - std::min(bytes.size(), delimiter_.size() - 1);
    for (std::size_t cr = bytes.find('\r', tail); cr != std::string_view::npos && end != End::here;
         cr = bytes.find('\r', cr + 1)) {
      if (!delimiter_.starts_with(bytes.substr(cr))) continue;
      certain = cr;
      stuck_ = true;
      break;
    }
    return pass_on(bytes, certain);
  }
  if (const Refusal refusal = pass_on(bytes, at)) return refusal;
  const Found found = look_at_line(bytes.substr(delimiter_.size()), end);
  switch (found.line) {
    case Line::unknown:
      stuck_ = true;
      return {};
    case Line::other:  // only the beginning of a line of content
      return pass_on(bytes, delimiter_.size());
    case Line::delimiter:
    case Line::last:
      break;
  }
  bytes.remove_prefix(delimiter_.size() + found.size);
  return reach(found.line);
}

// What kind of line is it whose first letters are a boundary?
MultipartParser::Found MultipartParser::look_at_line(std::string_view behind_boundary,
                                                     End end) const {
  const bool more_may_come = end == End::not_yet;
  std::string_view rest = behind_boundary;
  if (rest.empty() || rest == "-") return {more_may_come ? Line::unknown : Line::other, 0};
  const bool last = rest.starts_with("--");
  if (last) rest.remove_prefix(2);
  const std::size_t padding = std::min(rest.find_first_not_of(" \t"), rest.size());
  if (padding > max_padding) return {Line::other, 0};
  rest.remove_prefix(padding);
  if (rest.starts_with(line_end)) {
    // The CR LF behind the last one belongs to the epilogue.
    const std::size_t size = behind_boundary.size() - rest.size() + line_end.size();
    return {last ? Line::last : Line::delimiter, size};
  }
  if (!line_end.starts_with(rest)) return {Line::other, 0};
  if (more_may_come) return {Line::unknown, 0};
  // The last line of the body needs no end.
  return {last && rest.empty() ? Line::last : Line::other, behind_boundary.size()};
}

// The first bytes are content, or preamble.
Refusal MultipartParser::pass_on(std::string_view& bytes, std::size_t size) {
  std::string_view piece = bytes.substr(0, size);
  bytes.remove_prefix(size);
  const std::size_t skipped = std::min(skip_, piece.size());
  piece.remove_prefix(skipped);
  skip_ -= skipped;
  return state_ == State::content && !piece.empty() ? receiver_.part_data(piece) : Refusal{};
}

Refusal MultipartParser::reach(Line line) {
  const bool in_part = state_ == State::content;
  state_ = line == Line::last ? State::epilogue : State::head;
  return in_part ? receiver_.end_part() : Refusal{};
}

Refusal MultipartParser::parse_head(std::string_view& bytes) {
  constexpr Refusal too_large{Status::request_header_fields_too_large,
                              "a part's head is too large"};
  if (bytes.starts_with(line_end)) return malformed("a part has no name");
  const std::size_t size = bytes.find("\r\n\r\n");
  if (size == std::string_view::npos) {
    stuck_ = true;
    return bytes.size() >= limits_.max_head_bytes + 4 ? too_large : Refusal{};
  }
  if (size > limits_.max_head_bytes) return too_large;
  const std::string_view head = bytes.substr(0, size);
  // The last CR LF stays: the delimiter of a part without content begins with it.
  bytes.remove_prefix(size + 2);
  skip_ = line_end.size();
  state_ = State::content;
  return take_head(head);
}

Refusal MultipartParser::take_head(std::string_view head) {
  PartHead part;
  std::optional<std::string_view> disposition;
  std::string_view type;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find(line_end));
    head.remove_prefix(std::min(head.size(), line.size() + line_end.size()));
    const std::size_t colon = line.find(':');
    const bool control = std::any_of(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
    if (colon == std::string_view::npos || colon == 0 || line.front() == ' ' ||
        line.front() == '\t' || control) {
      return malformed("a part has a field line that is none");
    }
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equal_ignoring_case(name, "Content-Disposition")) {
      if (disposition) return malformed("a part has two names");
      disposition = value;
    } else if (equal_ignoring_case(name, "Content-Type")) {
      type = value;
    } else if (equal_ignoring_case(name, "Content-Transfer-Encoding") &&
               !is_plain_encoding(value)) {
      return {Status::unsupported_media_type, "a part is encoded"};
    }
  }
  if (!disposition) return malformed("a part has no name");
  if (const Refusal refusal = read_disposition(*disposition, part)) return refusal;
  if (const Refusal refusal = read_type(type, part)) return refusal;
  const bool too_many =
      part.filename ? ++files_ > limits_.max_files : ++fields_ > limits_.max_fields;
  if (too_many) return {Status::content_too_large, "the form has too many parts"};
  return receiver_.begin_part(std::move(part));
}

}  // namespace stagecraft
