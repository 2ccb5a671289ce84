#include "handler_threads.h"

#include <algorithm>

namespace stagecraft {

namespace {

ThreadPool::Size pool_size(const Options& options) {
  return {.workers = options.workers,
          .workers_max = std::max(options.workers, options.workers_max),
          .queue = options.queue,
          .stack_size = options.stack_size};
}

// A thread for each job is a pool that grows with every job for which no thread is free. One is
// kept, so that a job never waits for a thread that the system does not give us.
ThreadPool::Size threads_size(const Options& options) {
  return {.workers = 1,
          .workers_max = options.max_connections,
          .queue = options.queue,
          .stack_size = options.stack_size};
}

}  // namespace

HandlerThreads::HandlerThreads(const Options& options)
    : options_(options), pool_(pool_size(options)), threads_(threads_size(options)) {}

}  // namespace stagecraft
