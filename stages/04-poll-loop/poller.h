// Which of many sockets have something to do, asked with poll(2).
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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
class Poller {
 public:
  struct Event {
    Watched* watched = nullptr;
    Readiness readiness;
  };

  /// Throws std::bad_alloc. The descriptor stays the caller's, and must be removed before it is
  /// closed: its number may be somebody else's the next moment.
  void add(int descriptor, Interest interest, Watched& watched);
  void change(int descriptor, Interest interest, Watched& watched);
  /// Also of one that is not there.
  void remove(int descriptor);

  /// Waits until something is ready, or for `timeout` at most if there is one. An event may name
  /// somebody who has been removed since, by what an earlier event of the same batch led to.
  std::span<const Event> wait(std::optional<std::chrono::milliseconds> timeout);

 private:
  // Two rows side by side, since poll(2) takes its own alone; and where in them a descriptor is.
  std::vector<pollfd> entries_;
  std::vector<Watched*> watched_;
  std::vector<std::size_t> places_;
  std::vector<Event> events_;
};

}  // namespace stagecraft
