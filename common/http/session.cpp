// Session, first part: the steps.

#include "http/session.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "http/exchange.h"
#include "http/response_renderer.h"

namespace stagecraft {

std::chrono::milliseconds length(Timer timer, const Limits& limits) {
  switch (timer) {
    case Timer::idle:
      return limits.idle_timeout;
    case Timer::head:
      return limits.head_timeout;
    case Timer::body:
      return limits.body_timeout;
    case Timer::answer:
      return limits.answer_timeout;
    case Timer::send:
      return limits.send_timeout;
    case Timer::linger:
      return limits.linger_timeout;
  }
  return {};
}

Session::Session(const Limits& limits, Workspace& workspace, std::shared_ptr<Postbox> postbox,
                 ConnectionInfo& connection)
    : limits_(limits),
      workspace_(workspace),
      postbox_(std::move(postbox)),
      connection_(connection) {}

Session::~Session() {
  assert(!has(lent));
  abandon();
  release();
}

Step Session::next() noexcept {
  try {
    // Most phases either say a step or lead to another phase at once.
    for (;;) {
      if (const std::optional<Step> step = advance()) return *step;
    }
  } catch (...) {  // no memory
    fail();
    return has(lent) ? Step::wait : Step::reset;
  }
}

std::optional<Step> Session::advance() {
  switch (phase_) {
    case Phase::head:
      return read_head();
    case Phase::body:
      return read_body();
    case Phase::discard:
      return discard_body();
    case Phase::handling:
      return handle();
    case Phase::waiting:
      return output_pending() ? step_send() : step_wait();
    case Phase::stream:
      return send_stream();
    case Phase::raw:
      return carry_raw();
    case Phase::finish:
      return finish();
    case Phase::shut_down:
      return Step::shut_down;
    case Phase::linger:
      return step_receive(Timer::linger);
    case Phase::closed:
      return has(broken) ? Step::reset : Step::close;
  }
  return Step::close;
}

void Session::arm(Timer timer) {
  if (timer_ != timer) restart(timer);
}

// Also where the same timer runs already, for the request before.
void Session::restart(Timer timer) {
  timer_ = timer;
  ++restarts_;
}

Step Session::step_receive(Timer timer) {
  arm(timer);
  return Step::receive;
}

Step Session::step_send() {
  if (timer_ != Timer::send) request_.exchange_->since_restart = 0;
  arm(Timer::send);
  return Step::send;
}

Step Session::step_wait() {
  arm(Timer::answer);
  return Step::wait;
}

std::optional<Step> Session::read_head() {
  if (request_.exchange_ != nullptr) {
    // What is gathered leaves before the next request is looked at, if it is much, or if it ends in
    // a body that is not among it.
    Exchange& exchange = *request_.exchange_;
    if (exchange.output.size() >= limits_.max_output || by_reference_pending()) return step_send();
    switch (exchange.parser.parse(exchange.input.data(), exchange.input.size())) {
      case Progress::complete:
        begin_request();
        return std::nullopt;
      case Progress::failed:
        refuse(exchange.parser.error(), exchange.parser.reason());
        return std::nullopt;
      case Progress::incomplete:
        break;
    }
    if (output_pending()) return step_send();
    if (has(input_ended) && exchange.parser.started()) {
      refuse(Status::bad_request, "the request ended before its head was whole");
      return std::nullopt;
    }
    if (exchange.parser.started()) return step_receive(Timer::head);
    if (exchange.input.empty()) release();  // idle: holds nothing
  }
  if (has(input_ended)) {
    end(Ending::close);
    return std::nullopt;
  }
  return step_receive(Timer::idle);
}

std::optional<Step> Session::read_body() {
  switch (feed_body()) {
    case Fed::whole:
      hand_over();
      return std::nullopt;
    case Fed::refused:
      return std::nullopt;
    case Fed::more:
      break;
  }
  if (has(input_ended)) {
    refuse(Status::bad_request, "the body ended before it was whole");
    return std::nullopt;
  }
  return output_pending() ? step_send() : step_receive(Timer::body);
}

// The answer is given, its body still comes: it is thrown away, so that the next request can be
// found. answer_with() saw to it that it has a length, and not a large one.
std::optional<Step> Session::discard_body() {
  Exchange& exchange = *request_.exchange_;
  const std::size_t there = exchange.input.size() - exchange.unread;
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(there, exchange.body_left));
  exchange.input.erase(exchange.unread, taken);
  exchange.body_left -= taken;
  if (exchange.body_left == 0) {
    end_request();
    return std::nullopt;
  }
  if (output_pending()) return step_send();
  if (has(input_ended)) {
    end(Ending::close);
    return std::nullopt;
  }
  return step_receive(Timer::body);
}

std::optional<Step> Session::handle() {
  if (has(overtaken)) {  // lent, and answered without the handler or given up: until it returns
    return output_pending() && !has(broken) ? step_send() : step_wait();
  }
  const bool full = request_.exchange_->output.size() >= limits_.max_output;
  if (!has(lent) && output_pending() && (full || has(postponed))) return step_send();
  clear(postponed);
  if (!has(lent)) {
    set(lent);
    Exchange& exchange = *request_.exchange_;
    exchange.deferral = {{connection_.id, request_number_}, &postbox_};
    exchange.response.deferral_ = &exchange.deferral;
    restart(Timer::answer);
  }
  return Step::handle;
}

std::optional<Step> Session::send_stream() {
  Exchange& exchange = *request_.exchange_;
  constexpr std::size_t piece = 16 * KiB;
  while (exchange.flow == Flow::more && exchange.output.size() < limits_.max_output) {
    ResponseRenderer::pull(exchange, piece);
  }
  if (source_over()) return std::nullopt;
  return output_pending() ? step_send() : step_wait();
}

// Whether an answer's source has said its last; then the answer is over, well or badly.
bool Session::source_over() {
  switch (request_.exchange_->flow) {
    case Flow::more:
    case Flow::later:
      return false;
    case Flow::end:
      end_answer();
      return true;
    case Flow::failed:
      tell(SessionEvent::response_ready_error, 0);
      end(Ending::reset);
      return true;
  }
  return false;
}

std::optional<Step> Session::carry_raw() {
  Exchange& exchange = *request_.exchange_;
  if (output_pending()) return step_send();
  if (!exchange.input.empty()) {
    const std::size_t size = exchange.input.size();
    const Status status = exchange.raw_stream->write({exchange.input.data(), size});
    exchange.input.consume(size);
    exchange.flow = status == Status::ok ? Flow::more : Flow::end;
    restart(Timer::idle);
  }
  constexpr std::size_t piece = 16 * KiB;
  if (exchange.flow == Flow::more) ResponseRenderer::pull(exchange, piece);
  if (output_pending() || exchange.flow == Flow::more || source_over()) return std::nullopt;
  if (!has(input_ended)) return step_receive(Timer::idle);
  if (exchange.raw_stream != nullptr) {
    exchange.flow = std::exchange(exchange.raw_stream, nullptr)->input_ended();
    return std::nullopt;
  }
  arm(Timer::idle);  // for what it has promised to say yet
  return Step::wait;
}

// The last answer is given. A client that still sends must be let to: closing with unread input
// resets the connection, and the reset may destroy the answer on its way (RFC 9112 section 9.6).
std::optional<Step> Session::finish() {
  if (output_pending()) return step_send();
  tell(SessionEvent::close_after_response, 0);
  const Exchange& exchange = *request_.exchange_;
  const bool unread = has(body_pending) || exchange.input.size() > exchange.unread;
  if (unread && !has(input_ended)) {
    phase_ = Phase::shut_down;
  } else {
    end(Ending::close);
  }
  return std::nullopt;
}

}  // namespace stagecraft
