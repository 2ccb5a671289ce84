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
  std::size_t place_ = 0;  // in the heap
};

/// The deadlines of all connections of one thread. Clock::time_point::max() is none.
///
/// A binary heap: each node is due no later than the two below it, at 2i+1 and 2i+2, so the
/// earliest is on top. Lazy: a deadline that moves back, as nearly all do, is only noted; its node
/// stays where it is, and finds its place when it comes to the top, long after and mostly once for
/// many changes.
class Timers {
 public:
  using Clock = Timed::Clock;

  /// Throws std::bad_alloc.
  void add(Timed& timed);
  void remove(Timed& timed);
  void set(Timed& timed, Clock::time_point deadline);

  /// The earliest deadline of all; max() if there is none.
  Clock::time_point next();
  /// Somebody whose deadline is not after `now`, and who has none from now on; nullptr if there is
  /// nobody.
  Timed* take_due(Clock::time_point now);

 private:
  // What a node is ordered by: the deadline that its owner had when the node was last moved.
  struct Node {
    Clock::time_point due;
    Timed* timed = nullptr;
  };

  void settle_top();
  void move_up(std::size_t place);
  void move_down(std::size_t place);
  void put(std::size_t place, Node node);

  std::vector<Node> heap_;
};

}  // namespace stagecraft
