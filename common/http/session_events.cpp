// Session, fourth part: what the stage tells it.

#include <algorithm>
#include <utility>

#include "http/exchange.h"
#include "http/response_renderer.h"
#include "http/session.h"

namespace stagecraft {

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
    case SessionEvent::response_ready_error:
      return "response_ready_error";
    case SessionEvent::write_response:
      return "write_response";
    case SessionEvent::close_after_response:
      return "close_after_response";
  }
  return "?";
}

bool Session::idle() const {
  const Exchange* exchange = request_.exchange_;
  return phase_ == Phase::head &&
         (exchange == nullptr || (exchange->input.empty() && !output_pending()));
}

std::uint64_t Session::request_bytes() const {
  const Exchange* exchange = request_.exchange_;
  return exchange == nullptr ? 0 : exchange->input.size() + exchange->body_bytes;
}

std::span<char> Session::read_buffer() noexcept {
  try {
    if (request_.exchange_ == nullptr) {
      request_.exchange_ = workspace_.borrow();
      request_.exchange_->connection = &connection_;
    }
    Exchange& exchange = *request_.exchange_;
    if (receives_into_body()) {
      const auto most = static_cast<std::size_t>(
          std::min<std::uint64_t>(exchange.body_left, limits_.read_buffer_size));
      exchange.body.reserve(most);
      return exchange.body.room().first(most);
    }
    // A new block begins small: who waits for a promised answer keeps it meanwhile, and there may
    // be thousands of them. It is moved or enlarged only when little room is left, so that an
    // ordinary request moves nothing.
    constexpr std::size_t first = 4 * KiB;
    constexpr std::size_t little = 1 * KiB;
    if (exchange.input.capacity() == 0) {
      exchange.input.reserve(std::min(first, limits_.read_buffer_size));
    } else if (exchange.input.room().size() < little) {
      exchange.input.reserve(limits_.read_buffer_size);
    }
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
    const std::shared_ptr<Deferred> letter = exchange.deferred;
    if (letter->early) answer(*letter);
    return;
  }
  try {
    answer_with(exchange.response);
  } catch (...) {
    tell(SessionEvent::response_ready_error, 0);
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
  if (phase_ == Phase::handling && has(lent) && !has(overtaken)) {
    letter.early = true;  // another thread was faster than the handler: handled() will find it
    return true;
  }
  if (phase_ != Phase::waiting || exchange->deferred.get() != &letter) return false;
  exchange->deferred.reset();
  exchange->resume = std::move(letter.resume);
  try {
    answer_with(letter.response);
  } catch (...) {
    tell(SessionEvent::response_ready_error, 0);
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
  if (has(overtaken)) return;  // it has been given already
  abandon();
  constexpr std::string_view detail = "the answer was not ready in time";
  if (!has(lent)) return answer_and_close(Status::service_unavailable, detail);
  // The handler still has the Response. The output was never lent, so the answer is written there.
  Exchange& exchange = *request_.exchange_;
  Response response;
  error_page(response, Status::service_unavailable, detail);
  response.close_after();
  word_problem(response);
  const RequestHead& head = exchange.parser.head();
  const std::size_t before = exchange.output.size();
  ResponseRenderer::render(response, {head.method, head.minor_version, false},
                           workspace_.common_fields(), exchange);
  report_head(before);
  report_answer();
  set(overtaken);
}

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

}  // namespace stagecraft
