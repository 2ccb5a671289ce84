#include "app/session_clock.h"

#include <algorithm>

namespace stagecraft {

namespace {

// The timers that measure the client's asking, not our answering.
bool measures_reading(Timer timer) {
  return timer == Timer::idle || timer == Timer::head || timer == Timer::body;
}

SessionClock::Clock::time_point end_of(SessionClock::Clock::time_point begin,
                                       std::chrono::milliseconds length) {
  return length.count() == 0 ? SessionClock::never : begin + length;
}

}  // namespace

SessionClock::Clock::time_point SessionClock::deadline(const Session& session, const Limits& limits,
                                                       Clock::time_point now) {
  if (restarts_ != session.restarts()) {
    restarts_ = session.restarts();
    began_ = now;
    const bool was_reading = reading_;
    reading_ = measures_reading(session.timer());
    // An idle timer that starts anew while one runs is that of a connection without HTTP, which has
    // heard something.
    const bool waits_anew = session.timer() == Timer::idle;
    if (reading_ && (waits_anew || !was_reading)) request_began_ = now;
  }
  const Clock::time_point end = end_of(began_, length(session.timer(), limits));
  return reading_ ? std::min(end, end_of(request_began_, limits.request_timeout)) : end;
}

}  // namespace stagecraft
