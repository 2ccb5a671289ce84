#include "support/http_response.h"

#include <algorithm>

#include "support/printable.h"

namespace stagecraft::testing {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view optional_space = " \t";
// Nobody reads more in a test; a larger number is a fault of the server.
constexpr std::size_t largest_body = std::size_t{1} << 30U;

// `at` is the byte that is wrong; npos: no single one is.
[[noreturn]] void malformed(std::string_view section, std::string_view what, std::string_view bytes,
                            std::size_t at = std::string_view::npos) {
  std::string text(what);
  text.append(" (").append(section).append("): `").append(printable(bytes, 200)).append("`");
  const std::string before = at <= bytes.size() ? printable(bytes.substr(0, at), 200) : "";
  if (at <= bytes.size() && before.size() < 200) {
    text += "\n    " + printable(bytes, 200) + "\n    " + std::string(before.size(), ' ') + "^";
  }
  throw MalformedResponse(text);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(optional_space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(optional_space) - first + 1);
}

// A field value or a reason phrase: HTAB, space, what is visible, and obs-text.
bool is_field_text_byte(char c) {
  const auto value = static_cast<unsigned char>(c);
  return value == '\t' || (value >= ' ' && value != 0x7F);
}

bool is_field_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_field_text_byte);
}

std::size_t first_control(std::string_view line) {
  const auto* const found = std::find_if_not(line.begin(), line.end(), is_field_text_byte);
  return static_cast<std::size_t>(found - line.begin());
}

std::string_view take(std::string_view& bytes, std::size_t count) {
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

// One line without its CRLF; nothing if its end has not come yet.
std::optional<std::string_view> take_line(std::string_view& bytes) {
  const auto end = bytes.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  if (end == 0 || bytes[end - 1] != '\r') {
    malformed("RFC 9112, 2.2", "a line that ends in LF without CR", bytes.substr(0, end + 1), end);
  }
  const std::string_view line = take(bytes, end + 1).substr(0, end - 1);
  if (line.find('\r') != std::string_view::npos) {
    malformed("RFC 9112, 2.2", "a bare CR in a line", line, line.find('\r'));
  }
  return line;
}

void read_status_line(std::string_view line, HttpResponse& response) {
  constexpr std::string_view section = "RFC 9112, 4";
  if (line.substr(0, 7) != "HTTP/1." || line.size() < 9 || !is_digit(line[7]) || line[8] != ' ') {
    malformed(section, "no `HTTP/1.DIGIT SP` at the start of the status line", line);
  }
  response.minor_version = line[7] - '0';
  const std::string_view code = line.substr(9, 3);
  if (code.size() != 3 || !std::all_of(code.begin(), code.end(), is_digit) || code[0] < '1' ||
      code[0] > '5') {
    malformed(section, "no status code of three digits from 100 to 599", line, 9);
  }
  response.status = (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
  if (line.size() < 13 || line[12] != ' ') {
    malformed(section, "no space after the status code", line, 12);
  }
  response.reason = line.substr(13);
  if (!is_field_text(response.reason)) {
    malformed(section, "a control in the reason phrase", line, first_control(line));
  }
}

HttpField read_field(std::string_view line) {
  constexpr std::string_view section = "RFC 9112, 5";
  if (line.front() == ' ' || line.front() == '\t') {
    malformed("RFC 9112, 2.2 and 5.2", "a line of the head begins with white space", line, 0);
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos)
    malformed(section, "a field line without a colon", line, line.size());
  const std::string_view name = line.substr(0, colon);
  if (!is_token(name)) {
    std::size_t good = 0;
    while (good < name.size() && is_token(name.substr(good, 1))) ++good;
    malformed(section, "a field name that is no token", line, good);
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_field_text(value)) {
    malformed("RFC 9110, 5.5", "a control in a field value", line, first_control(line));
  }
  return {std::string(name), std::string(value)};
}

// False: the section has not come whole yet.
bool read_fields(std::string_view& bytes, std::vector<HttpField>& fields) {
  for (;;) {
    const auto line = take_line(bytes);
    if (!line) return false;
    if (line->empty()) return true;
    fields.push_back(read_field(*line));
  }
}

Framing framing_of(const HttpResponse& response, std::string_view method) {
  const std::size_t lengths = response.count("Content-Length");
  const std::size_t codings = response.count("Transfer-Encoding");
  if (lengths > 0 && codings > 0) {
    malformed("RFC 9112, 6.2", "Content-Length beside Transfer-Encoding", response.head);
  }
  if (lengths > 1) malformed("RFC 9110, 5.3", "Content-Length twice", response.head);
  if (codings > 0 && !equal_names(response.field("Transfer-Encoding"), "chunked")) {
    malformed("RFC 9112, 6.1", "a Transfer-Encoding other than one `chunked`", response.head);
  }
  if (lengths > 0) {
    const std::string length = response.field("Content-Length");
    if (length.empty() || !std::all_of(length.begin(), length.end(), is_digit)) {
      malformed("RFC 9110, 8.6", "a Content-Length that is no number", response.head);
    }
  }
  if (method == "HEAD" || response.interim() || response.status == 204 || response.status == 304) {
    return Framing::no_content;
  }
  if (codings > 0) return Framing::chunked;
  return lengths > 0 ? Framing::content_length : Framing::end_of_connection;
}

// The size of a chunk, its extensions dropped: no answer here needs any.
std::size_t read_chunk_size(std::string_view line) {
  constexpr std::string_view hex_digits = "0123456789abcdef";
  const std::string_view digits = line.substr(0, line.find(';'));
  std::size_t size = 0;
  for (const char c : digits) {
    const auto digit = hex_digits.find(lower(c));
    if (digit == std::string_view::npos) malformed("RFC 9112, 7.1", "no chunk size", line);
    size = size * 16 + digit;
    if (size > largest_body) malformed("RFC 9112, 7.1", "an absurd chunk size", line);
  }
  if (digits.empty()) malformed("RFC 9112, 7.1", "no chunk size", line);
  return size;
}

bool read_chunks(std::string_view& bytes, HttpResponse& response) {
  for (;;) {
    const auto line = take_line(bytes);
    if (!line) return false;
    const std::size_t size = read_chunk_size(*line);
    if (size == 0) return read_fields(bytes, response.trailers);
    if (bytes.size() < size + line_end.size()) return false;
    response.body += take(bytes, size);
    if (take(bytes, line_end.size()) != line_end) {
      malformed("RFC 9112, 7.1", "no CRLF after the data of a chunk", *line);
    }
  }
}

bool read_content(std::string_view& bytes, HttpResponse& response, Stream stream) {
  switch (response.framing) {
    case Framing::no_content:
      return true;
    case Framing::chunked:
      return read_chunks(bytes, response);
    case Framing::end_of_connection:
      if (stream == Stream::open) return false;
      response.body = take(bytes, bytes.size());
      return true;
    case Framing::content_length:
      break;
  }
  const std::string text = response.field("Content-Length");
  if (text.size() > 10) malformed("RFC 9110, 8.6", "an absurd Content-Length", response.head);
  const std::size_t length = std::stoull(text);
  if (bytes.size() < length) return false;
  response.body = take(bytes, length);
  return true;
}

}  // namespace

bool equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [marks](char c) {
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
           marks.find(c) != std::string_view::npos;
  });
}

std::size_t HttpResponse::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(),
                    [name](const HttpField& field) { return equal_names(field.name, name); }));
}

std::string HttpResponse::field(std::string_view name) const {
  std::string joined;
  bool first = true;
  for (const HttpField& field : fields) {
    if (!equal_names(field.name, name)) continue;
    joined += (first ? "" : ", ") + field.value;
    first = false;
  }
  return joined;
}

std::vector<std::string> HttpResponse::list(std::string_view name) const {
  std::vector<std::string> members;
  if (!has(name)) return members;
  const std::string joined = field(name);
  std::string_view rest = joined;
  for (;;) {
    const auto comma = rest.find(',');
    members.emplace_back(trimmed(rest.substr(0, comma)));
    if (comma == std::string_view::npos) return members;
    rest.remove_prefix(comma + 1);
  }
}

bool HttpResponse::lists(std::string_view name, std::string_view member) const {
  const auto members = list(name);
  return std::any_of(members.begin(), members.end(),
                     [member](const std::string& each) { return equal_names(each, member); });
}

std::optional<HttpResponse> take_response(std::string_view& bytes, std::string_view method,
                                          Stream stream) {
  std::string_view rest = bytes;
  HttpResponse response;
  const auto status_line = take_line(rest);
  if (!status_line) return std::nullopt;
  read_status_line(*status_line, response);
  if (!read_fields(rest, response.fields)) return std::nullopt;
  response.head = bytes.substr(0, bytes.size() - rest.size());
  response.framing = framing_of(response, method);
  if (!read_content(rest, response, stream)) return std::nullopt;
  bytes = rest;
  return response;
}

}  // namespace stagecraft::testing
