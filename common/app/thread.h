// A thread with a stack of a chosen size.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>

namespace stagecraft {

/// std::thread with two differences that a server needs: the size of the stack can be chosen
/// (std::thread has no word for it, and the usual 8 MiB of address space each are much for a
/// thousand threads), and the thread takes no signals (see SignalsBlocked). Movable; whoever has it
/// at the end must have joined it.
class Thread {
 public:
  Thread() = default;
  /// Starts a thread that runs `body`, which must not throw. `stack_size` in bytes; 0: the system's
  /// usual. Throws std::system_error when there is none to be had (man 3 pthread_create: EAGAIN).
  Thread(std::size_t stack_size, std::function<void()> body);
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  /// Precondition: not joinable().
  ~Thread();

  bool joinable() const { return joinable_; }
  /// Waits until the thread has ended.
  void join();

 private:
  pthread_t thread_{};
  bool joinable_ = false;
};

}  // namespace stagecraft
