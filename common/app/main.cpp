// The one main() of all stages. Each is compiled with it, and brings its own "server.h" and
// "known_options.h".

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "app/command_line.h"
#include "app/demo.h"
#include "app/echo.h"
#include "app/files.h"
#include "app/guestbook.h"
#include "app/inherited_socket.h"
#include "app/metrics.h"
#include "app/signals.h"
#include "app/telemetry.h"
#include "app/traced_handlers.h"
#include "base/log.h"
#include "known_options.h"
#include "server.h"

namespace stagecraft {

namespace {

constexpr int exit_failure = 1;
constexpr int exit_wrong_options = 2;

// Tells on stdout that clients are accepted now. Who has started us may be waiting for the line.
void announce(const std::string& address) {
  std::printf("listening on http://%s\n", address.c_str());
  std::fflush(stdout);
}

Router routes_of(const ProgramOptions& options, const Metrics& metrics) {
  switch (options.app) {
    case App::demo:
      break;
    case App::echo:
      return echo_routes();
    case App::files:
      return file_routes(options);
    case App::guestbook:
      return guestbook_routes();
  }
  return demo_routes(features.name, options, metrics);
}

// As many descriptors as may be had without asking anybody. The limit that a shell sets is meant
// for programs that would break with more (man 2 select), and one for each client is soon too few.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Serves until a signal says otherwise.
void serve(ProgramOptions options) {
  raise_descriptor_limit();
  if (features.inherits_socket) options.listen_descriptor = inherited_socket();
  Logger logger(options.log);
  if (!options.trace.empty()) logger.trace_to(options.trace);
  Termination termination;  // from here on threads may be started

  Metrics metrics;
  const Router routes = routes_of(options, metrics);
  metrics.name_routes(routes.patterns());
  Telemetry telemetry(logger, metrics);
  telemetry.on_failure([&termination] { termination.request(); });

  Application application = routes.application();
  if (logger.wants_events()) application = trace_handlers(std::move(application), telemetry);
  Server server(options, std::move(application), telemetry);
  server.start();
  announce(server.address());
  termination.wait();
  if (!server.stop(options.grace)) {
    // Its thread cannot be ended, and what it uses must not be destroyed under it.
    logger.error("a handler has not returned in time; ending without it");
    std::_Exit(termination.requested() ? exit_failure : EXIT_SUCCESS);
  }
  server.join();  // throws what the server has failed by, if it has
}

int run_program(int argc, const char* const* argv) {
  const ParsedOptions parsed = parse_options(argc, argv, features);
  switch (parsed.kind) {
    case ParsedOptions::show:
      std::fputs(parsed.text.c_str(), stdout);
      return EXIT_SUCCESS;
    case ParsedOptions::wrong:
      std::fputs(parsed.text.c_str(), stderr);
      return exit_wrong_options;
    case ParsedOptions::serve:
      serve(parsed.options);
      break;
  }
  return EXIT_SUCCESS;
}

}  // namespace

}  // namespace stagecraft

int main(int argc, char** argv) {
  try {
    return stagecraft::run_program(argc, argv);
  } catch (const std::exception& failure) {
    // What keeps a program from starting (an address in use, a folder that is not there), or has
    // kept it from going on.
    std::fprintf(stderr, "%s: %s\n", stagecraft::features.name.data(), failure.what());
    return stagecraft::exit_failure;
  }
}
