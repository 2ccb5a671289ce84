// Bounds on waiting.
#pragma once

#include <chrono>

namespace stagecraft::testing {

/// How long a test waits for what must come. It is a bound and no verdict: only a server that hangs
/// reaches it, so it is generous.
inline constexpr std::chrono::milliseconds default_patience{10'000};

/// `bound` stretched by the environment's STAGECRAFT_TIME_SCALE (a number such as `4` or `2.5`; 1
/// when it is not set), for slow machines, valgrind and sanitizers.
std::chrono::milliseconds scaled(std::chrono::milliseconds bound);

/// A point in time that a wait must not pass, however many steps it is made of.
class Deadline {
 public:
  /// Up after `patience`, which is scaled.
  explicit Deadline(std::chrono::milliseconds patience = default_patience);

  /// What is left in milliseconds, as poll(2) takes it; 0 when it is up.
  int remaining_ms() const;

  bool passed() const { return remaining_ms() == 0; }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace stagecraft::testing
