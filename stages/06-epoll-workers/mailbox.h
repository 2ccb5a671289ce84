// Where an answer that was promised for later arrives, and how its loop hears of it.
#pragma once

#include <poll.h>
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

/// Something that was lent to another thread and comes back: its own node in the queue.
class Lent {
 protected:
  ~Lent() = default;

 private:
  friend class Mailbox;
  Lent* next_ = nullptr;
};

/// The letters for all connections of one loop, and what comes back to it. Any thread may post one.
/// The loop waits for its sockets and cannot wait for a condition variable too, so what wakes it is
/// a descriptor: an eventfd(2), which is readable from the first wake_up() until it is
/// acknowledged.
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

  /// Any thread. Gives back what the loop has lent. This is the hand-over: what the giver has
  /// written the loop sees, and from here on it is the loop's alone.
  void give_back(Lent& lent) noexcept EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      lent.next_ = returned_;
      returned_ = &lent;
    }
    wake_up();
  }

  /// The loop's thread. Something that has come back, in no particular order, or nullptr.
  Lent* take_returned() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Lent* lent = returned_;
    if (lent != nullptr) returned_ = lent->next_;
    return lent;
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
  /// Waits until woken, for who has nothing else to wait for.
  void wait() const noexcept {
    pollfd entry{.fd = wake_.get(), .events = POLLIN, .revents = 0};
    poll(&entry, 1, -1);
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
  Lent* returned_ GUARDED_BY(mutex_) = nullptr;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace stagecraft
