// The clock beside a session, which has none.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/limits.h"
#include "http/session.h"

namespace stagecraft {

/// Knows when a session's running timer will be up. The session says which of its timers runs and
/// when it starts anew; this remembers when that was. A stage that waits asks how long it may.
///
/// Belongs to the thread of the session.
class SessionClock {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point never = Clock::time_point::max();

  /// The session begins now: its client has just been accepted.
  explicit SessionClock(Clock::time_point now) : began_(now), request_began_(now) {}

  /// When the timer is up that runs as of session.next(); `never` if none does. To be asked after
  /// each next() that leads to waiting, since a timer that was started anew is only noticed here.
  Clock::time_point deadline(const Session& session, const Limits& limits, Clock::time_point now);

  /// When that timer began.
  Clock::time_point began() const { return began_; }

 private:
  Clock::time_point began_;
  Clock::time_point request_began_;  // its idle time included: for Limits::request_timeout
  std::uint32_t restarts_ = 0;       // what the session counted when `began_` was set
  bool reading_ = true;              // a request is awaited or arriving
};

}  // namespace stagecraft
