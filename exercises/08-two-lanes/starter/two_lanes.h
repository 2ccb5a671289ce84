// The queue between those who accept requests and those who answer them.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "hooked_mutex.h"

/// What is to be done: which page somebody asks for, and the number of the request.
struct Job {
  std::string target;
  int number = 0;
};

/// A queue with two lanes, each with its bound: requests for /health go in the fast one, all others
/// in the slow one. Any thread may call any function at any time.
class TwoLanes {
 public:
  /// How many jobs may wait in each lane.
  struct Bounds {
    std::size_t fast = 4;
    std::size_t slow = 64;
  };
  explicit TwoLanes(Bounds bounds) : bounds_(bounds) {}

  /// How many jobs of the fast lane may overtake one that waits in the slow lane. After so many in
  /// a row it is the slow lane's turn, once.
  static constexpr int most_overtaking = 3;

  enum class Pushed { yes, full, closed };

  /// Puts a job at the end of its lane, and wakes somebody who waits for one. Never waits itself:
  /// if the lane is full the caller can say so at once, with a 503. A closed queue takes nothing.
  Pushed push(Job job);

  /// The next job; waits until there is one. In each lane first in, first out; between the lanes
  /// the fast one first, but see most_overtaking. Nothing: the queue is closed, and empty.
  std::optional<Job> pop();

  /// From now on nothing is taken in. What waits is still given out, and then everybody is sent
  /// home, also those who wait already.
  void close();

 private:
  const Bounds bounds_;
  stagecraft::exercise::Mutex mutex_;
  stagecraft::exercise::ConditionVariable changed_;  // a job has come, or the queue is closed

  // Read and written only by who holds mutex_.
  std::deque<Job> fast_, slow_;
  int overtaking_ = 0;  // jobs that have overtaken the first one of slow_ in a row
  bool closed_ = false;
};
