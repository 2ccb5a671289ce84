#include "proxy_line.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace {

constexpr std::string_view beginning = "PROXY ";
constexpr std::string_view unknown = "UNKNOWN";
constexpr std::string_view line_end = "\r\n";

/// Takes what stands before the next blank, and the blank. Nothing: there is no blank.
std::optional<std::string_view> take_word(std::string_view& rest) {
  const std::size_t blank = rest.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string_view word = rest.substr(0, blank);
  rest.remove_prefix(blank + 1);
  return word;
}

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> binary{};
  return inet_pton(family, std::string(text).c_str(), binary.data()) == 1 &&
         text.find('\0') == std::string_view::npos;
}

// Digits only, and no zero in front of others.
std::optional<std::uint16_t> port_in(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stopped != end) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return port;
}

}  // namespace

ProxyLine::Fed ProxyLine::feed(std::string_view bytes) {
  std::size_t taken = 0;
  while (state_ == State::more && taken < bytes.size()) {
    if (size_ == line_.size()) {  // full, and no end among these
      state_ = State::refused;
      break;
    }
    line_[size_++] = bytes[taken++];
    const std::string_view line(line_.data(), size_);
    const std::size_t known = std::min(size_, beginning.size());
    if (line.substr(0, known) != beginning.substr(0, known)) {
      state_ = State::refused;
    } else if (size_ >= line_end.size() && line.substr(size_ - line_end.size()) == line_end) {
      state_ = parse(line.substr(0, size_ - line_end.size())) ? State::complete : State::refused;
    }
  }
  return {state_, bytes.size()};
}

/// Takes a line apart, without its end; false if it is none.
bool ProxyLine::parse(std::string_view line) {
  std::string_view rest = line.substr(std::min(line.size(), beginning.size()));
  if (rest == unknown || rest.substr(0, unknown.size() + 1) == std::string(unknown) + ' ')
    return true;
  const auto protocol = take_word(rest);
  const auto source = take_word(rest);
  const auto destination = take_word(rest);
  const auto source_port = take_word(rest);
  if (!source_port || (protocol != "TCP4" && protocol != "TCP6")) return false;
  const int family = protocol == "TCP4" ? AF_INET : AF_INET6;
  const auto port = port_in(*source_port);
  if (!is_address(family, *source) || !is_address(family, *destination)) return false;
  if (!port || !port_in(rest)) return false;
  source_ = *source;
  source_port_ = *port;
  return true;
}
