// Threads whose order a test decides: only one of them goes on at a time, and where it takes a
// lock, waits or notifies (hooked_mutex.h), another may go first. So a race is found always, and
// not on unlucky days.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace stagecraft::exercise {

/// Some threads, and one order in which they take their steps. Made by every_interleaving().
class Scene {
 public:
  class Director;
  explicit Scene(Director& director) : director_(director) {}

  /// One more thread. `name` is for the transcript: "consumer 1". Its body checks nothing, since
  /// only the test case's own thread may; it records what the test checks after play().
  void thread(std::string name, std::function<void()> body);
  /// A thread that begins only when none before it can go on: all have ended, or wait for it.
  void at_rest(std::string name, std::function<void()> body);
  /// Wakes who waits on a condition, though nobody has notified, as the standard allows. For the
  /// body of an at_rest() thread.
  void wake_for_no_reason();

  /// Lets the threads go, and returns when all have ended. Fails the test case, and says who waits
  /// for what, if they do not.
  void play();

 private:
  Director& director_;
};

/// Calls `act`, which sets a scene up, plays it and checks what has come of it, once for each order
/// in which its threads can take their steps, where at most `interruptions` times one thread is
/// interrupted that could have gone on. (Two suffice for nearly all races that people have ever
/// found.) The transcript is that of the last order.
void every_interleaving(const std::function<void(Scene&)>& act, int interruptions = 2);

}  // namespace stagecraft::exercise
