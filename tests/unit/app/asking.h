// Asks an application as a client does, by a session without a socket.
#pragma once

#include <string>
#include <string_view>

#include "http/application.h"
#include "support/http_response.h"

namespace stagecraft::testing {

/// `GET /path` as a whole request, with FIELDS (each `Name: value\r\n`) and a body of known length,
/// if there is one.
std::string request(std::string_view method_and_target, std::string_view fields = {},
                    std::string_view body = {});

/// What comes back for these bytes: the last answer that is not interim. Waits for a deferred one.
HttpResponse ask_raw(const Application& application, std::string_view bytes,
                     std::string_view method = "GET");

/// The answer to request() of the same arguments.
HttpResponse ask(const Application& application, std::string_view method_and_target,
                 std::string_view fields = {}, std::string_view body = {});

}  // namespace stagecraft::testing
