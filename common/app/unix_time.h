// The time that clients and servers agree on.
#pragma once

#include <chrono>
#include <cstdint>

namespace stagecraft {

/// Microseconds since the Unix epoch. For telling when something was, not for measuring how long:
/// this clock may be set.
inline std::int64_t unix_time_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace stagecraft
