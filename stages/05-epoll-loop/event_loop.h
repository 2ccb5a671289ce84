// One thread that serves all clients, none of which it ever waits for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "app/telemetry.h"
#include "base/options.h"
#include "base/thread_annotations.h"
#include "http/workspace.h"
#include "mailbox.h"
#include "net/listener.h"
#include "poller.h"
#include "timers.h"

namespace stagecraft {

class Connection;

/// Waits for whatever happens next (a socket that is ready, a letter, a deadline), does what that
/// allows, and waits again.
///
/// run() is the loop, and the thread that calls it is the loop's thread: it alone touches the
/// interest set, the timers and the connections, which is why none of them needs a lock. Two
/// members are for other threads: stop(), and the mailbox.
class EventLoop {
 public:
  using Clock = Timed::Clock;

  /// Takes the listener; keeps the others by reference. Throws std::system_error.
  EventLoop(const Options& options, Workspace::Common& common, Telemetry& telemetry,
            Listener listener);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Serves until stop() has been called and all clients are gone, or `until` of stop() is over.
  void run();
  /// Any thread. Who has connected by now is still answered, until `until` at the latest.
  void stop(Clock::time_point until);
  /// Any thread. Ends a wait, so that the loop looks around.
  void wake_up() { mailbox_->wake_up(); }

  // For the connections, on the loop's thread.
  /// False: that cannot be had.
  bool watch(Connection& connection, Interest interest) REQUIRES(role_);
  void unwatch(Connection& connection) REQUIRES(role_);
  /// The connection is over. It is destroyed when the batch of events is done with: a later event
  /// of the batch may still name it.
  void retire(Connection& connection) REQUIRES(role_);
  Timers& timers() REQUIRES(role_) { return timers_; }
  const ThreadRole& role() const RETURN_CAPABILITY(role_) { return role_; }
  /// When the current batch of events began: the clock is read once for all of them.
  Clock::time_point now() const { return now_; }
  bool draining() const { return drain_began_ != Clock::time_point::max(); }
  Clock::time_point drain_began() const { return drain_began_; }
  Clock::time_point drain_until() const { return stop_at_.load(); }

  const Options& options() const { return options_; }
  Telemetry& telemetry() { return telemetry_; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

 private:
  // A descriptor that is not a connection's, and what to do when it is ready.
  struct Bell final : Watched {
    Bell(EventLoop& its_loop, void (EventLoop::*what)()) : loop(its_loop), ring(what) {}
    void ready(Readiness /*readiness*/) override { (loop.*ring)(); }
    EventLoop& loop;
    void (EventLoop::*ring)();
  };

  std::optional<std::chrono::milliseconds> time_to_wait() REQUIRES(role_);
  void accept_clients();
  void add(Accepted& client) REQUIRES(role_);
  void pause_accepting(Clock::time_point until) REQUIRES(role_);
  void deliver_letters();
  void expire_timers() REQUIRES(role_);
  void begin_drain() REQUIRES(role_);
  void cut_off_rest() REQUIRES(role_);

  const Options& options_;
  Workspace::Common& common_;
  Telemetry& telemetry_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::atomic<Clock::time_point> stop_at_{Clock::time_point::max()};

  ThreadRole role_;
  Workspace workspace_ GUARDED_BY(role_);
  Poller poller_ GUARDED_BY(role_);
  Timers timers_ GUARDED_BY(role_);
  std::optional<Listener> listener_ GUARDED_BY(role_);
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_ GUARDED_BY(role_);
  std::vector<std::unique_ptr<Connection>> graveyard_ GUARDED_BY(role_);
  std::uint64_t last_connection_ GUARDED_BY(role_) = 0;
  Bell on_client_{*this, &EventLoop::accept_clients};
  Bell on_letter_{*this, &EventLoop::deliver_letters};
  bool out_of_descriptors_ GUARDED_BY(role_) = false;
  Clock::time_point accept_again_ GUARDED_BY(role_) = Clock::time_point::max();
  Clock::time_point now_ = Clock::now();
  Clock::time_point drain_began_ = Clock::time_point::max();
};

}  // namespace stagecraft
