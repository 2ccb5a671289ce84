// A server of one thread, which serves all its clients at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "app/telemetry.h"
#include "app/thread.h"
#include "base/options.h"
#include "base/thread_annotations.h"
#include "event_loop.h"
#include "http/application.h"
#include "http/workspace.h"

namespace stagecraft {

/// Serves an application on one address. start(), stop() and join() are for one thread, and not one
/// of the server's own.
class Server {
 public:
  /// `telemetry` is kept by reference and must outlive the server.
  Server(const Options& options, Application application, Telemetry& telemetry);
  /// Tells nobody of anything but errors, which go to stderr.
  Server(const Options& options, Application application);
  /// Ends what still runs, without any grace, and waits for it.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens, and serves from now on. Throws std::system_error that names what failed.
  void start();

  /// Where it listens, "127.0.0.1:8080". After start().
  const std::string& address() const { return address_; }
  std::uint16_t port() const { return port_; }

  /// Stops: whoever has connected by now is still answered, for `grace` at most, and told that the
  /// connection closes; what is left then is cut off. Returns when all is done, or the grace over.
  /// False: a handler still runs, which nothing can end but itself.
  bool stop(std::chrono::milliseconds grace);

  /// Any thread, at any time. Who begins to ask from now on is served by `application`; requests
  /// that have begun keep the one before, and it goes with the last of them.
  void replace(Application application);

  /// Waits until the server's thread has ended; the port is free then. After stop(), or when the
  /// server has failed: then throws what ended its loop.
  void join();

 private:
  using Clock = std::chrono::steady_clock;

  void run_loop();
  bool wait_for_end(Clock::time_point deadline);

  const Options options_;
  const std::unique_ptr<Telemetry> own_telemetry_;  // of a server that was given none
  Telemetry& telemetry_;
  Workspace::Common common_;
  std::string address_;
  std::uint16_t port_ = 0;
  std::optional<EventLoop> loop_;  // made and unmade under mutex_: replace() may look for it
  Thread thread_;

  Mutex mutex_;
  ConditionVariable ended_changed_;
  bool ended_ GUARDED_BY(mutex_) = true;
  std::exception_ptr failure_ GUARDED_BY(mutex_);  // of the loop, for join() to tell
};

}  // namespace stagecraft
