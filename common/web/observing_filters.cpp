#include "web/observing_filters.h"

namespace stagecraft {

Filter access_log(std::function<void(const AccessRecord&)> write) {
  return after([write = std::move(write)](const Request& request, Response& response) {
    std::string line(name(request.method()));
    line.append(" ").append(request.target());
    line.append(request.minor_version() == 0 ? " HTTP/1.0" : " HTTP/1.1");
    write({request.connection().remote_address, line, code(response.status()),
           response.body_size().value_or(0)});
  });
}

Filter security_headers(const SecurityHeaders& headers) {
  std::vector<std::pair<std::string, std::string>> fields;
  Response trial;  // says now what would otherwise be said to the first client
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    trial.set_field(name, value);
    fields.emplace_back(name, value);
  };
  add("X-Content-Type-Options", headers.content_type_options);
  add("Content-Security-Policy", headers.content_security_policy);
  add("Referrer-Policy", headers.referrer_policy);
  add("Cross-Origin-Opener-Policy", headers.opener_policy);
  add("Strict-Transport-Security", headers.strict_transport_security);
  return after([fields = std::move(fields)](const Request&, Response& response) {
    for (const auto& [name, value] : fields) {
      if (!response.field(name)) response.set_field(name, value);
    }
  });
}

}  // namespace stagecraft
