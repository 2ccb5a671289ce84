// A bounded number of threads, and a bounded queue in front of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>

#include "app/thread.h"
#include "base/limits.h"
#include "base/thread_annotations.h"

namespace stagecraft {

/// Something to be done on a worker. It is its own node in the queue, so that queueing it cannot
/// fail; hence it can be in one queue at a time.
class Job {
 public:
  /// On a worker. May destroy the job: the pool does not touch it afterwards. Must not throw.
  virtual void run() noexcept = 0;

 protected:
  virtual ~Job() = default;

 private:
  friend class ThreadPool;
  Job* next_ = nullptr;
};

/// Workers that take jobs from one queue, first in, first out.
///
/// Starts with `workers` threads; while all are busy and jobs wait, grows to `workers_max`, and
/// those that are too many end when they have had nothing to do for a while. Any thread may call
/// any method; submit() and resubmit() also from a job.
///
/// Invariants, under mutex_: idle_ <= workers_.size() <= max(workers, workers_max); queued_ counts
/// what hangs on first_, and last_ is its end.
class ThreadPool {
 public:
  struct Size {
    std::size_t workers = 8, workers_max = 8;
    std::size_t queue = 1024;            ///< jobs that may wait
    std::size_t stack_size = 256 * KiB;  ///< of each worker, in bytes
  };

  /// Throws std::system_error if not even the first worker can be started.
  explicit ThreadPool(const Size& size);
  /// close(), then waits for the workers.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  enum class Submitted { yes, full, closed };
  /// Queues a job, if there is a place.
  Submitted submit(Job& job) EXCLUDES(mutex_);
  /// Queues a job that has had its place before and keeps it, however long the queue is; it goes to
  /// the end. False: the pool is closed.
  bool resubmit(Job& job) EXCLUDES(mutex_);

  /// Takes no more jobs; what is queued is still done, and then the workers end.
  void close() noexcept EXCLUDES(mutex_);
  /// Waits until close() has been called and all workers are done, until `deadline` at most.
  bool wait_for_end(std::chrono::steady_clock::time_point deadline) EXCLUDES(mutex_);

  std::size_t threads() const EXCLUDES(mutex_);
  std::size_t queued() const EXCLUDES(mutex_);

 private:
  using Workers = std::list<Thread>;

  void add_worker() REQUIRES(mutex_);
  void join_ended() REQUIRES(mutex_);
  void push(Job& job) REQUIRES(mutex_);
  Job* pop() REQUIRES(mutex_);
  Job* next_job(Workers::iterator self) EXCLUDES(mutex_);

  const Size size_;
  mutable Mutex mutex_;
  ConditionVariable changed_;        // a job is queued, or the pool is closed
  ConditionVariable ended_changed_;  // a worker has ended
  Job* first_ GUARDED_BY(mutex_) = nullptr;
  Job* last_ GUARDED_BY(mutex_) = nullptr;
  std::size_t queued_ GUARDED_BY(mutex_) = 0;
  Workers workers_ GUARDED_BY(mutex_);
  Workers ended_ GUARDED_BY(mutex_);  // done, and not yet joined
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace stagecraft
