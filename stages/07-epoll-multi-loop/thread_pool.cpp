#include "thread_pool.h"

#include <exception>

namespace stagecraft {

ThreadPool::ThreadPool(const Size& size) : size_(size) {
  MutexLock lock(mutex_);
  add_worker();
  while (workers_.size() < size_.workers && grow()) {
    // Fewer than were asked for will do, until there are threads to be had again.
  }
}

ThreadPool::~ThreadPool() {
  close();
  MutexLock lock(mutex_);
  while (!workers_.empty()) ended_changed_.wait(mutex_);
  join_ended();
}

ThreadPool::Submitted ThreadPool::submit(Job& job) {
  MutexLock lock(mutex_);
  if (closed_) return Submitted::closed;
  if (queued_ >= size_.queue) return Submitted::full;
  push(job);
  return Submitted::yes;
}

bool ThreadPool::resubmit(Job& job) {
  MutexLock lock(mutex_);
  if (closed_) return false;
  push(job);
  return true;
}

void ThreadPool::close() noexcept {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::size_t ThreadPool::threads() const {
  MutexLock lock(mutex_);
  return workers_.size();
}

void ThreadPool::push(Job& job) {
  job.next_ = nullptr;
  (first_ == nullptr ? first_ : last_->next_) = &job;
  last_ = &job;
  ++queued_;
  changed_.notify_one();
  // A worker that has been notified but does not run yet still counts as idle; so more jobs than
  // idle workers is the sign that one is missing.
  if (queued_ > idle_ && workers_.size() < size_.workers_max) grow();
}

Job* ThreadPool::pop() {
  Job* job = first_;
  first_ = job->next_;
  --queued_;
  return job;
}

/// The new thread waits for our mutex before it looks for a job, and so for its place in the list.
void ThreadPool::add_worker() {
  join_ended();
  Workers newcomer(1);
  const auto self = newcomer.begin();
  *self = Thread(size_.stack_size, [this, self] {
    while (Job* job = next_job(self)) job->run();
  });
  workers_.splice(workers_.end(), newcomer);
}

/// False: the system has no thread for us. Those that there are will come to every job.
bool ThreadPool::grow() try {
  add_worker();
  return true;
} catch (const std::exception&) {
  return false;
}

/// They have counted themselves out, so joining them does not wait for long.
void ThreadPool::join_ended() {
  for (Thread& thread : ended_) thread.join();
  ended_.clear();
}

/// Waits for a job. nullptr: this worker is to end.
Job* ThreadPool::next_job(Workers::iterator self) {
  MutexLock lock(mutex_);
  ++idle_;
  while (first_ == nullptr && !closed_) {
    const bool spare = workers_.size() > size_.workers;
    const auto until = spare ? Clock::now() + size_.retirement : Clock::time_point::max();
    const bool in_vain = changed_.wait_until(mutex_, until) == std::cv_status::timeout;
    if (in_vain && first_ == nullptr && workers_.size() > size_.workers) break;
  }
  --idle_;
  if (first_ != nullptr) return pop();
  ended_.splice(ended_.end(), workers_, self);
  ended_changed_.notify_all();
  return nullptr;
}

}  // namespace stagecraft
