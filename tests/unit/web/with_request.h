// A look at a request, for tests of what reads one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "unit/app/asking.h"

namespace stagecraft::testing {

/// Calls `look` with the request that these make.
inline void with_request(std::string_view method_and_target, std::string_view fields,
                         std::string_view body, const std::function<void(const Request&)>& look) {
  const Route route{[&look](const Request& request, Response& response) {
    look(request);
    response.text("");
  }};
  ask([&route](const Request&) -> const Route& { return route; }, method_and_target, fields, body);
}

}  // namespace stagecraft::testing
