// What can be set about a server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/limits.h"

namespace stagecraft {

/// Which thread runs a handler that does not say so itself (Route::where).
enum class Executor : std::uint8_t {
  inline_,  ///< the event loop's: no hand-over, and nobody else is served meanwhile
  pool,     ///< one of a pool's workers
  thread,   ///< one of its own
};

/// Everything that can be set about a server, a plain value. It is read when the server starts.
struct Options {
  /// Where to listen: a numeric address of either family, or a name that the system knows.
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free one
  /// A socket that listens already and takes the place of host and port, for servers that a service
  /// manager starts; see inherited_socket(). It stays the caller's. -1: none.
  int listen_descriptor = -1;
  /// For requests that run when the server is told to stop: for whoever calls stop(). A server of
  /// several loops that fails gives its clients as much.
  std::chrono::milliseconds grace{5000};
  /// The listener's backlog. This is Linux's own SOMAXCONN; what is more the kernel lowers to its
  /// sysctl net.core.somaxconn. Lower: a client of a burst may have to knock again after a second.
  int accept_length = 4096;
  /// SO_REUSEADDR (man 7 socket): listen although connections of the port's last server have not
  /// expired. Without it a server that closed first cannot be started again for a minute.
  bool reuse_addr = true;
  /// SO_REUSEPORT (man 7 socket): share the port with other servers; each loop listens for itself.
  bool reuse_port = false;
  /// Clients served at once. Further ones wait to be accepted, or are told 503 where each has a
  /// thread.
  std::size_t max_connections = 10'000;
  std::size_t stack_size = 256 * KiB;  ///< of each thread that runs handlers
  std::size_t workers = 8;             ///< threads of the pool
  /// To how many the pool may grow while all are busy; those that are idle again end. Fewer than
  /// `workers`: it does not grow.
  std::size_t workers_max = 0;
  std::size_t queue = 1024;  ///< jobs that may wait for a worker; further ones are answered 503
  Executor executor = Executor::pool;
  std::size_t concurrency = 0;  ///< event loops; 0: as many as there are processors
  /// Deadlines are rounded up to multiples of this, so that those that fall together cost one
  /// wake-up. Higher: a timeout may take that much longer.
  std::chrono::milliseconds resolution{100};
  Limits limits;
};

}  // namespace stagecraft
