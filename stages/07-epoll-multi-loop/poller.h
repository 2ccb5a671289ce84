// Which of many sockets have something to do, told by epoll(7).
#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "net/unique_fd.h"

namespace stagecraft {

/// What is waited for on a socket. That it broke is reported in any case: it cannot be masked.
enum class Interest : std::uint8_t { none, readable, writable };

/// What a socket is ready for.
struct Readiness {
  bool readable = false;  ///< bytes, the end of the input, or a new connection
  bool writable = false;
  bool broken = false;  ///< reset, or closed in both directions
};

/// Somebody who owns a descriptor and wants to know when it is ready.
class Watched {
 public:
  virtual void ready(Readiness readiness) = 0;

 protected:
  virtual ~Watched() = default;
};

/// The interest set, and the wait for it. One thread.
///
/// The set is in the kernel, which is told of changes only; a socket that becomes ready is put on a
/// list there, and a wait takes from that list. So neither costs more for the sockets that are
/// silent. Level-triggered: what is not done with is reported again.
class Poller {
 public:
  struct Event {
    Watched* watched = nullptr;
    Readiness readiness;
  };

  /// Throws std::system_error.
  Poller();

  /// Throws std::system_error. The descriptor stays the caller's, and must be removed before it is
  /// closed: the kernel's set knows open files, not numbers, and would keep one that another
  /// process has inherited.
  void add(int descriptor, Interest interest, Watched& watched);
  /// False: the kernel lacks the memory for it (man 2 epoll_ctl), and the interest is as before.
  bool change(int descriptor, Interest interest, Watched& watched);
  /// Also of one that is not there.
  void remove(int descriptor);

  /// Waits until something is ready, or for `timeout` at most if there is one. An event may name
  /// somebody who has been removed since, by what an earlier event of the same batch led to.
  std::span<const Event> wait(std::optional<std::chrono::milliseconds> timeout);

 private:
  // More are ready at the next turn. A batch must not be so large that the deadlines come late.
  static constexpr std::size_t max_events = 512;

  UniqueFd epoll_;
  std::array<epoll_event, max_events> reported_;
  std::array<Event, max_events> events_;
};

}  // namespace stagecraft
