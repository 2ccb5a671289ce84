#include "conformance/lint.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace stagecraft::conformance {
namespace {

using testing::HttpField;
using testing::HttpResponse;
using testing::is_token;

using Violations = std::vector<Violation>;

constexpr std::array singletons{
    "Age",  "Content-Length", "Content-Location", "Content-Range", "Content-Type", "Date",
    "ETag", "Expires",        "Last-Modified",    "Location",      "Retry-After",  "Server"};

constexpr std::array token_lists{"Allow",   "Connection", "Transfer-Encoding",
                                 "Trailer", "Upgrade",    "Vary"};

// Fields that decide how a message is framed, routed or read: too late in a trailer section.
constexpr std::array no_trailers{
    "Content-Length", "Transfer-Encoding", "Host",          "Connection",
    "Content-Type",   "Content-Encoding",  "Content-Range", "Authorization",
    "Set-Cookie",     "Location",          "Date",          "Trailer"};

bool is_redirection(int status) {
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

void lint_fields(const HttpResponse& answer, Violations& found) {
  for (const char* name : singletons) {
    if (answer.count(name) > 1) found.push_back({"9110-5.3-1", std::string(name) + " twice"});
  }
  for (const char* name : token_lists) {
    // An empty Allow is a statement: no method at all.
    if (answer.field(name).empty()) continue;
    for (const std::string& member : answer.list(name)) {
      if (member.empty()) {
        found.push_back({"9110-5.6.1-1", std::string("an empty member in ") + name});
      } else if (!is_token(member) && !testing::equal_names(name, "Upgrade")) {
        found.push_back({"9110-2.2-1", "`" + member + "` in " + name + " is no token"});
      }
    }
  }
  for (const char* name : {"Keep-Alive", "Upgrade", "TE"}) {
    if (answer.has(name) && !answer.lists("Connection", name)) {
      found.push_back({"9110-7.6.1-1", std::string(name) + " is not named in Connection"});
    }
  }
  if (answer.field("Server").find('(') != std::string::npos) {
    found.push_back({"9110-10.2.4-1", "Server tells too much: " + answer.field("Server")});
  }
}

void lint_dates(const HttpResponse& answer, Violations& found) {
  if (answer.status >= 200 && answer.status < 500 && !answer.has("Date")) {
    found.push_back({"9110-6.6.1-1", "no Date"});
  }
  for (const char* name : {"Date", "Last-Modified", "Expires"}) {
    if (answer.has(name) && !is_imf_fixdate(answer.field(name))) {
      found.push_back({"9110-5.6.7-2", std::string(name) + " is `" + answer.field(name) +
                                           "`, no date of the one form that may be sent"});
    }
  }
}

// token "/" token, and parameters, `; name=value`, without white space around the `=`.
bool is_media_type(std::string_view text) {
  const auto next = [&text](char end) {
    const std::string_view part = text.substr(0, text.find(end));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
  };
  std::string_view essence = next(';');
  const auto slash = essence.find('/');
  if (slash == std::string_view::npos || !is_token(essence.substr(0, slash)) ||
      !is_token(essence.substr(slash + 1))) {
    return false;
  }
  while (!text.empty()) {
    std::string_view parameter = next(';');
    parameter.remove_prefix(std::min(parameter.find_first_not_of(' '), parameter.size()));
    const auto equals = parameter.find('=');
    if (equals == std::string_view::npos || !is_token(parameter.substr(0, equals))) return false;
    const std::string_view value = parameter.substr(equals + 1);
    const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    if (!quoted && !is_token(value)) return false;
  }
  return true;
}

void lint_content(const HttpResponse& answer, std::string_view method, Violations& found) {
  const std::string type = answer.field("Content-Type");
  if (!type.empty() && !is_media_type(type)) {
    found.push_back({"9110-5.6.3-2", "Content-Type is malformed: `" + type + "`"});
  }
  if (!answer.body.empty() && type.empty()) {
    found.push_back({"9110-8.3-1", "content without a Content-Type"});
  }
  if (answer.interim() || answer.status == 204) {
    if (answer.has("Content-Length")) {
      found.push_back({"9110-8.6-3", "Content-Length in a 1xx or 204"});
    }
    if (answer.has("Transfer-Encoding")) {
      found.push_back({"9112-6.1-2", "Transfer-Encoding in a 1xx or 204"});
    }
  }
  if (answer.status == 205 && !answer.body.empty()) {
    found.push_back({"9110-15.3.6-1", "content in a 205"});
  }
  if (answer.status >= 400 && method != "HEAD" && answer.body.empty()) {
    found.push_back({"9110-15.5-1", "an error without a word of explanation"});
  }
  if (answer.status == 304) {
    for (const char* name : {"Content-Type", "Content-Encoding", "Content-Language"}) {
      if (answer.has(name)) found.push_back({"9110-15.4.5-2", std::string(name) + " in a 304"});
    }
    if (answer.field("Content-Length") == "0") {
      found.push_back({"9110-8.6-2", "a 304 says that the 200 would be empty"});
    }
  }
}

void lint_status(const HttpResponse& answer, std::string_view method, Violations& found) {
  if (answer.minor_version != 1) {
    found.push_back({"9112-2.3-1", "the status line does not say HTTP/1.1"});
  }
  if (answer.status == 405 && !answer.has("Allow")) {
    found.push_back({"9110-10.2.1-1", "a 405 without Allow"});
  }
  if (answer.status == 405 && answer.lists("Allow", method)) {
    found.push_back({"9110-10.2.1-1", "a 405 whose Allow lists the method that was refused"});
  }
  if (answer.status == 401 && !answer.has("WWW-Authenticate")) {
    found.push_back({"9110-11.6.1-1", "a 401 without WWW-Authenticate"});
  }
  if (answer.status == 101 && !answer.has("Upgrade")) {
    found.push_back({"9110-7.8-1", "a 101 without Upgrade"});
  }
  if (answer.status == 426 && !answer.has("Upgrade")) {
    found.push_back({"9110-7.8-3", "a 426 without Upgrade"});
  }
  if (is_redirection(answer.status) && !answer.has("Location")) {
    found.push_back({"9110-15.4-1", "a redirection without Location"});
  }
  if (method == "CONNECT" && answer.status / 100 == 2) {
    if (answer.has("Transfer-Encoding")) {
      found.push_back({"9112-6.1-3", "Transfer-Encoding in a 2xx to CONNECT"});
    }
    if (answer.has("Content-Length")) {
      found.push_back({"9110-8.6-4", "Content-Length in a 2xx to CONNECT"});
    }
  }
}

void lint_trailers(const HttpResponse& answer, Violations& found) {
  for (const HttpField& trailer : answer.trailers) {
    for (const char* name : no_trailers) {
      if (testing::equal_names(trailer.name, name)) {
        found.push_back({"9110-6.5.1-1", std::string(name) + " in a trailer section"});
      }
    }
    if (!answer.lists("Trailer", trailer.name)) {
      found.push_back({"9110-6.6.2-1", trailer.name + " was not announced by Trailer"});
    }
  }
}

}  // namespace

bool is_imf_fixdate(const std::string& text) {
  constexpr auto form = "%a, %d %b %Y %H:%M:%S GMT";
  std::tm parts{};
  const char* end = strptime(text.c_str(), form, &parts);
  if (end == nullptr || *end != '\0') return false;
  // strptime(3) takes other cases, widths and white space too, and any day of the week; written
  // again from the time alone, the text must be the same.
  const std::time_t time = timegm(&parts);
  gmtime_r(&time, &parts);
  std::array<char, 40> again{};
  return std::strftime(again.data(), again.size(), form, &parts) > 0 && text == again.data();
}

std::vector<Violation> lint(const HttpResponse& answer, std::string_view method) {
  Violations found;
  lint_status(answer, method, found);
  lint_fields(answer, found);
  lint_dates(answer, found);
  lint_content(answer, method, found);
  lint_trailers(answer, found);
  return found;
}

}  // namespace stagecraft::conformance
