// As much of an HTTP answer as a load generator has to understand: where it ends, and whether it is
// the right one.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>

namespace stagecraft::bench {

/// An answer at the beginning of received bytes; refers to these.
struct Answer {
  enum State { partial, whole, malformed };
  State state = partial;
  int status = 0;
  std::string_view body;
  std::size_t size = 0;  ///< of head and body
};

/// Reads an answer that has a Content-Length; one without is malformed here, since a client of a
/// benchmark asks only for what has one.
inline Answer read_answer(std::string_view bytes) {
  const std::size_t empty_line = bytes.find("\r\n\r\n");
  if (empty_line == std::string_view::npos) return {};
  Answer malformed;
  malformed.state = Answer::malformed;
  const std::string_view head = bytes.substr(0, empty_line + 2);
  Answer answer;
  const auto number = [head](std::size_t from, auto& value) {
    return std::from_chars(head.data() + from, head.data() + head.size(), value).ec == std::errc{};
  };
  if (head.substr(0, 7) != "HTTP/1." || head.size() < 12 || !number(9, answer.status)) {
    return malformed;
  }
  std::size_t length = 0;
  std::size_t field = head.find("\r\nContent-Length: ");
  if (field == std::string_view::npos) field = head.find("\r\ncontent-length: ");
  if (field == std::string_view::npos || !number(field + 18, length)) return malformed;
  const std::size_t begin = empty_line + 4;
  if (bytes.size() - begin < length) return {};
  answer.state = Answer::whole;
  answer.body = bytes.substr(begin, length);
  answer.size = begin + length;
  return answer;
}

}  // namespace stagecraft::bench
