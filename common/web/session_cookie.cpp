#include "web/session_cookie.h"

#include <charconv>
#include <utility>

namespace stagecraft {

std::time_t unix_time() {
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

// What is signed is "EXPIRES&name=value&...": the end stands inside, where nobody can move it.

SessionCookie::SessionCookie(Manner manner, std::vector<SecretKey> keys, UnixTime now)
    : manner_(std::move(manner)),
      signer_("session " + manner_.cookie.name, std::move(keys)),
      now_(std::move(now)) {
  static_cast<void>(manner_.cookie.text());  // what cannot be set is refused now
}

std::optional<Form> SessionCookie::read(const Request& request) const {
  const std::optional<std::string_view> value = cookie(request, manner_.cookie.name);
  const std::optional<std::string> text = value ? signer_.verify(*value) : std::nullopt;
  if (!text) return std::nullopt;
  std::time_t expires = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, expires);
  if (error != std::errc{} || expires <= now_()) return std::nullopt;
  Form session;
  const auto size = static_cast<std::size_t>(end - rest);
  if (parse_urlencoded({rest, size}, session)) return std::nullopt;
  return session;
}

void SessionCookie::write(Response& response, const Form& session) const {
  const std::time_t expires = now_() + manner_.lifetime.count();
  SetCookie cookie = manner_.cookie;
  cookie.value = signer_.sign(std::to_string(expires) + '&' + encode_urlencoded(session));
  cookie.max_age = manner_.lifetime;
  set_cookie(response, cookie);
}

void SessionCookie::end(Response& response) const { delete_cookie(response, manner_.cookie); }

}  // namespace stagecraft
