// Networks: which addresses belong together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stagecraft {

/// The addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`, or one address
/// alone, `127.0.0.1` (RFC 4632 section 3.1, RFC 4291 section 2.3). A plain value.
class Network {
 public:
  /// Reads `ADDRESS` or `ADDRESS/BITS`, numeric, without brackets. nullopt if it is neither.
  static std::optional<Network> parse(std::string_view text);

  /// Whether the numeric address, without port and brackets, is one of these. What is no address
  /// belongs to no network. An IPv4 address that came over an IPv6 socket ("::ffff:127.0.0.1")
  /// counts as the IPv4 address that it is.
  bool contains(std::string_view address) const;

 private:
  struct Address {
    std::array<std::uint8_t, 16> bytes{};
    unsigned bits = 0;  // 32 or 128
  };
  static std::optional<Address> address_of(std::string_view text);

  Address first_;
  unsigned prefix_bits_ = 0;
};

}  // namespace stagecraft
