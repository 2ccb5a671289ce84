#include "http/client_address.h"

#include <algorithm>

namespace stagecraft {

std::string_view client_address(const Request& request) {
  const std::string* const told = request.attributes().find(client_address_key);
  return told != nullptr ? *told : without_port(request.connection().remote_address);
}

std::string_view without_port(std::string_view address) {
  if (address.starts_with('['))
    return address.substr(1, std::min(address.find(']'), address.size()) - 1);
  const std::size_t colon = address.find(':');
  const bool one_colon = colon != std::string_view::npos && address.rfind(':') == colon;
  return one_colon ? address.substr(0, colon) : address;
}

}  // namespace stagecraft
