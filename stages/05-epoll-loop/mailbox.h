// Where an answer that was promised for later arrives, and how its loop hears of it.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include "base/thread_annotations.h"
#include "http/responder.h"
#include "net/unique_fd.h"

namespace stagecraft {

/// The letters for all connections of one loop. Any thread may post one. The loop waits for its
/// sockets and cannot wait for a condition variable too, so what wakes it is a descriptor: an
/// eventfd(2), which is readable from the first wake_up() until it is acknowledged.
///
/// Held by shared_ptr, because whoever promised an answer may come with it when the loop has long
/// ended.
class Mailbox : public Postbox {
 public:
  /// Throws std::system_error.
  Mailbox() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
  }

  /// Any thread. Cannot fail: the letter is its own node in the queue. Dropped after close().
  void post(std::shared_ptr<Deferred> letter) noexcept override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (closed_) return;
      letters_.push(std::move(letter));
    }
    wake_up();
  }

  /// The loop's thread. The oldest letter, or nullptr. Never waits.
  std::shared_ptr<Deferred> take() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return letters_.pop();
  }

  /// Any thread. Makes the descriptor readable, so that the loop does not go on waiting.
  void wake_up() noexcept {
    const std::uint64_t one = 1;
    // But for a signal it fails only if the counter is full, and then the loop is being woken.
    while (write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
  }
  /// The loop's thread, before it looks for what it was woken for. The other way round a letter
  /// posted between the look and the acknowledgement would lie there unseen.
  void acknowledge() noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto size = read(wake_.get(), &count, sizeof count);
  }
  int descriptor() const { return wake_.get(); }

  /// Any thread. Drops what nobody will read: a letter holds its mailbox, so one that stayed in
  /// here would keep both alive for ever.
  void close() noexcept EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      closed_ = true;
    }
    while (take()) {
    }
  }

 private:
  UniqueFd wake_;
  Mutex mutex_;
  LetterQueue letters_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace stagecraft
