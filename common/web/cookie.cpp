#include "web/cookie.h"

#include <algorithm>
#include <stdexcept>

#include "base/http_date.h"
#include "http/scan.h"

namespace stagecraft {

namespace {

constexpr std::size_t max_cookie_size = 4096;  // what every browser takes

[[noreturn]] void refuse(const std::string& name, const char* reason) {
  throw std::invalid_argument("the cookie " + name + ' ' + reason);
}

// RFC 6265 section 4.1.1, cookie-octet.
bool is_value_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

bool is_attribute_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f && c != ';';
}

bool begins_with(std::string_view name, std::string_view prefix) {
  return equal_ignoring_case(name.substr(0, prefix.size()), prefix);
}

void check(const SetCookie& cookie) {
  const std::string& name = cookie.name;
  const bool token =
      std::all_of(name.begin(), name.end(), [](char c) { return scan::is(c, scan::token); });
  if (name.empty() || !token) refuse(name, "has a name that is no token");
  if (!std::all_of(cookie.value.begin(), cookie.value.end(), is_value_byte)) {
    refuse(name, "has a value that must be encoded");
  }
  for (const std::string* text : {&cookie.path, &cookie.domain}) {
    if (!std::all_of(text->begin(), text->end(), is_attribute_byte)) {
      refuse(name, "has a path or domain that cannot be written");
    }
  }
  if (!cookie.path.empty() && cookie.path.front() != '/') refuse(name, "has a path without '/'");
  if (!cookie.secure && cookie.same_site == SetCookie::SameSite::none) {
    refuse(name, "is for other sites, and must be secure");
  }
  if (!cookie.secure && cookie.partitioned) refuse(name, "is partitioned, and must be secure");
  const bool for_host = begins_with(name, "__Host-");
  if (!cookie.secure && (for_host || begins_with(name, "__Secure-"))) {
    refuse(name, "says that it is secure, and is not");
  }
  if (for_host && (!cookie.domain.empty() || cookie.path != "/")) {
    refuse(name, "says that it is for this host, and is not");
  }
}

}  // namespace

std::optional<std::string_view> cookie(const Request& request, std::string_view name) {
  std::optional<std::string_view> found;
  for_each_cookie(request, [&](std::string_view key, std::string_view value) {
    if (!found && key == name) found = value;
  });
  return found;
}

std::string SetCookie::text() const {
  check(*this);
  std::string text = name + '=' + value;
  if (!path.empty()) text += "; Path=" + path;
  if (!domain.empty()) text += "; Domain=" + domain;
  if (max_age) text += "; Max-Age=" + std::to_string(max_age->count());
  if (expires) {
    const HttpDate date = http_date(*expires);
    text.append("; Expires=").append(date.data(), date.size());
  }
  if (secure) text += "; Secure";
  if (http_only) text += "; HttpOnly";
  switch (same_site) {
    case SameSite::unsaid:
      break;
    case SameSite::strict:
      text += "; SameSite=Strict";
      break;
    case SameSite::lax:
      text += "; SameSite=Lax";
      break;
    case SameSite::none:
      text += "; SameSite=None";
      break;
  }
  if (partitioned) text += "; Partitioned";
  if (text.size() > max_cookie_size) refuse(name, "is too large");
  return text;
}

void set_cookie(Response& response, const SetCookie& cookie) {
  response.add_field("Set-Cookie", cookie.text());
}

void delete_cookie(Response& response, SetCookie cookie) {
  cookie.value.clear();
  cookie.max_age = std::chrono::seconds(0);
  cookie.expires = 0;  // for clients that do not know Max-Age
  set_cookie(response, cookie);
}

}  // namespace stagecraft
