// Where an answer that was promised for later arrives, and where its connection waits for it.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "base/thread_annotations.h"
#include "http/responder.h"

namespace stagecraft {

/// The letters for one connection. Any thread may post one; the connection's own thread waits for
/// them, and does nothing else meanwhile: here an answer for later holds its thread all the same.
///
/// Held by shared_ptr, because whoever promised an answer may come with it when the connection has
/// long gone.
class Mailbox : public Postbox {
 public:
  using Clock = std::chrono::steady_clock;

  /// Any thread. Cannot fail: the letter is its own node in the queue. Dropped after close().
  void post(std::shared_ptr<Deferred> letter) noexcept override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (closed_) return;
    letters_.push(std::move(letter));
    changed_.notify_one();
  }

  /// The connection's thread. The oldest letter; waits for one until `deadline` at the latest.
  /// nullptr: none has come by then, or the mailbox has been closed.
  std::shared_ptr<Deferred> take(Clock::time_point deadline) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (letters_.empty() && !closed_) {
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
    }
    return letters_.pop();
  }

  /// Any thread. Ends a take() that waits, and drops what nobody will read: a letter holds its
  /// mailbox, so one that stayed in here would keep both alive for ever.
  void close() noexcept EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      closed_ = true;
      changed_.notify_one();
    }
    while (take(Clock::time_point::min())) {
    }
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  LetterQueue letters_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace stagecraft
