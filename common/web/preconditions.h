// Conditional requests: "only if it is still the same", "only if it has changed" (RFC 9110
// section 13).
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"

namespace stagecraft {

/// What tells one state of a resource from another.
struct Validators {
  /// As it stands in ETag: "\"v1\"", or "W/\"v1\"" if other content might have the same; empty:
  /// there is none.
  std::string entity_tag = {};
  /// When it was changed; no later than now.
  std::optional<std::time_t> last_modified = {};
};

/// What a request's conditions make of it.
enum class Precondition : std::uint8_t {
  passed,        ///< answer as if there were none
  not_modified,  ///< 304: the client has it already (GET and HEAD)
  failed         ///< 412: the request is not to be performed
};

/// Evaluates If-Match, or else If-Unmodified-Since, then If-None-Match, or else If-Modified-Since,
/// in the order of RFC 9110 section 13.2.2. `current` is what there is now; nullopt if there is
/// nothing yet, as when a PUT would create it. A resource without validators matches no entity tag,
/// but "*" it matches, and its dates are ignored.
///
/// Ask before anything is changed, and only when the answer would otherwise be a 2xx: of a 404
/// there is no state that a client could have. `now` decides what two-digit years mean.
Precondition evaluate_preconditions(const Request& request,
                                    const std::optional<Validators>& current,
                                    std::time_t now = std::time(nullptr));

/// The same in one line for a handler of GET or HEAD, or of a method that changes something: true
/// if the answer, 304 or 412, has been given. Otherwise go on; ETag and Last-Modified are set.
///
///     if (answered_by_preconditions(request, {.entity_tag = "\"v1\""}, response)) return;
bool answered_by_preconditions(const Request& request, const Validators& current,
                               Response& response);

/// Sets ETag and Last-Modified, those that there are.
void set_validators(Response& response, const Validators& validators);

/// Whether a Range counts, as far as If-Range is concerned (RFC 9110 section 13.1.5): there is
/// none, or it names by a strong validator what there is now. A date is strong if its second is
/// over: the content has not changed within it after the client looked.
bool if_range_allows(const Request& request, const Validators& current, std::time_t now);

/// The value of a field that may come once; nullopt if it is not there, or more than once, which
/// nobody can understand.
std::optional<std::string_view> single_field(const Request& request, std::string_view name);

/// How two entity tags are compared (RFC 9110 section 8.8.3.2).
enum class Comparison : std::uint8_t {
  strong,  ///< neither may be weak
  weak     ///< W/"a" is as good as "a"
};

/// What a list of entity tags, the value of one If-Match or If-None-Match, says of a tag.
enum class TagMatch : std::uint8_t { none, some, malformed };
TagMatch match_entity_tags(std::string_view list, std::string_view tag, Comparison comparison);

}  // namespace stagecraft
