#include "http/client_address.h"

#include "base/without_port.h"

namespace stagecraft {

std::string_view client_address(const Request& request) {
  const std::string* const told = request.attributes().find(client_address_key);
  return told != nullptr ? *told : without_port(request.connection().remote_address);
}

}  // namespace stagecraft
