// One client of an event loop.
#pragma once

#include <chrono>
#include <cstdint>

#include "app/session_clock.h"
#include "base/thread_annotations.h"
#include "event_loop.h"
#include "http/request.h"
#include "http/session.h"
#include "net/listener.h"
#include "net/socket.h"
#include "poller.h"
#include "timers.h"

namespace stagecraft {

/// A socket that never makes us wait, its HTTP, and what it waits for. Where a thread that blocks
/// would wait inside of a call, this returns to the loop and is called again when there is news:
///
///                    +------------------------------------------------+
///                    v                                                |
///     accepted -> [receive] --(bytes)--> handle --> send --(all sent)-+
///                  ^     |                  |        |  ^
///          (ready) |     | (nothing there)  |        |  | (ready)
///                  |     v                  |        v  |
///              waits for readable           |    waits for writable   (the kernel took a part)
///                                           v
///                                   waits for a letter --(letter)--> send
///
/// In each of the three waits the timer may run out instead, and in each the client may go away.
/// The loop's thread only.
class Connection final : public Watched, public Timed {
 public:
  /// Throws std::bad_alloc, std::system_error.
  Connection(EventLoop& loop, Workspace& workspace, Accepted& client, std::uint64_t id);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The socket is ready.
  void ready(Readiness readiness) override;
  /// The time is up.
  void expired() override;
  /// An answer that was deferred, or the word that a source has more.
  void deliver(Deferred& letter);
  /// The server stops.
  void drain();
  /// The server has stopped, and this is still there.
  void cut_off();

  const ConnectionInfo& info() const { return info_; }
  int descriptor() const { return socket_.descriptor(); }

 private:
  void advance(Readiness readiness) REQUIRES(loop_.role());
  void receive();
  bool send();
  void wait_for(Interest interest) REQUIRES(loop_.role());
  Clock::time_point deadline();

  EventLoop& loop_;
  Socket socket_;
  ConnectionInfo info_;
  Session session_;

  SessionClock clock_;
  bool waiting_ = false;  // for a letter: what arrives meanwhile must wait
  bool retired_ = false;  // closed, and not yet freed
  Interest interest_ = Interest::readable;
};

}  // namespace stagecraft
