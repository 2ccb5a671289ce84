#include "http/application.h"

#include <charconv>
#include <exception>
#include <string>

#include "base/escape.h"

namespace stagecraft {

void error_page(Response& response, Status status, std::string_view detail) {
  const std::string title = std::to_string(code(status)) + ' ' + std::string(reason_phrase(status));
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<title>" + title + "</title>\n<h1>" + title + "</h1>\n";
  if (!detail.empty()) {
    page += "<p>";
    append_html_escaped(page, detail);
    page += "</p>\n";
  }
  page += "</html>\n";
  response.status(status);
  response.text(page, "text/html; charset=utf-8");
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
