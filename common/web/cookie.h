// Cookies: what a client brings back, and what it is asked to keep.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "web/fields.h"

namespace stagecraft {

/// Calls `visit(name, value)` with each cookie that the request brings, in order, as RFC 6265
/// section 5.4 writes them. Lenient, because a site's other programs set cookies too: what has no
/// '=' or no name is passed over, spaces around a name or value are dropped, and quotes are part of
/// the value. At most 100 are looked at.
template <typename Visit>
void for_each_cookie(const Request& request, Visit visit) {
  constexpr std::size_t max_cookies = 100;
  std::size_t count = 0;
  for_each_part(request, "Cookie", ';', [&](std::string_view cookie) {
    const std::size_t equals = cookie.find('=');
    if (equals == std::string_view::npos || count == max_cookies) return;
    const std::string_view name = trimmed(cookie.substr(0, equals));
    if (name.empty()) return;
    ++count;
    visit(name, trimmed(cookie.substr(equals + 1)));
  });
}

/// The value of the first cookie of that name, case counting; of several, browsers send that of the
/// longest path first.
std::optional<std::string_view> cookie(const Request& request, std::string_view name);

/// What Set-Cookie says (RFC 6265 section 4.1, and draft-ietf-httpbis-rfc6265bis for what browsers
/// have added). With the defaults it is for this host and this session, not readable by scripts,
/// and does not come along when another site's page sends a form here.
struct SetCookie {
  enum class SameSite : std::uint8_t { unsaid, strict, lax, none };

  std::string name;
  std::string value;
  std::string path = "/";                       ///< empty: that of the request
  std::string domain = {};                      ///< empty: this host alone
  std::optional<std::chrono::seconds> max_age;  ///< none: until the browser is closed
  std::optional<std::time_t> expires;           ///< the same as a date; Max-Age counts before it
  bool secure = false;                          ///< over TLS only
  bool http_only = true;                        ///< not for scripts
  SameSite same_site = SameSite::lax;
  bool partitioned = false;  ///< one for each site in which we are embedded (CHIPS)

  /// "id=1; Path=/; HttpOnly; SameSite=Lax". Throws std::invalid_argument when a browser would not
  /// take it, or take it for another one: a name that is no token; a value with a space, a comma, a
  /// quote, a semicolon, a backslash or anything that is not ASCII (percent-encode it: see
  /// append_percent_encoded); a path or domain with a semicolon or a control character;
  /// SameSite=None or Partitioned without Secure; more than 4096 bytes; a name that begins with
  /// __Secure- without Secure, or with __Host- without Secure, with a domain or another path than
  /// "/".
  std::string text() const;
};

/// Adds it to the answer, beside those of other names.
void set_cookie(Response& response, const SetCookie& cookie);

/// Asks the client to forget the cookie that was set with this name, path, domain and prefix.
void delete_cookie(Response& response, SetCookie cookie);

}  // namespace stagecraft
