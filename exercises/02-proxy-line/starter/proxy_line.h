// The line in which a proxy tells a server whose connection it passes on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Reads one PROXY line, version 1, from bytes that come in pieces: no descriptor, no clock, no
/// memory but its own. Used by one thread.
///
///     PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n
///     PROXY TCP6 2001:db8::7 2001:db8::1 56324 443\r\n
///     PROXY UNKNOWN whatever, ignored\r\n
///
/// Source: the PROXY protocol, section 2.1.
class ProxyLine {
 public:
  /// With its end, "\r\n".
  static constexpr std::size_t longest = 107;

  enum class State {
    more,      ///< the line has not ended yet
    complete,  ///< it has, and the functions below tell what it says
    refused    ///< it is none, and never will be
  };

  struct Fed {
    State state;
    /// How many of the bytes were taken. When the state is `complete`, those that are left belong
    /// to what follows the line.
    std::size_t taken;
  };

  /// Takes the next bytes of the stream. When the line is complete or refused it takes no more.
  Fed feed(std::string_view bytes);

  /// Whether the proxy knows who the client is: not with UNKNOWN. Once complete.
  bool is_known() const { return !source_.empty(); }
  /// The client's address as the line has it, without its port; empty if it is not known.
  const std::string& source() const { return source_; }
  std::uint16_t source_port() const { return source_port_; }

 private:
  bool parse(std::string_view line);

  std::array<char, longest> line_{};
  std::size_t size_ = 0;  ///< bytes of line_ that have come
  State state_ = State::more;
  std::string source_;
  std::uint16_t source_port_ = 0;
};
