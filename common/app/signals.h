// Which thread hears signals, and how the program waits for the one that ends it.
#pragma once

#include <atomic>
#include <csignal>

namespace stagecraft {

/// While it lives, the calling thread takes no signals, and neither will any thread that it starts:
/// a new thread inherits the mask of the one that made it. So a thread is kept from signals from
/// its first instruction on:
///
///     const SignalsBlocked blocked;
///     thread_ = std::thread([this] { run(); });
///
/// SIGPIPE is blocked with the rest; a server learns from EPIPE that a client has gone. Left out
/// are the signals that report a fault of the thread itself, such as SIGSEGV: blocking those would
/// only keep a debugger or a sanitizer from saying what happened.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// SIGTERM and SIGINT, as something to wait for instead of something that interrupts. Made once, by
/// main(), before any other thread exists: a thread that does not block a signal may get it.
class Termination {
 public:
  /// Blocks both in the calling thread, and SIGPIPE with them.
  Termination() noexcept;

  /// Returns when one of the two has come. From then on they do again what they do to any program:
  /// a second one ends the process at once.
  void wait() noexcept;

  /// Any thread. Ends wait(), as if SIGTERM had come; does nothing after that.
  void request() noexcept;
  /// Whether it was request() that ended it.
  bool requested() const { return requested_; }

 private:
  sigset_t signals_;
  std::atomic<bool> over_ = false;
  std::atomic<bool> requested_ = false;
};

}  // namespace stagecraft
