// One thread that serves many clients, none of which it ever waits for.
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
#include "handler_threads.h"
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
/// interest set, the timers and the connections, which is why none of them needs a lock. A client
/// stays with its loop. For other threads there are stop(), load() and the mailbox.
class EventLoop {
 public:
  using Clock = Timed::Clock;

  /// What the loops of a server have in common.
  struct Shared {
    Shared(const Options& its_options, Workspace::Common& its_common, Telemetry& its_telemetry)
        : options(its_options), common(its_common), telemetry(its_telemetry) {}

    const Options& options;
    Workspace::Common& common;
    Telemetry& telemetry;
    HandlerThreads handler_threads{options};
    std::atomic<std::uint64_t> last_connection = 0;  // a number once given is never given again
    std::atomic<std::size_t> connections = 0;
    std::vector<std::unique_ptr<EventLoop>> loops;
  };

  /// Takes the listener, if it gets one; `shared` must outlive the loop. Throws std::system_error.
  EventLoop(Shared& shared, std::uint32_t number, std::optional<Listener> listener);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Serves until stop() has been called and all clients are gone, or `until` of stop() is over.
  void run();
  /// After run() has thrown, on its thread: cuts the clients off, and waits for what workers have.
  void abandon();
  /// Any thread. Who has connected by now is still answered, until `until` at the latest.
  void stop(Clock::time_point until);
  /// Any thread. Ends a wait, so that the loop looks around.
  void wake_up() { mailbox_->wake_up(); }
  /// Any thread. How many clients it has, those included that are on their way to it.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }

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

  std::uint32_t number() const { return number_; }
  const Options& options() const { return shared_.options; }
  Telemetry& telemetry() { return shared_.telemetry; }
  HandlerThreads& handler_threads() { return shared_.handler_threads; }
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
  void place(Accepted& client) REQUIRES(role_);
  void add(Accepted& client) REQUIRES(role_);
  void add_sent_clients() REQUIRES(role_);
  void pause_accepting(Clock::time_point until) REQUIRES(role_);
  void deliver_letters();
  void expire_timers() REQUIRES(role_);
  void begin_drain() REQUIRES(role_);
  void cut_off_rest() REQUIRES(role_);

  Shared& shared_;
  const std::uint32_t number_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::atomic<Clock::time_point> stop_at_{Clock::time_point::max()};
  std::atomic<std::size_t> load_ = 0;

  ThreadRole role_;
  Workspace workspace_ GUARDED_BY(role_);
  Poller poller_ GUARDED_BY(role_);
  Timers timers_ GUARDED_BY(role_);
  std::optional<Listener> listener_ GUARDED_BY(role_);
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_ GUARDED_BY(role_);
  std::vector<std::unique_ptr<Connection>> graveyard_ GUARDED_BY(role_);
  Bell on_client_{*this, &EventLoop::accept_clients};
  Bell on_letter_{*this, &EventLoop::deliver_letters};
  std::size_t accepted_ GUARDED_BY(role_) = 0;
  bool out_of_descriptors_ GUARDED_BY(role_) = false;
  Clock::time_point accept_again_ GUARDED_BY(role_) = Clock::time_point::max();
  Clock::time_point now_ = Clock::now();
  Clock::time_point drain_began_ = Clock::time_point::max();
};

}  // namespace stagecraft
