// One connection's HTTP, without its I/O.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/limits.h"
#include "http/application.h"
#include "http/request.h"
#include "http/responder.h"
#include "http/response.h"
#include "http/workspace.h"
#include "net/output.h"

namespace stagecraft {

/// What has to happen next on a connection. The enum is the drawing of the state machine:
///
///                          +-----------------------------------------------+
///                          v                                               |
///     accept --> receive --+--> handle --+--> send --> receive (kept) -----+
///                  ^   |         |  ^    ^      |
///                  +---+         v  |    |      +--> shut_down --> receive (and discard) --> close
///               not whole yet    wait ---+      |
///                              (deferred)       +--> close
///     reset may come instead of anything.
enum class Step : std::uint8_t {
  receive,    ///< read into read_buffer(), then received(), received_end() or reset_by_peer()
  handle,     ///< run the route's handler on request() and response(), then handled()
  wait,       ///< a deferred answer is outstanding: nothing to do until answer() or expired()
  send,       ///< send output(), then sent()
  shut_down,  ///< shutdown(SHUT_WR), then shut_down_done()
  close,      ///< close the connection
  reset       ///< close it so that the client sees a reset: what it got must not look complete
};

/// Which of the timers runs; exactly one does. Their lengths are in Limits; 0 is off.
enum class Timer : std::uint8_t { idle, head, body, answer, send, linger };

/// The length that Limits gives to a timer.
std::chrono::milliseconds length(Timer timer, const Limits& limits);

/// One connection's HTTP: bytes in, bytes out. It reads no socket, starts no thread, knows no
/// clock: next() says what has to happen, the stage does it and says what came of it.
///
/// One thread at a time may call it, but for what is lent: between next() == Step::handle and
/// handled(), request() and response() belong to whoever runs the handler, and between output() and
/// sent() the output's memory may be the kernel's. Nothing moves that memory meanwhile.
class Session {
 public:
  /// All but the postbox are kept by reference and must outlive the session.
  Session(const Limits& limits, Workspace& workspace, std::shared_ptr<Postbox> postbox,
          ConnectionInfo& connection);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What has to happen now. Parses, frames and renders as far as it can; asked again without
  /// anything having happened it says the same. It prefers handling to sending and sending to
  /// receiving until the gathered output reaches Limits::max_output, so a batch of pipelined
  /// requests leaves in one send. An allocation that fails in here ends this connection alone.
  Step next() noexcept;

  /// Which timer runs, as of the last next().
  Timer timer() const { return timer_; }
  /// A changed count: start that timer anew.
  std::uint32_t restarts() const { return restarts_; }
  /// Between requests, no byte of the next one there: holds no buffer. A server that stops may
  /// close it.
  bool idle() const;
  /// How much is there of what the client asks: what has been received and not answered.
  std::uint64_t request_bytes() const;

  // Step::receive
  /// Where to receive; never empty. Valid until received() or the next call of next().
  std::span<char> read_buffer() noexcept;
  void received(std::size_t bytes);
  /// The client has sent all it will (recv(2) returned 0). What it sent whole is still answered.
  void received_end();

  // Step::handle
  const Route& route() const;
  const Request& request() const { return request_; }
  Response& response();
  /// Asks to send first what is gathered, for a handler that may take long. False: there is
  /// nothing.
  bool postpone();
  /// The handler has returned: its Response is rendered now, on this thread.
  void handled() noexcept;

  // Step::wait
  /// A letter from the postbox. False: stale, and dropped.
  bool answer(Deferred& letter) noexcept;

  // Step::send
  /// What to send. The memory stays in place until sent() says otherwise.
  Output output();
  void sent(std::size_t bytes);

  // Step::shut_down
  void shut_down_done();

  // At any time, even while lent.
  /// The running timer is up.
  void expired() noexcept;
  /// The connection is of no use any more: nothing more is sent.
  void reset_by_peer() noexcept;

 private:
  enum class Phase : std::uint8_t {
    head,       // a request line and its fields are awaited or arriving
    body,       // its body is
    discard,    // the answer is given; its unread body is read and thrown away
    handling,   // whole; the handler has it, or is about to
    waiting,    // for a deferred answer
    stream,     // an answer's body is being pulled from its source
    raw,        // taken over
    finish,     // the last answer is on its way out
    shut_down,  // all is sent, but input is unread: half-close first
    linger,     // half-closed: discard until the client closes too
    closed
  };
  enum Flag : std::uint16_t {
    input_ended = 1,     // the client has half-closed
    keep = 2,            // the connection goes on after this answer
    lent = 4,            // a handler has request and response
    overtaken = 8,       // the answer was given, or lost its reader, while lent: handled() drops it
    broken = 16,         // end by reset, not by close
    postponed = 32,      // send before handling
    pipelined = 64,      // this request was there when the one before was answered
    body_pending = 128,  // not all of this request's body has been read
    unsent = 256         // an answer is whole, and not all of it has been sent
  };

  enum class Ending : std::uint8_t { close, reset };
  enum class Fed : std::uint8_t { more, whole, refused };

  // session.cpp: the steps. No step: the phase has changed, ask that one.
  std::optional<Step> advance();
  std::optional<Step> read_head();
  std::optional<Step> read_body();
  std::optional<Step> discard_body();
  std::optional<Step> handle();
  std::optional<Step> send_stream();
  bool source_over();
  std::optional<Step> carry_raw();
  std::optional<Step> finish();
  Step step_receive(Timer timer);
  Step step_send();
  Step step_wait();
  void arm(Timer timer);
  void restart(Timer timer);

  // session_body.cpp: from a head to a whole request
  void begin_request();
  void admit_body();
  void hand_over();
  Fed feed_body();
  Fed take_body();
  Fed take_piece(std::string_view piece);
  bool count_gathered();
  void refuse(Status status, std::string_view detail);
  void application_failed();

  // session_output.cpp: from a Response to bytes
  void answer_with(Response& response);
  void word_problem(Response& response) const;
  void let_finish(Response& response);
  void answer_and_close(Status status, std::string_view detail);
  void report_head(std::size_t begin) const;
  void report_answer();
  void report_sent(std::size_t bytes);
  void end_answer();
  void end_request();
  void forget_body();
  bool output_pending() const;
  bool by_reference_pending() const;
  void count_for_timer(std::size_t bytes);
  void abandon() noexcept;
  void release() noexcept;
  void leave_application() noexcept;

  // session_events.cpp: what the stage tells
  bool receives_into_body() const;
  void answer_expired();
  void end(Ending ending) noexcept;
  void fail() noexcept;
  // Here, so that what nobody wants to hear costs a comparison.
  void tell(SessionEvent event, std::uint64_t bytes) const {
    const Observer* observer = workspace_.observer_;
    if (observer != nullptr && observer->wants(event)) {
      workspace_.observer_->event(event, connection_, bytes);
    }
  }

  bool has(Flag flag) const { return (flags_ & flag) != 0; }
  void set(Flag flag) { flags_ = static_cast<std::uint16_t>(flags_ | flag); }
  void clear(Flag flag) { flags_ = static_cast<std::uint16_t>(flags_ & ~flag); }

  const Limits& limits_;
  Workspace& workspace_;
  std::shared_ptr<Postbox> postbox_;
  ConnectionInfo& connection_;
  Request request_;  // its only member: the Exchange, borrowed while a request is in flight
  std::uint32_t restarts_ = 0;
  std::uint32_t request_number_ = 0;
  std::uint16_t flags_ = 0;
  Phase phase_ = Phase::head;
  Timer timer_ = Timer::idle;
};

// Ten thousand idle connections begin here: what is needed only while a request is in flight is
// borrowed.
static_assert(sizeof(Session) <= 72);

}  // namespace stagecraft
