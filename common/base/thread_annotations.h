// Which lock protects which member, and which thread may call which function, written so that clang
// checks it: with -Wthread-safety a violation does not compile. Other compilers see nothing.
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#pragma once

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#if defined(__clang__)
#define STAGECRAFT_ATTRIBUTE(x) __attribute__((x))
#else
#define STAGECRAFT_ATTRIBUTE(x)
#endif

/// On a class: its objects are something that can be held, called NAME in the compiler's messages.
#define CAPABILITY(name) STAGECRAFT_ATTRIBUTE(capability(name))
/// On a class: holds a capability from its constructor to its destructor.
#define SCOPED_CAPABILITY STAGECRAFT_ATTRIBUTE(scoped_lockable)
/// On a member: may be touched only by who holds the capability.
#define GUARDED_BY(x) STAGECRAFT_ATTRIBUTE(guarded_by(x))
/// On a pointer member: what it points to may be touched only by who holds the capability.
#define PT_GUARDED_BY(x) STAGECRAFT_ATTRIBUTE(pt_guarded_by(x))
/// On a function: the caller must hold these.
#define REQUIRES(...) STAGECRAFT_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// On a function: the caller must not hold these (the function takes them itself).
#define EXCLUDES(...) STAGECRAFT_ATTRIBUTE(locks_excluded(__VA_ARGS__))
/// On a function: takes, or gives back, the capability (the object itself if none is named).
#define ACQUIRE(...) STAGECRAFT_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) STAGECRAFT_ATTRIBUTE(release_capability(__VA_ARGS__))
/// On a function that returns bool: takes the capability if it returns RESULT.
#define TRY_ACQUIRE(...) STAGECRAFT_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
/// On a function: checks at run time that the capability is held; the compiler believes it after
/// that.
#define ASSERT_CAPABILITY(x) STAGECRAFT_ATTRIBUTE(assert_capability(x))
/// On a function that returns a reference to a capability.
#define RETURN_CAPABILITY(x) STAGECRAFT_ATTRIBUTE(lock_returned(x))
/// On a function whose body the compiler cannot follow. Say beside it why the body is right.
#define NO_THREAD_SAFETY_ANALYSIS STAGECRAFT_ATTRIBUTE(no_thread_safety_analysis)

namespace stagecraft {

/// std::mutex with its name known to the analysis (libstdc++'s own has no annotations).
class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
};

/// Holds a Mutex from here to the end of the block.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// std::condition_variable for a Mutex. There is no overload with a predicate, because the analysis
/// does not look into lambdas as part of the caller; write the loop, which is what it means anyway:
///
///     MutexLock lock(mutex_);
///     while (queue_.empty()) not_empty_.wait(mutex_);
class ConditionVariable {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

  /// Gives the mutex back, sleeps until notified (or for no reason at all), and takes it again.
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();  // the caller's MutexLock goes on holding it
  }

  /// As wait(), until DEADLINE at the latest; std::cv_status::timeout if that has come.
  std::cv_status wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline)
      REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = condition_.wait_until(lock, deadline);
    lock.release();
    return status;
  }

 private:
  std::condition_variable condition_;
};

/// A capability that stands for "being on a certain thread", such as an event loop's. It costs
/// nothing to hold: one is on that thread or one is not. Members that only that thread may touch
/// are GUARDED_BY(role), functions that only it may call REQUIRES(role), and what the thread runs
/// first calls bind(). Where the compiler cannot know (a callback), assert_held() checks in debug
/// builds.
class CAPABILITY("role") ThreadRole {
 public:
  /// From now on the calling thread, and no other, has this role. Also for handing it over: the new
  /// thread calls it after the old one has stopped using what the role guards.
  void bind() ASSERT_CAPABILITY(this) { owner_.store(std::this_thread::get_id()); }

  /// The calling thread has this role; an assertion fails if not.
  void assert_held() const ASSERT_CAPABILITY(this) { assert(is_held()); }

  /// Whether the calling thread has this role.
  bool is_held() const { return owner_.load() == std::this_thread::get_id(); }

 private:
  std::atomic<std::thread::id> owner_{};
};

}  // namespace stagecraft
