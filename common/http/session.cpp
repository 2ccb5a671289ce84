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

std::string_view name(SessionEvent event) {
  switch (event) {
    case SessionEvent::read_request:
      return "read_request";
    case SessionEvent::pipeline_request:
      return "pipeline_request";
    case SessionEvent::exceed_request_max_close:
      return "exceed_request_max_close";
    case SessionEvent::request_timeout:
      return "request_timeout";
    case SessionEvent::response_ready:
      return "response_ready";
    case SessionEvent::close_after_response:
      return "close_after_response";
  }
  return "?";
}

Session::Session(const Limits& limits, const Application& application, Workspace& workspace,
                 std::shared_ptr<Postbox> postbox, ConnectionInfo& connection)
    : limits_(limits),
      application_(application),
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
  if (timer_ == timer) return;
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
  const std::size_t taken =
      static_cast<std::size_t>(std::min<std::uint64_t>(there, exchange.body_left));
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
    return output_pending() && !has(broken) ? step_send() : Step::wait;
  }
  const bool full = request_.exchange_->output.size() >= limits_.max_output;
  if (!has(lent) && output_pending() && (full || has(postponed))) return step_send();
  clear(postponed);
  if (!has(lent)) {
    set(lent);
    Exchange& exchange = *request_.exchange_;
    exchange.deferral = {{connection_.id, request_number_}, &postbox_};
    exchange.response.deferral_ = &exchange.deferral;
    arm(Timer::answer);
  }
  return Step::handle;
}

std::optional<Step> Session::send_stream() {
  Exchange& exchange = *request_.exchange_;
  constexpr std::size_t piece = 16 * KiB;
  while (exchange.flow == Flow::more && exchange.output.size() < limits_.max_output) {
    ResponseRenderer::pull(exchange, piece);
  }
  if (exchange.flow == Flow::failed) {
    end(Ending::reset);
    return std::nullopt;
  }
  if (exchange.flow == Flow::end) {
    end_answer();
    return std::nullopt;
  }
  return output_pending() ? step_send() : step_wait();
}

std::optional<Step> Session::carry_raw() {
  Exchange& exchange = *request_.exchange_;
  if (output_pending()) return step_send();
  if (!exchange.input.empty()) {
    const std::size_t size = exchange.input.size();
    const Status status = exchange.raw_sink->write({exchange.input.data(), size});
    exchange.input.consume(size);
    exchange.flow = status == Status::ok ? Flow::more : Flow::end;
  }
  constexpr std::size_t piece = 16 * KiB;
  if (exchange.flow == Flow::more) ResponseRenderer::pull(exchange, piece);
  if (output_pending()) return std::nullopt;
  if (exchange.flow == Flow::more) return std::nullopt;
  if (exchange.flow == Flow::failed) {
    end(Ending::reset);
    return std::nullopt;
  }
  if (exchange.flow == Flow::end || has(input_ended)) {
    end_answer();
    return std::nullopt;
  }
  return step_receive(Timer::idle);
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

bool Session::idle() const {
  const Exchange* exchange = request_.exchange_;
  return phase_ == Phase::head &&
         (exchange == nullptr || (exchange->input.empty() && !output_pending()));
}

std::span<char> Session::read_buffer() noexcept {
  try {
    if (request_.exchange_ == nullptr) {
      request_.exchange_ = workspace_.borrow();
      request_.exchange_->connection = &connection_;
    }
    Exchange& exchange = *request_.exchange_;
    if (receives_into_body()) {
      const std::size_t most = static_cast<std::size_t>(
          std::min<std::uint64_t>(exchange.body_left, limits_.read_buffer_size));
      exchange.body.reserve(most);
      return exchange.body.room().first(most);
    }
    // Moved or enlarged only when little room is left, so that an ordinary request moves nothing.
    constexpr std::size_t little = 1 * KiB;
    if (exchange.input.room().size() < little) exchange.input.reserve(limits_.read_buffer_size);
    const std::span<char> room = exchange.input.room();
    return room.first(std::min(room.size(), limits_.read_buffer_size));
  } catch (...) {  // no memory: the connection ends, and what is received meanwhile is dropped
    fail();
    return workspace_.scrap();
  }
}

// A body of known length, to be gathered, of which much is missing: it goes where it belongs
// without passing through the input.
bool Session::receives_into_body() const {
  constexpr std::uint64_t much = 16 * KiB;
  const Exchange& exchange = *request_.exchange_;
  return phase_ == Phase::body && exchange.parser.head().framing == Framing::length &&
         exchange.sink == nullptr && exchange.body_left >= much;
}

void Session::received(std::size_t bytes) {
  if (phase_ == Phase::closed) return;
  Exchange& exchange = *request_.exchange_;
  if (phase_ == Phase::linger) {
    exchange.since_restart += bytes;
    if (exchange.since_restart > limits_.max_linger) end(Ending::close);
  } else if (receives_into_body()) {
    exchange.body.commit(bytes);
    exchange.body_left -= bytes;
    exchange.body_bytes += bytes;
    count_gathered(bytes);
    count_for_timer(bytes);
  } else {
    exchange.input.commit(bytes);
  }
}

void Session::received_end() {
  set(input_ended);
  if (phase_ == Phase::linger) end(Ending::close);
}

const Route& Session::route() const { return *request_.exchange_->route; }

Response& Session::response() { return request_.exchange_->response; }

bool Session::postpone() {
  if (!output_pending()) return false;
  clear(lent);
  set(postponed);
  return true;
}

void Session::handled() noexcept {
  clear(lent);
  Exchange& exchange = *request_.exchange_;
  exchange.response.deferral_ = nullptr;
  if (has(overtaken)) {
    clear(overtaken);
    if (exchange.response.deferred_) exchange.response.deferred_->abandoned = true;
    exchange.response.reset();
    if (has(broken)) return end(Ending::reset);
    phase_ = Phase::finish;
    return;
  }
  if (exchange.response.deferred_) {
    exchange.deferred = std::move(exchange.response.deferred_);
    exchange.response.reset();
    phase_ = Phase::waiting;
    return;
  }
  try {
    answer_with(exchange.response);
  } catch (...) {
    fail();
  }
}

bool Session::answer(Deferred& letter) noexcept {
  letter.posted.store(false, std::memory_order_release);
  const bool mine =
      letter.ticket.connection == connection_.id && letter.ticket.request == request_number_;
  if (!mine) return false;
  Exchange* exchange = request_.exchange_;
  if (letter.kind == Deferred::Kind::resume) {
    const bool waited =
        (phase_ == Phase::stream || phase_ == Phase::raw) && exchange->flow == Flow::later;
    if (waited) exchange->flow = Flow::more;
    return waited;
  }
  if (phase_ != Phase::waiting) return false;
  exchange->deferred.reset();
  exchange->resume = std::move(letter.resume);
  try {
    answer_with(letter.response);
  } catch (...) {
    fail();
  }
  return true;
}

void Session::shut_down_done() {
  phase_ = Phase::linger;
  request_.exchange_->since_restart = 0;
}

void Session::expired() noexcept {
  tell(SessionEvent::request_timeout, 0);
  try {
    switch (timer_) {
      case Timer::head:
        return refuse(Status::request_timeout, "the request did not arrive in time");
      case Timer::body:
        if (phase_ == Phase::discard) return end(Ending::close);  // it has its answer
        return refuse(Status::request_timeout, "the body did not arrive in time");
      case Timer::answer:
        return answer_expired();
      case Timer::send:
        return end(Ending::reset);
      case Timer::idle:  // silently: a 408 could be taken for the answer to a request on its way
      case Timer::linger:
        return end(Ending::close);
    }
  } catch (...) {
    fail();
  }
}

// The application takes too long: 503 now, and what it says later is dropped.
void Session::answer_expired() {
  if (phase_ == Phase::stream) return end(Ending::reset);
  if (phase_ != Phase::handling && phase_ != Phase::waiting) return;
  abandon();
  if (!has(lent)) {
    return refuse(Status::service_unavailable, "the answer was not ready in time");
  }
  // The handler still has the Response. The output was never lent, so the answer is written there.
  Exchange& exchange = *request_.exchange_;
  Response response;
  error_page(response, Status::service_unavailable, "the answer was not ready in time");
  response.close_after();
  const RequestHead& head = exchange.parser.head();
  ResponseRenderer::render(response, {head.method, head.minor_version, false},
                           workspace_.common_fields(), exchange);
  set(overtaken);
}

void Session::drain() { set(draining); }

void Session::reset_by_peer() noexcept {
  connection_.client_gone.store(true, std::memory_order_relaxed);
  end(Ending::reset);
}

// The connection is over. What a handler has stays until it gives it back.
void Session::end(Ending ending) noexcept {
  abandon();
  if (ending == Ending::reset) set(broken);
  if (has(lent)) {
    set(overtaken);
    return;
  }
  phase_ = Phase::closed;
  release();
}

void Session::fail() noexcept { end(Ending::reset); }

void Session::tell(SessionEvent event, std::uint64_t bytes) const {
  if (workspace_.observer_ != nullptr) workspace_.observer_->event(event, connection_, bytes);
}

}  // namespace stagecraft
