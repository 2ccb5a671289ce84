// The command line of a server program, and its configuration file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/log.h"
#include "base/options.h"
#include "web/forwarded.h"
#include "web/static_files.h"

namespace stagecraft {

/// What the program serves.
enum class App : std::uint8_t {
  demo,       ///< the demo application, with its page at /
  echo,       ///< answers every path; for probes and conformance suites
  files,      ///< the files of `root` at /
  guestbook,  ///< a small real application: log in, write, upload
};

/// Everything that can be set when a server program is started: the server's options, and what the
/// program serves and says. Read-only from then on.
struct ProgramOptions : Options {
  App app = App::demo;
  std::string root;  ///< folder behind /files/, or behind / of App::files; empty: none
  Listing listing = Listing::off;
  TrustedProxies proxies;        ///< who may say for whom he asks
  LogLevel log = LogLevel::off;  ///< what goes to stderr, apart from errors
  std::string trace;             ///< file or FIFO for events as JSON; empty: none
  std::string gates;             ///< folder of the FIFOs behind /gate; empty: none
};

/// What tells one stage's command line from another's. An option that a stage does not have is
/// unknown there, which is better than one that does nothing.
struct StageFeatures {
  std::string_view name;  ///< of the program, as "01-blocking"
  /// Default of --idle-timeout, and why it is not that of the others (for --help).
  std::chrono::milliseconds idle_timeout = Limits{}.idle_timeout;
  std::string_view idle_timeout_reason = {};
  /// Takes a socket that a service manager has opened. Not where stopping shuts the socket down,
  /// and not only our hold on it: the next server would find it dead.
  bool inherits_socket = false;
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
  ProgramOptions options{};
  std::string text{};  ///< ends with a newline
};

/// Reads the command line, and the file that --config names; the command line wins. Prints nothing
/// and ends nothing: that is main()'s to do.
ParsedOptions parse_options(int argc, const char* const* argv, const StageFeatures& features);

}  // namespace stagecraft
