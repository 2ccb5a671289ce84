// A postbox for tests.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "http/responder.h"

namespace stagecraft::testing {

/// Keeps letters until somebody takes them. Posted to from any thread.
class FakePostbox : public Postbox {
 public:
  void post(std::shared_ptr<Deferred> letter) noexcept override {
    const std::lock_guard lock(mutex_);
    ++posted_;
    changed_.notify_all();
    if (!closed_) letters_.push(std::move(letter));
  }

  /// The oldest letter, or nullptr.
  std::shared_ptr<Deferred> take() {
    const std::lock_guard lock(mutex_);
    return letters_.pop();
  }

  /// Drops all letters, also those to come: a letter holds its postbox, and would keep it for ever.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    while (take()) {
    }
  }

  /// Waits until letters have been posted COUNT times in all.
  void wait_for(unsigned count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return posted_ >= count; });
  }

  unsigned posted() {
    const std::lock_guard lock(mutex_);
    return posted_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  LetterQueue letters_;
  unsigned posted_ = 0;
  bool closed_ = false;
};

}  // namespace stagecraft::testing
