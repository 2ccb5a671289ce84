// Who a request comes from, when a proxy may have passed it on.
#pragma once

#include <string>
#include <string_view>

#include "http/attributes.h"
#include "http/request.h"

namespace stagecraft {

/// Set on a request by whoever knows for whom a proxy asks (see web/forwarded.h): the client's
/// numeric address.
inline constexpr AttributeKey<std::string> client_address_key{"client address"};

/// The numeric address of who asks, without port and brackets: the attribute's, else that of the
/// connection's other end. A view of the request.
std::string_view client_address(const Request& request);

}  // namespace stagecraft
