// The host of an address, without its port.
#pragma once

#include <algorithm>
#include <string_view>

namespace stagecraft {

/// "192.0.2.1" of "192.0.2.1:5" and "192.0.2.1"; "2001:db8::1" of "[2001:db8::1]:5",
/// "[2001:db8::1]" and "2001:db8::1". A view of `address`.
inline std::string_view without_port(std::string_view address) {
  if (address.starts_with('[')) {
    return address.substr(1, std::min(address.find(']'), address.size()) - 1);
  }
  const std::size_t colon = address.find(':');
  const bool one_colon = colon != std::string_view::npos && address.rfind(':') == colon;
  return one_colon ? address.substr(0, colon) : address;
}

}  // namespace stagecraft
