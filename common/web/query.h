// What stands behind the question mark.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/request.h"

namespace stagecraft {

/// The value of the first parameter of that name: "20" of "ms" in "a=1&ms=20". As it was sent, not
/// decoded: for names, numbers and switches, which need no escapes. Empty if it has no '='.
std::optional<std::string_view> parameter(std::string_view query, std::string_view name);

/// What a number may be.
struct NumberRange {
  std::uint64_t otherwise = 0;  ///< if there is no such parameter
  std::uint64_t min = 0, max = 0;
};

/// The whole number of that name, moved into the range if it lies outside; nothing if something
/// else than digits is there.
std::optional<std::uint64_t> number_parameter(std::string_view query, std::string_view name,
                                              NumberRange range);

/// Whether the client asks by close=1 for this answer to be the last of its connection.
bool asks_to_close(const Request& request);

}  // namespace stagecraft
