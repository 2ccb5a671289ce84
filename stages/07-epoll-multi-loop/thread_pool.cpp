#include "thread_pool.h"

#include <exception>

namespace stagecraft {

namespace {

// How long a worker beyond the first `workers` waits for a job before it ends.
constexpr std::chrono::seconds retirement{5};

}  // namespace

ThreadPool::ThreadPool(const Size& size) : size_(size) {
  MutexLock lock(mutex_);
  while (workers_.size() < size_.workers) add_worker();
}

ThreadPool::~ThreadPool() {
  close();
  wait_for_end(std::chrono::steady_clock::time_point::max());
  MutexLock lock(mutex_);
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

bool ThreadPool::wait_for_end(std::chrono::steady_clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (!closed_ || !workers_.empty()) {
    if (ended_changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return closed_ && workers_.empty();
}

std::size_t ThreadPool::threads() const {
  MutexLock lock(mutex_);
  return workers_.size();
}

std::size_t ThreadPool::queued() const {
  MutexLock lock(mutex_);
  return queued_;
}

void ThreadPool::push(Job& job) {
  job.next_ = nullptr;
  (first_ == nullptr ? first_ : last_->next_) = &job;
  last_ = &job;
  ++queued_;
  changed_.notify_one();
  // A worker that has been notified but does not run yet still counts as idle; so more jobs than
  // idle workers is the sign that one is missing.
  if (queued_ <= idle_ || workers_.size() >= size_.workers_max) return;
  try {
    add_worker();
  } catch (const std::exception&) {
    // The system has no thread for us: those that there are will come to the job.
  }
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
  const auto self = workers_.emplace(workers_.end());
  try {
    *self = Thread(size_.stack_size, [this, self] {
      while (Job* job = next_job(self)) job->run();
    });
  } catch (...) {
    workers_.erase(self);
    throw;
  }
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
    if (workers_.size() <= size_.workers) {
      changed_.wait(mutex_);
      continue;
    }
    const auto retire_at = std::chrono::steady_clock::now() + retirement;
    const bool in_vain = changed_.wait_until(mutex_, retire_at) == std::cv_status::timeout;
    if (in_vain && first_ == nullptr && workers_.size() > size_.workers) break;
  }
  --idle_;
  if (first_ != nullptr) return pop();
  ended_.splice(ended_.end(), workers_, self);
  ended_changed_.notify_all();
  return nullptr;
}

}  // namespace stagecraft
