#include "http/request_target.h"

#include <algorithm>

#include "base/utf8.h"
#include "http/scan.h"

namespace stagecraft {
namespace {

Piece piece(std::size_t offset, std::size_t size) {
  return {static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(size)};
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte that "%41" means, or -1. Two digits must follow.
int escaped_byte(std::string_view text, std::size_t percent) {
  if (text.size() - percent < 3) return -1;
  const int high = hex_value(text[percent + 1]);
  const int low = hex_value(text[percent + 2]);
  return high < 0 || low < 0 ? -1 : 16 * high + low;
}

// Where the plain part of a path ends: at the query, or at the first byte that asks for a closer
// look, which is an escape, a backslash, or the dot of a segment that begins with one. The space
// behind a target ends its path too, so the search may go on to the end of the head: so far there
// are sixteen bytes to look at together, nearly always.
std::size_t plain_path_size(std::string_view head, std::string_view target) {
  const char* const head_end = head.data() + head.size();
  const char* const end = target.data() + target.size();
  const char* p = target.data();
  for (;;) {
    p = std::min(scan::skip<scan::path>(head.data(), p, head_end), end);
    if (p == end || *p != '.' || p[-1] == '/') {
      return static_cast<std::size_t>(p - target.data());
    }
    ++p;
  }
}

bool unescape(std::string_view path, std::string& decoded) {
  decoded.clear();
  for (std::size_t i = 0; i < path.size(); ++i) {
    char c = path[i];
    if (c == '%') {
      const int byte = escaped_byte(path, i);
      if (byte < 0) return false;
      c = static_cast<char>(byte);
      i += 2;
      // A separator that was escaped is one for some readers and a name's letter for others.
      if (c == '/') return false;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '\\') return false;
    decoded.push_back(c);
  }
  return true;
}

// An escape that is still there after decoding was escaped twice: somebody behind us might decode
// it once more and find a path that nobody checked.
bool has_escape(std::string_view path) {
  for (std::size_t i = path.find('%'); i != std::string_view::npos; i = path.find('%', i + 1)) {
    if (escaped_byte(path, i) >= 0) return true;
  }
  return false;
}

// RFC 3986 section 5.2.4, but a path that climbs above the root is refused rather than cut off
// there. In place: what is kept never grows.
bool remove_dot_segments(std::string& path) {
  std::size_t out = 0;  // path[0, out) is kept; it never ends in '/' but for segments kept empty
  std::size_t in = 0;
  while (in < path.size()) {
    const std::size_t next = std::min(path.find('/', in + 1), path.size());
    const std::string_view segment = std::string_view(path).substr(in + 1, next - in - 1);
    const bool last = next == path.size();
    // "..;x" is ".." to those who cut parameters off.
    const std::string_view name = segment.substr(0, segment.find(';'));
    if (name != segment && (name == "." || name == "..")) return false;
    if (segment == "..") {
      if (out == 0) return false;
      out = path.rfind('/', out - 1);
      if (last) path[out++] = '/';
    } else if (segment == ".") {
      if (last) path[out++] = '/';
    } else {
      std::copy(path.begin() + static_cast<std::ptrdiff_t>(in),
                path.begin() + static_cast<std::ptrdiff_t>(next),
                path.begin() + static_cast<std::ptrdiff_t>(out));
      out += next - in;
    }
    in = next;
  }
  path.resize(out);
  return true;
}

// The part behind the authority: path and query, both maybe empty.
Status parse_path(std::string_view head, std::string_view target, std::size_t begin,
                  RequestTarget& parsed, std::string& decoded, std::string_view& reason) {
  const std::string_view rest = target.substr(begin);
  std::size_t path_size = plain_path_size(head, rest);
  if (path_size < rest.size() && rest[path_size] != '?') {
    path_size = std::min(rest.find('?'), rest.size());
    if (!decode_path(rest.substr(0, path_size), decoded)) {
      reason = "the path leaves the root, or can be read in two ways";
      return Status::bad_request;
    }
    parsed.path_decoded = true;
  }
  parsed.path = piece(begin, path_size);
  if (path_size < rest.size()) {
    parsed.query = piece(begin + path_size + 1, rest.size() - path_size - 1);
  }
  return Status::none;
}

// RFC 3986 section 3.1: a letter, then letters, digits, "+", "-" and ".".
bool is_scheme(std::string_view text) {
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || scan::is(c, scan::digit) || c == '+' || c == '-' || c == '.';
  });
}

// Four numbers from 0 to 255 (RFC 3986 section 3.2.2, IPv4address).
bool is_ipv4(std::string_view text) {
  for (int left = 4; left > 0; --left) {
    const std::size_t size = std::min(text.find('.'), text.size());
    const std::string_view number = text.substr(0, size);
    const bool digits =
        !number.empty() && number.size() <= 3 &&
        std::ranges::all_of(number, [](char c) { return scan::is(c, scan::digit); });
    if (!digits || (number.size() > 1 && number.front() == '0')) return false;
    if (number.size() == 3 && number > "255") return false;
    text.remove_prefix(size);
    if (left > 1 && !text.starts_with('.')) return false;
    if (left > 1) text.remove_prefix(1);
  }
  return text.empty();
}

// Eight groups of one to four hexadecimal digits, of which "::" stands for one or more; the last
// two may be written as an IPv4 address (RFC 3986 section 3.2.2, IPv6address).
bool is_ipv6(std::string_view text) {
  int groups = 0;
  bool shortened = false;
  if (text.starts_with("::")) {
    shortened = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(':'), text.size());
    if (size == text.size() && text.find('.') != std::string_view::npos) {
      if (!is_ipv4(text)) return false;
      groups += 2;
      break;
    }
    const bool good =
        size >= 1 && size <= 4 &&
        std::ranges::all_of(text.substr(0, size), [](char c) { return scan::is(c, scan::hex); });
    if (!good) return false;
    ++groups;
    text.remove_prefix(size);
    if (text.starts_with("::")) {
      if (shortened) return false;
      shortened = true;
      text.remove_prefix(2);
    } else if (text.starts_with(':')) {
      text.remove_prefix(1);
      if (text.empty()) return false;
    }
  }
  return shortened ? groups < 8 : groups == 8;
}

// RFC 9112 section 3.2.2, which every server must accept.
Status parse_absolute(std::string_view head, std::string_view target, RequestTarget& parsed,
                      std::string& decoded, std::string_view& reason) {
  const std::size_t scheme_size = target.find("://");
  if (scheme_size == std::string_view::npos || !is_scheme(target.substr(0, scheme_size))) {
    reason = "the request target is in none of its four forms";
    return Status::bad_request;
  }
  if (!equal_ignoring_case(target.substr(0, scheme_size), "http")) {
    reason = "this connection carries the scheme http only";  // RFC 9110 section 7.4
    return Status::misdirected_request;
  }
  const std::size_t begin = scheme_size + 3;
  const std::size_t end = std::min(target.find_first_of("/?", begin), target.size());
  // User information is no part of is_authority(): in a link it serves to deceive
  // (RFC 9110 section 4.2.4).
  if (!is_authority(target.substr(begin, end - begin), head.data())) {
    reason = "the request target names no host";
    return Status::bad_request;
  }
  parsed.authority = piece(begin, end - begin);
  if (end < target.size() && target[end] == '/') {
    return parse_path(head, target, end, parsed, decoded, reason);
  }
  // An empty path means "/" (RFC 9110 section 4.2.3).
  decoded.assign(1, '/');
  parsed.path_decoded = true;
  if (end < target.size()) parsed.query = piece(end + 1, target.size() - end - 1);
  return Status::none;
}

}  // namespace

bool decode_path(std::string_view path, std::string& decoded) {
  return unescape(path, decoded) && is_utf8(decoded) && !has_escape(decoded) &&
         remove_dot_segments(decoded);
}

bool is_authority(std::string_view authority, const char* first) {
  std::size_t host_size = 0;
  if (authority.starts_with('[')) {  // an IPv6 address
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos || !is_ipv6(authority.substr(1, close - 1))) return false;
    host_size = close + 1;
  } else {
    const char* const end = authority.data() + authority.size();
    const char* p = scan::skip<scan::host>(first, authority.data(), end);
    while (p != end && *p == '%') {  // rare, and never decoded here
      if (escaped_byte(authority, static_cast<std::size_t>(p - authority.data())) < 0) return false;
      p = scan::skip<scan::host>(first, p + 3, end);
    }
    host_size = static_cast<std::size_t>(p - authority.data());
  }
  if (host_size == 0) return false;
  if (host_size == authority.size()) return true;
  if (authority[host_size] != ':') return false;
  const std::string_view port = authority.substr(host_size + 1);  // may be empty: RFC 3986 3.2.3
  if (port.size() > 5) return false;
  const char* const port_end = port.data() + port.size();
  if (scan::skip_plain(port.data(), port_end, scan::digit) != port_end) return false;
  return port.size() < 5 || port <= "65535";
}

Status parse_target(Method method, std::string_view head, Piece target_piece, RequestTarget& parsed,
                    std::string& decoded, std::string_view& reason) {
  const std::string_view target = target_piece.of(head.data());
  parsed = {};
  if (method == Method::connect) {  // the authority form, with a port (RFC 9110 section 9.3.6)
    const std::size_t colon = target.rfind(':');
    if (!is_authority(target, head.data()) || colon == std::string_view::npos ||
        colon + 1 == target.size() || target.ends_with(']')) {
      reason = "CONNECT names a host and a port";
      return Status::bad_request;
    }
    parsed.authority = piece(0, target.size());
    return Status::none;
  }
  if (target.starts_with('/')) return parse_path(head, target, 0, parsed, decoded, reason);
  if (target == "*") {
    if (method != Method::options) {
      reason = "only OPTIONS has the target *";
      return Status::bad_request;
    }
    parsed.path = piece(0, 1);
    return Status::none;
  }
  return parse_absolute(head, target, parsed, decoded, reason);
}

}  // namespace stagecraft
