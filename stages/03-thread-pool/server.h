// A server whose clients take turns with a bounded number of threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "app/telemetry.h"
#include "app/thread.h"
#include "base/options.h"
#include "base/thread_annotations.h"
#include "http/application.h"
#include "http/workspace.h"
#include "net/listener.h"
#include "net/socket.h"
#include "thread_pool.h"

namespace stagecraft {

/// Serves an application at one address. start(), stop() and join() are for one thread, which is
/// none of the server's own.
class Server {
 public:
  /// `telemetry` is kept by reference and must outlive the server.
  Server(const Options& options, Application application, Telemetry& telemetry);
  /// Tells nobody of anything but errors, which go to stderr.
  Server(const Options& options, Application application);
  /// Ends what still runs, without grace, and waits for it.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens, and serves from now on. Throws std::system_error that names what failed.
  void start();

  /// Where it listens, as "127.0.0.1:8080"; from start() to join().
  const std::string& address() const { return listener_->address(); }
  std::uint16_t port() const { return listener_->port(); }

  /// Stops. Who has connected by now is still answered, and told that the connection closes, until
  /// `grace` is over; what is left then is cut off. Returns when all is done. False: it is not,
  /// because a handler still runs, and nobody but itself can end it.
  bool stop(std::chrono::milliseconds grace);

  /// Any thread, at any time. Who begins to ask from now on is served by `application`; requests
  /// that have begun keep the one before, and it goes with the last of them. A thread that waits
  /// for its client keeps it until it hears from one.
  void replace(Application application);

  /// Waits until the server's threads have ended; the port is free then. After stop().
  void join();

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection;
  using Connections = std::list<Connection>;

  // On the thread that accepts.
  void accept_loop();
  std::optional<Accepted> next_client();
  void admit(Accepted& client);
  bool start_serving(Connections& newcomer);
  void refuse(Connection& connection);
  void wait_for_connections();

  // On the thread that has the connection.
  void serve(Connection& connection);
  void leave(Connection& connection);
  bool serve_batch(Connection& connection);
  void receive(Connection& connection);
  void send(Connection& connection);
  Clock::time_point deadline(Connection& connection) const;

  // On any thread.
  bool draining() const { return drain_until_.load() != Clock::time_point::max(); }
  bool wait_for_end(Clock::time_point deadline);

  const Options options_;
  const std::unique_ptr<Telemetry> own_telemetry_;  // of a server that was given none
  Telemetry& telemetry_;
  Workspace::Common common_;
  std::optional<Listener> listener_;
  std::uint64_t last_connection_ = 0;  // its id
  std::deque<Socket> refused_;         // half-closed, for a while
  std::optional<ThreadPool> pool_;
  Thread thread_;

  /// Until when stop() lets clients ask that have not begun to, and until when it lets answers be
  /// made: its grace. max() as long as nobody has called it.
  std::atomic<Clock::time_point> idle_until_{Clock::time_point::max()};
  std::atomic<Clock::time_point> drain_until_{Clock::time_point::max()};

  // What stop() may know of the connections, and end. It shuts sockets down and never closes one:
  // that is for the thread that has the connection, after it has taken it out of here. So stop()
  // cannot hit a descriptor whose number has meanwhile gone to something else.
  Mutex mutex_;
  ConditionVariable ended_changed_, connections_changed_;
  bool waiting_for_client_ GUARDED_BY(mutex_) = false;
  Connections connections_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = true;
};

}  // namespace stagecraft
