// A descriptor whose system calls a test answers itself, so that every way in which a kernel may
// answer can be tried, and none depends on luck.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <string>

namespace stagecraft::exercise {

/// Stands in for the kernel's side of one descriptor: read, recv, write, send, writev, shutdown,
/// close and poll on it come to the functions below. Calls on other descriptors go to the system.
/// Not answered are readv, sendmsg, stdio and the like: on such a descriptor they fail with EBADF.
///
/// The functions return what the call returns, with errno set; each runs on the thread that calls.
class FakeSocket {
 public:
  /// Reserves a descriptor. Throws std::runtime_error if there is none left.
  FakeSocket();
  /// Gives the descriptor back, whether or not it was closed.
  virtual ~FakeSocket();
  FakeSocket(const FakeSocket&) = delete;
  FakeSocket& operator=(const FakeSocket&) = delete;

  /// The number to hand to the code under test.
  int descriptor() const { return descriptor_; }

  virtual ssize_t received(void* to, std::size_t most, int flags) = 0;
  virtual ssize_t sent(const void* from, std::size_t size, int flags) = 0;
  virtual int shut_down(int how) = 0;
  virtual int closed() = 0;
  /// Those of `events` of poll(2) that hold now. A fake never waits: a poll that would wait for
  /// this descriptor alone calls waits_forever().
  virtual short ready(short events) = 0;

 private:
  int descriptor_ = -1;
};

/// Thrown where the code under test would wait for something that never comes. No std::exception,
/// so that it gets through a handler for those.
struct Stuck {
  std::string waits_for;
};

}  // namespace stagecraft::exercise
