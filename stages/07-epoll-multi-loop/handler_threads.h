// Where handlers run that may take long.
#pragma once

#include "base/options.h"
#include "http/application.h"
#include "thread_pool.h"

namespace stagecraft {

/// The pool of --workers, and threads for those handlers that want one of their own. One for the
/// whole server; any thread may call it.
class HandlerThreads {
 public:
  /// Throws std::system_error.
  explicit HandlerThreads(const Options& options);

  /// Whether a handler with this Route::where must leave the loop: --executor decides about those
  /// that say `pool`, for "somewhere else than here".
  bool takes(Where where) const {
    return where == Where::thread ||
           (where == Where::pool && options_.executor != Executor::inline_);
  }
  /// Runs a job on the thread that is meant for it. Precondition: takes(where).
  ThreadPool::Submitted submit(Where where, Job& job) {
    const bool own = where == Where::thread || options_.executor == Executor::thread;
    return (own ? threads_ : pool_).submit(job);
  }

 private:
  const Options& options_;
  ThreadPool pool_;
  ThreadPool threads_;
};

}  // namespace stagecraft
