// A value that all threads read all the time, and one of them replaces now and then.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/thread_annotations.h"

namespace stagecraft {

/// Holds one immutable T at a time, which lives as long as anybody uses it. A reader keeps the
/// pointer that current() gave it, and before each use asks whether generation() is still the same:
/// one load of memory that is written only by replace(), so that readers never slow each other
/// down. Any thread may call any method.
template <typename T>
class Replaceable {
 public:
  /// What holds now, and which it is: 1 of the first, 2 of the second.
  struct Current {
    std::shared_ptr<const T> value;
    std::uint64_t generation = 0;
  };

  explicit Replaceable(T first) : value_(std::make_shared<const T>(std::move(first))) {}
  Replaceable(const Replaceable&) = delete;
  Replaceable& operator=(const Replaceable&) = delete;

  /// From now on `next` holds. The one before is destroyed as soon as its last reader lets go of
  /// it, by that reader's thread; here, if it has none. Throws std::bad_alloc, and then nothing has
  /// changed.
  void replace(T next) EXCLUDES(mutex_) {
    auto value = std::make_shared<const T>(std::move(next));
    MutexLock lock(mutex_);  // given back before `value` is destroyed, which may take its time
    value_.swap(value);
    generation_.fetch_add(1, std::memory_order_release);
  }

  Current current() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return {value_, generation_.load(std::memory_order_relaxed)};
  }

  std::uint64_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> generation_ = 1;
  mutable Mutex mutex_;
  std::shared_ptr<const T> value_ GUARDED_BY(mutex_);
};

}  // namespace stagecraft
