// Requests in a line of a test, and what the demo application says in its answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/client.h"
#include "support/http_response.h"

namespace stagecraft::testing {

/// A whole request with a Host field; `fields` are further lines, each with its CRLF.
std::string request(std::string_view method, std::string_view target, std::string_view fields = "");
std::string get(std::string_view target, std::string_view fields = "");
/// A POST of `body` with its Content-Length.
std::string post(std::string_view target, std::string_view body);

/// Sends a GET and reads its answer.
HttpResponse ask(Client& client, std::string_view target);

/// The number behind `"name":` in the text of a JSON object, as /whoami answers it. Throws
/// std::runtime_error if there is none.
std::int64_t json_number(std::string_view json, std::string_view name);

}  // namespace stagecraft::testing
