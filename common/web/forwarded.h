// For whom a proxy speaks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/client_address.h"
#include "net/network.h"
#include "web/filter.h"

namespace stagecraft {

/// In which field our proxies tell for whom they ask. One of the two, because it must be the one
/// that they write themselves: the other passes through them as a client sent it, and would be
/// believed.
enum class ForwardedField : std::uint8_t {
  x_forwarded_for,  ///< what nearly all proxies write; addresses in a list
  forwarded         ///< RFC 7239
};

/// Who may speak for others, and how.
struct TrustedProxies {
  std::vector<Network> networks;                           ///< where our proxies ask from
  ForwardedField field = ForwardedField::x_forwarded_for;  ///< the one that they write

  /// The numeric address of the client that a request comes from.
  ///
  /// Anybody can write anything into a request, so a field is believed only as far as those who
  /// wrote it are trusted. Each proxy adds behind what is there the address that it was asked from;
  /// so the list is read from its end, beginning at the connection itself, for as long as the
  /// address reached belongs to one of the networks. The first that does not is the client,
  /// whatever stands before it. What is no address ends the search, too, at the last that was one.
  std::string client_of(const Request& request) const;
};

/// Tells all behind it, by client_address(), for whom the proxies ask. Costs an allocation or two
/// for a request that comes from one of them.
Filter forwarded_by(TrustedProxies proxies);

}  // namespace stagecraft
