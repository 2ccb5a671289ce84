// Who may come in.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "http/attributes.h"
#include "web/filter.h"

namespace stagecraft {

/// What an authenticator says of a request.
struct Verdict {
  enum class Kind : std::uint8_t {
    success,  ///< go on, as `user`
    retry,    ///< 401 with the challenge: with other credentials it may work
    failure   ///< 403: nothing will help
  };
  Kind kind = Kind::retry;
  std::string user = {};
};

/// Who asks, for handlers behind authenticate(). See Request::attributes().
inline constexpr AttributeKey<std::string> authenticated_user{"authenticated user"};

/// Lets through whom `decide` knows. Called once for each request, before its body. `challenge` is
/// the WWW-Authenticate of a 401.
Filter authenticate(std::string challenge, std::function<Verdict(const Request&)> decide);

/// A name and a password, as HTTP Basic sends them (RFC 7617).
struct Credentials {
  std::string user, password;
};

/// What Authorization says, if it says so by Basic; nullopt if not, or if it cannot be read.
std::optional<Credentials> basic_credentials(const Request& request);

/// HTTP Basic, in UTF-8. Everybody on the way can read the password unless the connection is
/// encrypted. `check` is asked with what was sent, once for each request. Throws
/// std::invalid_argument when the realm cannot stand in a field.
Filter basic_authentication(std::string_view realm,
                            std::function<Verdict(const Credentials&)> check);

/// The same with a list of users and their passwords: compared in constant time, and against
/// something also for a user that is not there. For a handful of people; whoever keeps passwords in
/// a database keeps only what a slow hash makes of them, and uses the other.
Filter basic_authentication(std::string_view realm,
                            std::map<std::string, std::string, std::less<>> users);

}  // namespace stagecraft
