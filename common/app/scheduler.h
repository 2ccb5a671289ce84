// Jobs for later.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "app/thread.h"
#include "base/thread_annotations.h"

namespace stagecraft {

/// Runs jobs when they are due, one after the other, on a thread of its own: what an application
/// uses that has to wait for something and does not want to hold a server's thread meanwhile.
///
/// The thread begins with the first job; a program that schedules nothing has none. Any thread may
/// schedule.
class Scheduler {
 public:
  using Clock = std::chrono::steady_clock;

  Scheduler() = default;
  /// Waits for a job that runs just now; destroys those that are not due.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Runs `function()` at `due` or as soon as possible after it, and destroys it then. It need not
  /// be copyable. Of two that are due at the same time the one that came first runs first. What it
  /// throws is dropped. Throws std::bad_alloc, and std::system_error if there can be no thread.
  template <typename Function>
  void at(Clock::time_point due, Function function) {
    add(due, std::make_unique<FunctionJob<Function>>(std::move(function)));
  }
  template <typename Function>
  void after(std::chrono::milliseconds delay, Function function) {
    at(Clock::now() + delay, std::move(function));
  }

 private:
  // std::function wants to copy what it holds, and a promise of an answer cannot be copied.
  struct Job {
    virtual ~Job() = default;
    virtual void run() = 0;
  };
  template <typename Function>
  struct FunctionJob final : Job {
    explicit FunctionJob(Function f) : function(std::move(f)) {}
    void run() override { function(); }
    Function function;
  };

  struct Entry {
    Clock::time_point due;
    std::uint64_t number = 0;  // of those that are due together, who came first
    std::unique_ptr<Job> job;
  };
  struct Later;

  void add(Clock::time_point due, std::unique_ptr<Job> job) EXCLUDES(mutex_);
  void run() EXCLUDES(mutex_);
  std::unique_ptr<Job> next_job() EXCLUDES(mutex_);

  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<Entry> heap_ GUARDED_BY(mutex_);  // the one that is due first on top
  std::uint64_t last_number_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  Thread thread_ GUARDED_BY(mutex_);
};

}  // namespace stagecraft
