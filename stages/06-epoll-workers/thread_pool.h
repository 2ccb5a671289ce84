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
/// Starts with `workers` threads. While all are busy and jobs wait it grows to `workers_max`; those
/// beyond `workers` end when they have had nothing to do for a while. Any thread may call any
/// method; submit() and resubmit() also from a job.
///
/// Invariants, under mutex_: idle_ <= workers_.size() <= max(workers, workers_max); queued_ counts
/// what hangs on first_, and last_ is its end.
class ThreadPool {
 public:
  struct Size {
    std::size_t workers = 8;
    std::size_t workers_max = 0;                 ///< fewer than `workers`: it does not grow
    std::size_t queue = 1024;                    ///< jobs that may wait
    std::size_t stack_size = 256 * KiB;          ///< of each worker, in bytes
    std::chrono::milliseconds retirement{5000};  ///< idle time after which one too many ends
  };

  /// Throws std::system_error if not even one worker can be started; others may be later.
  explicit ThreadPool(const Size& size);
  /// close(), then waits until all that is queued is done.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  enum class Submitted { yes, full, closed };
  /// Queues a job, if there is a place.
  Submitted submit(Job& job) EXCLUDES(mutex_);
  /// Queues a job that keeps its place, however long the queue is. False: the pool is closed.
  bool resubmit(Job& job) EXCLUDES(mutex_);

  /// Takes no more jobs; what is queued is still done, and then the workers end.
  void close() noexcept EXCLUDES(mutex_);

  /// Workers, busy and idle.
  std::size_t threads() const EXCLUDES(mutex_);

 private:
  using Clock = std::chrono::steady_clock;
  using Workers = std::list<Thread>;

  void add_worker() REQUIRES(mutex_);
  bool grow() REQUIRES(mutex_);
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
