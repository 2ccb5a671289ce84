#include "app/proxies.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace stagecraft {

std::vector<Network> networks_of(std::string_view list) {
  std::vector<Network> networks;
  while (!list.empty()) {
    const std::string_view text = list.substr(0, list.find(','));
    list.remove_prefix(std::min(text.size() + 1, list.size()));
    const std::optional<Network> network = Network::parse(text);
    if (!network) throw std::invalid_argument("must be addresses or networks, as 10.0.0.0/8");
    networks.push_back(*network);
  }
  return networks;
}

Filters proxy_filters(const TrustedProxies& proxies) {
  if (proxies.networks.empty()) return {};
  return {forwarded_by(proxies)};
}

}  // namespace stagecraft
