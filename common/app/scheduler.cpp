#include "app/scheduler.h"

#include <algorithm>
#include <exception>

namespace stagecraft {

// The order of the heap: the standard algorithms put the greatest on top, so that is the earliest.
struct Scheduler::Later {
  bool operator()(const Entry& a, const Entry& b) const {
    return a.due != b.due ? a.due > b.due : a.number > b.number;
  }
};

Scheduler::~Scheduler() {
  Thread thread;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

void Scheduler::add(Clock::time_point due, std::unique_ptr<Job> job) {
  MutexLock lock(mutex_);
  if (!thread_.joinable()) thread_ = Thread(0, [this] { run(); });
  const std::uint64_t number = ++last_number_;
  heap_.push_back({due, number, std::move(job)});
  std::push_heap(heap_.begin(), heap_.end(), Later{});
  // Whoever is not first changes nothing about how long the thread has to wait.
  if (heap_.front().number == number) changed_.notify_one();
}

void Scheduler::run() {
  while (const std::unique_ptr<Job> job = next_job()) {
    try {
      job->run();
    } catch (const std::exception&) {
      // One job less. A promise that it held is broken with it, and answers for itself.
    }
  }
}

// Waits for the next job that is due; nullptr: there will be none.
std::unique_ptr<Scheduler::Job> Scheduler::next_job() {
  MutexLock lock(mutex_);
  for (;;) {
    if (stopping_) return nullptr;
    if (heap_.empty()) {
      changed_.wait(mutex_);
    } else if (heap_.front().due > Clock::now()) {
      changed_.wait_until(mutex_, heap_.front().due);
    } else {
      std::pop_heap(heap_.begin(), heap_.end(), Later{});
      std::unique_ptr<Job> job = std::move(heap_.back().job);
      heap_.pop_back();
      return job;
    }
  }
}

}  // namespace stagecraft
