#include "two_lanes.h"

#include <utility>

using stagecraft::exercise::MutexLock;

TwoLanes::Pushed TwoLanes::push(Job job) {
  MutexLock lock(mutex_);
  if (closed_) return Pushed::closed;

  // A bound for each lane: a queue that is full of work must still be able to say that it is alive.
  const bool is_fast = job.target == "/health";
  std::deque<Job>& lane = is_fast ? fast_ : slow_;
  if (lane.size() >= (is_fast ? bounds_.fast : bounds_.slow)) return Pushed::full;
  lane.push_back(std::move(job));

  // One job is work for one. Whoever is woken holds the lock only after we have given it back.
  changed_.notify_one();
  return Pushed::yes;
}

std::optional<Job> TwoLanes::pop() {
  MutexLock lock(mutex_);
  // `while`, since being woken promises nothing: another may have been quicker and have taken the
  // job, and a wait may end for no reason at all.
  while (fast_.empty() && slow_.empty() && !closed_) changed_.wait(mutex_);
  if (fast_.empty() && slow_.empty()) return std::nullopt;

  // The fast lane has had its share if somebody in the slow one has let enough pass. Only
  // overtaking counts: where nobody waits, nobody is overtaken.
  const bool slow_has_waited = !slow_.empty() && overtaking_ == most_overtaking;
  const bool takes_fast = !fast_.empty() && !slow_has_waited;
  overtaking_ = takes_fast && !slow_.empty() ? overtaking_ + 1 : 0;

  std::deque<Job>& lane = takes_fast ? fast_ : slow_;
  Job job = std::move(lane.front());
  lane.pop_front();
  return job;
}

void TwoLanes::close() {
  // Under the lock, though it is a mere bool: otherwise it could change between the moment in which
  // somebody finds it false and the moment in which they sleep, and they would sleep for ever.
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();  // this concerns everybody, not just one
}
