#include "support/requests.h"

#include <charconv>
#include <stdexcept>

namespace stagecraft::testing {

std::string request(std::string_view method, std::string_view target, std::string_view fields) {
  std::string text(method);
  return text.append(" ").append(target).append(" HTTP/1.1\r\nHost: a\r\n").append(fields) + "\r\n";
}

std::string get(std::string_view target, std::string_view fields) {
  return request("GET", target, fields);
}

std::string post(std::string_view target, std::string_view body) {
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return request("POST", target, length).append(body);
}

HttpResponse ask(Client& client, std::string_view target) {
  client.send(get(target));
  return client.read_response();
}

std::int64_t json_number(std::string_view json, std::string_view name) {
  const std::string start = "\"" + std::string(name) + "\":";
  const std::size_t found = json.find(start);
  std::int64_t number = 0;
  if (found != std::string_view::npos) {
    const std::string_view rest = json.substr(found + start.size());
    if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec == std::errc{}) {
      return number;
    }
  }
  throw std::runtime_error("no number \"" + std::string(name) + "\" in " + std::string(json));
}

}  // namespace stagecraft::testing
