#include "connection.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

using namespace std::chrono_literals;

namespace {

// What a connection between two requests is granted when the server stops: long enough for a
// request that is on its way already.
constexpr auto idle_moment = 1s;

// So many bytes are sent at one turn: a client that reads as fast as we send could otherwise keep
// the loop to itself for as long as its answer is.
constexpr std::size_t max_sent = 256 * KiB;

std::int64_t unix_time_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

Connection::Connection(EventLoop& loop, Workspace& workspace, Accepted& client, std::uint64_t id)
    : loop_(loop),
      socket_(std::move(client.socket)),
      session_(loop.options().limits, workspace, loop.mailbox(), info_),
      clock_(loop.now()) {
  info_.id = id;
  info_.remote_address = std::move(client.remote_address);
  info_.local_address = socket_.local_address();
  info_.accepted_us = unix_time_us();
  socket_.set_no_delay();
}

void Connection::ready(Readiness readiness) {
  loop_.role().assert_held();
  if (retired_) return;
  if (!waiting_) return advance(readiness);
  if (readiness.broken) {
    // Nobody will read the answer. Out of the interest set with it, or we would be told again and
    // again until the answer is made.
    session_.reset_by_peer();
    advance({});
  } else {
    // The next request, or the end of the input: not now. Left alone it would be reported at every
    // turn.
    wait_for(Interest::none);
  }
}

void Connection::expired() {
  loop_.role().assert_held();
  session_.expired();
  advance({});
}

void Connection::deliver(Deferred& letter) {
  loop_.role().assert_held();
  if (session_.answer(letter)) advance({});
}

void Connection::drain() {
  loop_.role().assert_held();
  wait_for(interest_);
}

void Connection::cut_off() {
  loop_.role().assert_held();
  session_.reset_by_peer();
  advance({});
}

/// Does what can be done without waiting. Called whenever there is news.
void Connection::advance(Readiness readiness) {
  // One receive for each time that the socket is ready: a second one would, nearly always, only
  // learn that nothing is there.
  bool readable = readiness.readable || readiness.broken;
  waiting_ = false;
  std::size_t sent = 0;
  for (;;) {
    switch (session_.next()) {
      case Step::receive:
        if (!readable) return wait_for(Interest::readable);
        readable = false;
        receive();
        break;
      case Step::handle:
        run(session_.route().handle, session_.request(), session_.response());
        session_.handled();
        break;
      case Step::wait:
        waiting_ = true;
        return wait_for(interest_);
      case Step::send:
        // Once the bytes of this turn are used up: it is writable, so the next turn comes soon.
        if (sent >= max_sent || !send(sent)) return wait_for(Interest::writable);
        break;
      case Step::shut_down:
        socket_.shut_down_write();
        session_.shut_down_done();
        break;
      case Step::reset:
        loop_.unwatch(*this);
        socket_.close_with_reset();
        retired_ = true;
        return loop_.retire(*this);
      case Step::close:
        loop_.unwatch(*this);
        retired_ = true;
        return loop_.retire(*this);
    }
  }
}

void Connection::receive() {
  const Io io = socket_.recv(session_.read_buffer());
  switch (io.kind) {
    case Io::bytes:
      session_.received(io.n);
      return loop_.telemetry().received(info_, io.n, session_.request_bytes());
    case Io::would_block:
      return;  // it was ready, and is not: then we wait
    case Io::closed:
      loop_.telemetry().received_end(info_);
      return session_.received_end();
    case Io::error:
      loop_.telemetry().receive_failed(info_, io.error_number);
      return session_.reset_by_peer();
  }
}

/// Adds to `sent`. False: the kernel takes no more for now.
bool Connection::send(std::size_t& sent) {
  const Io io = socket_.send(session_.output());
  switch (io.kind) {
    case Io::bytes:
      loop_.telemetry().sent(info_, io.n);
      session_.sent(io.n);
      sent += io.n;
      return true;
    case Io::would_block:
      return false;
    case Io::closed:
    case Io::error:
      loop_.telemetry().send_failed(info_, io.error_number);
      session_.reset_by_peer();
      return true;
  }
  return true;
}

/// Back to the loop until there is news. The interest is changed only if it is another one: in the
/// long run a client that asks and reads costs no change at all.
void Connection::wait_for(Interest interest) {
  if (interest_ != interest) {
    if (!loop_.watch(*this, interest)) {
      // We would never hear of what we wait for.
      session_.reset_by_peer();
      return advance({});
    }
    interest_ = interest;
  }
  loop_.timers().set(*this, deadline());
}

/// When this connection has waited long enough.
Timed::Clock::time_point Connection::deadline() {
  auto deadline = clock_.deadline(session_, loop_.options().limits, loop_.now());
  if (loop_.draining()) {
    // After the grace the loop cuts off who is left: there is nothing more to wait for.
    if (loop_.now() >= loop_.drain_until()) return SessionClock::never;
    deadline = std::min(deadline, loop_.drain_until());
    if (session_.idle()) deadline = std::min(deadline, loop_.drain_began() + idle_moment);
  }
  return deadline;
}

}  // namespace stagecraft
