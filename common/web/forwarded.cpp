#include "web/forwarded.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/without_port.h"
#include "http/field_parser.h"

namespace stagecraft {

namespace {

// Takes the last part off a list, where separators within quotes do not count, and trims it.
std::string_view take_last(std::string_view& list, char separator) {
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (quoted && list[i] == '\\') {
      ++i;
    } else if (list[i] == '"') {
      quoted = !quoted;
    } else if (list[i] == separator && !quoted) {
      begin = i + 1;
    }
  }
  std::string_view last = list.substr(begin);
  list = list.substr(0, begin == 0 ? 0 : begin - 1);
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!last.empty() && is_space(last.front())) last.remove_prefix(1);
  while (!last.empty() && is_space(last.back())) last.remove_suffix(1);
  return last;
}

// The node of `for=` in one element of Forwarded; empty if there is none (RFC 7239 section 4).
// Quoted it is if it has a colon, and no address has anything that needs a backslash.
std::string_view for_of(std::string_view element) {
  std::string_view found;
  while (!element.empty()) {
    const std::string_view pair = take_last(element, ';');
    constexpr std::string_view name = "for=";
    if (!equal_ignoring_case(pair.substr(0, name.size()), name)) continue;
    found = pair.substr(name.size());
    if (found.size() >= 2 && found.front() == '"' && found.back() == '"') {
      found = found.substr(1, found.size() - 2);
    }
  }
  return found;
}

std::string_view name_of(ForwardedField field) {
  return field == ForwardedField::forwarded ? "Forwarded" : "X-Forwarded-For";
}

}  // namespace

std::string TrustedProxies::client_of(const Request& request) const {
  const auto is_proxy = [this](std::string_view address) {
    return std::ranges::any_of(networks,
                               [&](const Network& network) { return network.contains(address); });
  };
  std::string_view client = without_port(request.connection().remote_address);
  static const std::optional<Network> any_ipv4 = Network::parse("0.0.0.0/0");
  static const std::optional<Network> any_ipv6 = Network::parse("::/0");
  // The lines of a field are one list (RFC 9110 section 5.3), of which the last line is the end.
  for (std::size_t line = request.field_count(); line-- > 0;) {
    const auto [name, value] = request.field_at(line);
    if (!equal_ignoring_case(name, name_of(field))) continue;
    for (std::string_view list = value; !list.empty();) {
      if (!is_proxy(client)) return std::string(client);
      const std::string_view element = take_last(list, ',');
      if (element.empty()) continue;  // a list may have empty elements (RFC 9110 section 5.6.1)
      const std::string_view node =
          without_port(field == ForwardedField::forwarded ? for_of(element) : element);
      if (!any_ipv4->contains(node) && !any_ipv6->contains(node)) return std::string(client);
      client = node;
    }
  }
  return std::string(client);
}

Filter forwarded_by(TrustedProxies proxies) {
  const auto shared = std::make_shared<const TrustedProxies>(std::move(proxies));
  return before([shared](const Request& request, Response&) {
    request.attributes().set(client_address_key, shared->client_of(request));
    return Pass::on;
  });
}

}  // namespace stagecraft
