// The proxies that a program trusts, from its options to its routes.
#pragma once

#include <string_view>
#include <vector>

#include "net/network.h"
#include "web/filter.h"
#include "web/forwarded.h"

namespace stagecraft {

/// Networks, or addresses, with commas between them. Throws std::invalid_argument.
std::vector<Network> networks_of(std::string_view list);

/// What an application behind them puts around its routes; nothing, if nobody is trusted.
Filters proxy_filters(const TrustedProxies& proxies);

}  // namespace stagecraft
