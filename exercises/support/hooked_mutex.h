// A mutex and a condition variable that a test can see through. A submission uses them like the
// standard library's; in a Scene (interleaving.h) each call is a place at which a test may let
// another thread go first.
#pragma once

#include <condition_variable>
#include <mutex>

namespace stagecraft::exercise {

/// As std::mutex. Held through a MutexLock.
class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock();
  void unlock();

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
};

/// Holds a Mutex from here to the end of the block.
class MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// As std::condition_variable, but without the overload that takes a predicate: the loop around
/// wait() is for you to write.
class ConditionVariable {
 public:
  /// The calling thread holds `mutex`. Gives it back, sleeps until it is notified (or for no reason
  /// at all), and takes it again.
  void wait(Mutex& mutex);
  void notify_one();
  void notify_all();

 private:
  std::condition_variable condition_;
};

}  // namespace stagecraft::exercise
