#include "unit/app/asking.h"

#include <optional>

#include "catch.h"
#include "unit/http/driver.h"

namespace stagecraft::testing {

std::string request(std::string_view method_and_target, std::string_view fields,
                    std::string_view body) {
  std::string bytes(method_and_target);
  bytes.append(" HTTP/1.1\r\nHost: localhost\r\n").append(fields);
  if (!body.empty()) {
    bytes.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  }
  return bytes.append("\r\n").append(body);
}

HttpResponse ask_raw(const Application& application, std::string_view bytes,
                     std::string_view method) {
  Limits limits;
  limits.max_request_size = 4096;
  Driver driver(application, limits);
  driver.connection().local_address = "127.0.0.1:1";
  for (unsigned letters = 1; driver.feed(bytes).run() == Step::wait; ++letters, bytes = {}) {
    driver.postbox().wait_for(letters);
  }
  const Stream stream = driver.session().idle() ? Stream::open : Stream::ended;
  std::string_view output = driver.output;
  std::optional<HttpResponse> last;
  while (!output.empty()) {
    last = take_response(output, method, stream);
    INFO(driver.output);
    REQUIRE(last);
  }
  REQUIRE(last);
  REQUIRE_FALSE(last->interim());
  return *last;
}

HttpResponse ask(const Application& application, std::string_view method_and_target,
                 std::string_view fields, std::string_view body) {
  return ask_raw(application, request(method_and_target, fields, body),
                 method_and_target.substr(0, method_and_target.find(' ')));
}

}  // namespace stagecraft::testing
