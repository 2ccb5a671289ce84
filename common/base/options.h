// The command line of a server program, and its configuration file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/log.h"

namespace stagecraft {

/// What the program serves.
enum class App : std::uint8_t {
  demo,  ///< the demo application, with its page at /
  echo,  ///< answers every path; for probes and conformance suites
};

/// Which thread runs a handler that does not say so itself (Route::where).
enum class Executor : std::uint8_t {
  inline_,  ///< the event loop's: no hand-over, and nobody else is served meanwhile
  pool,     ///< one of a pool's workers
  thread,   ///< one of its own
};

/// Everything that can be set when a server program is started. Read-only from then on.
struct Options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free one
  App app = App::demo;
  std::string root;                       ///< folder behind /files/; empty: none
  LogLevel log = LogLevel::off;           ///< what goes to stderr, apart from errors
  std::string trace;                      ///< file or FIFO for events as JSON; empty: none
  std::string gates;                      ///< folder of the FIFOs behind /gate; empty: none
  std::chrono::milliseconds grace{5000};  ///< for requests that run when the server is told to stop
  int accept_length = 1024;               ///< the listener's backlog
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

/// What tells one stage's command line from another's. An option that a stage does not have is
/// unknown there, which is better than one that does nothing.
struct StageFeatures {
  std::string_view name;  ///< of the program, as "01-blocking"
  /// Default of --idle-timeout, and why it is not that of the others (for --help).
  std::chrono::milliseconds idle_timeout = Limits{}.idle_timeout;
  std::string_view idle_timeout_reason = {};
  bool accept_length = true;
  bool reuse_addr = true;
  bool reuse_port = false;
  bool max_connections = false;
  bool stack_size = false;
  bool workers = false;  ///< and workers_max and queue
  bool executor = false;
  bool concurrency = false;
  bool resolution = false;
};

/// What a command line asks for.
struct ParsedOptions {
  enum Kind : std::uint8_t {
    serve,  ///< start the server with `options`
    show,   ///< print `text` to stdout (--help, --version) and exit with 0
    wrong,  ///< print `text`, one line, to stderr and exit with 2
  };
  Kind kind = serve;
  Options options{};
  std::string text{};  ///< ends with a newline
};

/// Reads the command line, and the file that --config names; the command line wins. Prints nothing
/// and ends nothing: that is main()'s to do.
ParsedOptions parse_options(int argc, const char* const* argv, const StageFeatures& features);

}  // namespace stagecraft
