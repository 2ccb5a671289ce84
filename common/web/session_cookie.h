// Who a client is, from one request to the next, without remembering anything here.
#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"
#include "http/response.h"
#include "web/cookie.h"
#include "web/form.h"
#include "web/signer.h"

namespace stagecraft {

/// What time it is, in seconds since the Unix epoch.
using UnixTime = std::function<std::time_t()>;

/// The system's clock.
std::time_t unix_time();

/// Sessions that live in a signed cookie: a few names and values, and when they are over. The
/// server keeps nothing, so any server with the key can go on with a session, and none can end one
/// before its time except by changing the key. The client can read what is in it.
///
/// Const after it is made: any thread may use it.
class SessionCookie {
 public:
  /// How the cookie is set. Its lifetime is that of each session, not the browser's word: a copy
  /// that somebody kept is over then as well.
  struct Manner {
    SetCookie cookie;  ///< name, path, domain, secure, same_site; the rest is filled in
    std::chrono::seconds lifetime = std::chrono::hours(12);
  };

  /// Throws std::invalid_argument when the cookie cannot be set so, or there is no key.
  SessionCookie(Manner manner, std::vector<SecretKey> keys, UnixTime now = unix_time);

  /// The session of a request; nullopt if there is none, if it is over, or not signed by us.
  std::optional<Form> read(const Request& request) const;
  /// Begins a session, or goes on with a changed one for another lifetime. Throws
  /// std::invalid_argument if it is too large for a cookie.
  void write(Response& response, const Form& session) const;
  /// Ends it.
  void end(Response& response) const;

 private:
  Manner manner_;
  Signer signer_;
  UnixTime now_;
};

}  // namespace stagecraft
