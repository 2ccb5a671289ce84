// Who must be told when its time is up.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace stagecraft {

/// Somebody with a deadline.
class Timed {
 public:
  using Clock = std::chrono::steady_clock;

  virtual void expired() = 0;

 protected:
  virtual ~Timed() = default;

 private:
  friend class Timers;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::size_t place_ = 0;
};

/// The deadlines of all connections of one thread. Clock::time_point::max() is none.
class Timers {
 public:
  using Clock = Timed::Clock;

  /// Throws std::bad_alloc.
  void add(Timed& timed);
  void remove(Timed& timed);
  void set(Timed& timed, Clock::time_point deadline) { timed.deadline_ = deadline; }

  /// The earliest deadline of all; max() if there is none.
  Clock::time_point next();
  /// Somebody whose deadline is not after `now`, and who has none from now on; nullptr if there is
  /// nobody.
  Timed* take_due(Clock::time_point now);

 private:
  Timed* earliest() const;

  std::vector<Timed*> all_;
};

}  // namespace stagecraft
