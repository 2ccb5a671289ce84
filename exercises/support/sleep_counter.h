// Finds out whether somebody sleeps.
#pragma once

namespace stagecraft::exercise {

/// While one lives, the calls that let time pass (sleep, usleep, nanosleep, clock_nanosleep, and
/// select) are counted instead, and return at once. One at a time; not for several threads.
class SleepCounter {
 public:
  SleepCounter();
  ~SleepCounter();
  SleepCounter(const SleepCounter&) = delete;
  SleepCounter& operator=(const SleepCounter&) = delete;

  /// Calls so far.
  int calls() const;
};

}  // namespace stagecraft::exercise
