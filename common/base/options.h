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
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;              ///< 0: any free one
  std::chrono::milliseconds grace{5000};  ///< for requests that run when the server is told to stop
  /// The listener's backlog. This is Linux's own SOMAXCONN; what is more the kernel lowers to its
  /// sysctl net.core.somaxconn. Lower: a client of a burst may have to knock again after a second.
  int accept_length = 4096;
  bool reuse_addr = true;
  bool reuse_port = false;
  std::size_t max_connections = 10'000;  ///< served at once
  std::size_t stack_size = 256 * KiB;    ///< of each thread that runs handlers
  std::size_t workers = 8;               ///< threads of the pool
  std::size_t workers_max = 0;           ///< to how many it may grow; fewer: it does not grow
  std::size_t queue = 1024;              ///< jobs that may wait for a worker
  Executor executor = Executor::pool;
  std::size_t concurrency = 0;                ///< event loops; 0: as many as there are processors
  std::chrono::milliseconds resolution{100};  ///< deadlines are rounded up to multiples of this
  Limits limits;
};

}  // namespace stagecraft
