#include "net/network.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace stagecraft {

std::optional<Network::Address> Network::address_of(std::string_view text) {
  constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const std::string terminated(text);
  // A text with a zero byte in it would be read up to there and be taken for another.
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  Address address;
  if (::inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) {
    address.bits = 32;
    return address;
  }
  if (::inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) != 1) return std::nullopt;
  address.bits = 128;
  if (std::equal(mapped.begin(), mapped.end(), address.bytes.begin())) {
    Address ipv4;
    std::copy(address.bytes.begin() + mapped.size(), address.bytes.end(), ipv4.bytes.begin());
    ipv4.bits = 32;
    return ipv4;
  }
  return address;
}

std::optional<Network> Network::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<Address> first = address_of(text.substr(0, slash));
  if (!first) return std::nullopt;
  Network network;
  network.first_ = *first;
  network.prefix_bits_ = first->bits;
  if (slash == std::string_view::npos) return network;
  const std::string_view bits = text.substr(slash + 1);
  const char* const end = bits.data() + bits.size();
  const auto [stopped, error] = std::from_chars(bits.data(), end, network.prefix_bits_);
  if (error != std::errc{} || stopped != end || network.prefix_bits_ > first->bits) {
    return std::nullopt;
  }
  return network;
}

bool Network::contains(std::string_view text) const {
  const std::optional<Address> address = address_of(text);
  if (!address || address->bits != first_.bits) return false;
  unsigned left = prefix_bits_;
  for (std::size_t i = 0; left > 0; ++i) {
    const unsigned compared = std::min(left, 8u);
    const unsigned differing = address->bytes[i] ^ first_.bytes[i];
    if (differing >> (8 - compared) != 0) return false;
    left -= compared;
  }
  return true;
}

}  // namespace stagecraft
