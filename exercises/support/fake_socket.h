// A descriptor whose system calls a test answers itself, so that every way in which a kernel may
// answer can be tried, and none depends on luck.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <string>

namespace stagecraft::exercise {

/// Stands in for the kernel's side of one descriptor: accept, accept4, read, recv, write, send,
/// writev, shutdown, close and poll on it come to the functions below, and what fcntl says of its
/// flags is remembered. Calls on other descriptors go to the system. Not answered are readv,
/// sendmsg, stdio and the like: on such a descriptor they fail with EBADF.
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
  /// Of a listener: the descriptor of a new client. Fails with EINVAL unless overridden.
  virtual int accepted();
  /// A poll that has asked for this descriptor is about to wait, for ever. True: something has
  /// happened now, so it looks again.
  virtual bool happens_next() { return false; }

  /// Whether calls on it are not to wait: O_NONBLOCK, by fcntl or accept4.
  bool nonblocking() const { return nonblocking_; }
  void set_nonblocking(bool on) { nonblocking_ = on; }

 private:
  int descriptor_ = -1;
  bool nonblocking_ = false;
};

/// How many times poll() has been called so far for at least one fake.
std::size_t polls_so_far();

/// Thrown where the code under test would wait for something that never comes. No std::exception,
/// so that it gets through a handler for those.
struct Stuck {
  std::string waits_for;
};

}  // namespace stagecraft::exercise
