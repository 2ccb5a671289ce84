#include "base/thread_annotations.h"

#include <deque>
#include <vector>

#include "base/thread_number.h"
#include "catch.h"

using namespace stagecraft;

namespace {

/// A queue as the servers have them: one mutex, one condition.
class Queue {
 public:
  void push(int value) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    values_.push_back(value);
    not_empty_.notify_one();
  }

  int pop() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (values_.empty()) not_empty_.wait(mutex_);
    const int value = values_.front();
    values_.pop_front();
    return value;
  }

  /// Waits for a value until DEADLINE.
  std::cv_status wait_until(std::chrono::steady_clock::time_point deadline) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (values_.empty()) {
      if (not_empty_.wait_until(mutex_, deadline) == std::cv_status::timeout) {
        return std::cv_status::timeout;
      }
    }
    return std::cv_status::no_timeout;
  }

 private:
  Mutex mutex_;
  ConditionVariable not_empty_;
  std::deque<int> values_ GUARDED_BY(mutex_);
};

}  // namespace

TEST_CASE("a condition variable hands values from thread to thread") {
  constexpr int count = 1000;
  Queue queue;
  Queue back;
  std::thread echo([&] {
    for (int i = 0; i < count; ++i) back.push(queue.pop());
  });
  for (int i = 0; i < count; ++i) queue.push(i);
  bool in_order = true;
  for (int i = 0; i < count; ++i) in_order = in_order && back.pop() == i;
  echo.join();
  CHECK(in_order);
}

TEST_CASE("a wait with a deadline ends at the deadline and not before") {
  Queue queue;
  const auto start = std::chrono::steady_clock::now();
  const auto deadline = start + std::chrono::milliseconds(20);
  CHECK(queue.wait_until(deadline) == std::cv_status::timeout);
  CHECK(std::chrono::steady_clock::now() >= deadline);
  queue.push(1);
  CHECK(queue.wait_until(start) == std::cv_status::no_timeout);
}

TEST_CASE("a mutex that is held cannot be taken by another thread") {
  Mutex mutex;
  bool taken = true;
  const auto try_it = [&] {
    taken = false;
    if (!mutex.try_lock()) return;
    taken = true;
    mutex.unlock();
  };
  {
    const MutexLock lock(mutex);
    std::thread(try_it).join();
    CHECK_FALSE(taken);
  }
  std::thread(try_it).join();
  CHECK(taken);
}

TEST_CASE("a role belongs to the thread that was bound last") {
  ThreadRole role;
  std::thread([&] {
    role.bind();
    role.assert_held();
    CHECK(role.is_held());
  }).join();
  CHECK_FALSE(role.is_held());
  role.bind();
  CHECK(role.is_held());
}

TEST_CASE("threads have small numbers of their own") {
  const std::uint32_t mine = thread_number();
  CHECK(mine >= 1);
  CHECK(thread_number() == mine);
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::thread([&] { first = thread_number(); }).join();
  std::thread([&] { second = thread_number(); }).join();
  CHECK(first > mine);
  CHECK(second == first + 1);
}
