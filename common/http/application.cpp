#include "http/application.h"

namespace stagecraft {

void error_page(Response& response, Status status, std::string_view detail) {
  response.problem(status, detail);
}

void run(const Handler& handler, const Request& request, Response& response) noexcept {
  try {
    handler(request, response);
    return;
  } catch (...) {
    // Answered below. What was thrown may tell of files and hosts: it is not the client's to know.
    response.reset();
  }
  try {
    error_page(response, Status::internal_server_error, "the handler of this resource failed");
  } catch (...) {
    response.reset();
    response.status(Status::internal_server_error);
  }
}

}  // namespace stagecraft
