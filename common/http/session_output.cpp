// Session, third part: from a Response to what is sent, and the end of an answer.

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

#include "http/exchange.h"
#include "http/response_renderer.h"
#include "http/session.h"
#include "http/weighted_list.h"

namespace stagecraft {
namespace {

// How long a kept connection may be silent, in whole seconds, and never more than is true.
std::chrono::seconds silence_granted(const Limits& limits) {
  const bool bounded = limits.request_timeout.count() > 0;  // it runs while a client is idle, too
  return std::chrono::floor<std::chrono::seconds>(
      bounded ? std::min(limits.idle_timeout, limits.request_timeout) : limits.idle_timeout);
}

}  // namespace

// Renders an answer and decides what becomes of the connection.
void Session::answer_with(Response& response) {
  Exchange& exchange = *request_.exchange_;
  word_problem(response);
  if (exchange.route != nullptr && exchange.route->finish) let_finish(response);
  const RequestHead& head = exchange.parser.head();
  const bool draining = workspace_.common_.draining.load(std::memory_order_relaxed);
  Addressee to{head.method, head.minor_version, head.persistent() && !draining};
  // The client may never send a body it asked leave for, so what follows the answer could be the
  // body or the next request: nobody could tell.
  const bool readable = head.framing == Framing::length && !head.expect_continue &&
                        exchange.body_left <= limits_.max_drain;
  if (has(body_pending) && !readable) to.keep = false;
  to.keep = ResponseRenderer::keeps(response, to);
  if (to.keep && to.minor_version == 0) to.idle = silence_granted(limits_);

  const std::size_t before = exchange.output.size();
  ResponseRenderer::render(response, to, workspace_.common_fields(), exchange);
  report_head(before);
  to.keep ? set(keep) : clear(keep);
  tell(SessionEvent::response_ready,
       exchange.output.size() - before + exchange.reference.size() + exchange.file.length);
  if (exchange.raw_stream != nullptr) {
    exchange.input.consume(exchange.unread);  // from here on the input is the stream's alone
    exchange.unread = 0;
    set(body_pending);  // when the stream ends, its client may still be sending
    phase_ = Phase::raw;
  } else if (exchange.source != nullptr) {
    phase_ = Phase::stream;
  } else {
    end_answer();
  }
}

// Words an error as its client prefers. Of a head that is not whole, or could not be read, no field
// is known: then as a page.
void Session::word_problem(Response& response) const {
  if (!response.needs_wording()) return;
  const bool fields_known = request_.exchange_->unread > 0;
  const auto weight = [this](std::string_view type) { return media_type_weight(request_, type); };
  const bool prefers_json =
      fields_known && std::max(weight("application/problem+json"), weight("application/json")) >
                          weight("text/html");
  response.word_problem(prefers_json ? Response::Wording::json : Response::Wording::html);
}

// The route has the last word on its answer, but for whether the connection goes on.
void Session::let_finish(Response& response) {
  const bool close = response.close_after_;
  try {
    request_.exchange_->route->finish(request_, response);
  } catch (...) {
    response.reset();
    error_page(response, Status::internal_server_error, "the application failed");
  }
  if (close) response.close_after();
  word_problem(response);
}

void Session::answer_and_close(Status status, std::string_view detail) {
  Response& response = request_.exchange_->response;
  response.reset();
  error_page(response, status, detail);
  response.close_after();
  answer_with(response);
}

// `begin`: where in the output the answer begins.
void Session::report_head(std::size_t begin) const {
  if (workspace_.observer_ == nullptr || !workspace_.observer_->wants_heads()) return;
  const Exchange& exchange = *request_.exchange_;
  const std::string_view answer = exchange.output.view().substr(begin);
  workspace_.observer_->head(exchange.request_known ? &request_ : nullptr,
                             answer.substr(0, answer.find("\r\n\r\n")));
}

void Session::report_answer() {
  set(unsent);
  if (workspace_.observer_ == nullptr) return;
  const Exchange& exchange = *request_.exchange_;
  workspace_.observer_->answered(
      connection_, exchange.request_known ? &request_ : nullptr,
      exchange.route != nullptr ? exchange.route->pattern : std::string_view{},
      exchange.answer_status, exchange.answer_bytes);
}

// Tells, if it is so, that nothing of any answer is left: `bytes` were the last.
void Session::report_sent(std::size_t bytes) {
  if (!has(unsent) || output_pending()) return;
  clear(unsent);
  tell(SessionEvent::write_response, bytes);
}

// The whole answer is in the output, or on its way by reference.
void Session::end_answer() {
  Exchange& exchange = *request_.exchange_;
  report_answer();
  report_sent(0);  // a stream's last bytes may have left before it said that they were
  exchange.source.reset();
  exchange.resume.reset();
  exchange.sink.reset();
  if (!has(keep)) {
    exchange.response.reset();
    // The rest may take its time, and needs the body no longer.
    forget_body();
    exchange.body.shrink(16 * KiB);
    phase_ = Phase::finish;
  } else if (has(body_pending)) {
    phase_ = Phase::discard;
  } else {
    end_request();
  }
}

// On to the next request, of which some bytes may be there.
void Session::end_request() {
  Exchange& exchange = *request_.exchange_;
  forget_body();
  exchange.next_request();
  leave_application();
  exchange.input.empty() ? clear(pipelined) : set(pipelined);
  clear(body_pending);
  phase_ = Phase::head;
}

// The bytes of a body that were in memory are gone, and no longer count against
// Limits::max_buffered.
void Session::forget_body() {
  Exchange& exchange = *request_.exchange_;
  exchange.body.clear();
  if (exchange.body_counted == 0) return;  // as most: why touch what other threads touch too
  workspace_.common_.buffered.fetch_sub(exchange.body_counted, std::memory_order_relaxed);
  exchange.body_counted = 0;
}

bool Session::output_pending() const {
  const Exchange* exchange = request_.exchange_;
  return exchange != nullptr && (!exchange->output.empty() || by_reference_pending());
}

// A body that is not in the output: it must leave before anything is gathered behind it.
bool Session::by_reference_pending() const {
  const Exchange& exchange = *request_.exchange_;
  return !exchange.reference.empty() || exchange.file.length > 0;
}

Output Session::output() {
  Exchange& exchange = *request_.exchange_;
  std::size_t count = 0;
  if (!exchange.output.empty()) {
    exchange.pieces[count++] = {exchange.output.data(), exchange.output.size()};
  }
  if (!exchange.reference.empty()) {
    // An iovec serves reading too, so it has no const; send(2) only reads.
    exchange.pieces[count++] = {const_cast<char*>(exchange.reference.data()),
                                exchange.reference.size()};
  }
  return {{exchange.pieces.data(), count}, exchange.file.length > 0 ? &exchange.file : nullptr};
}

void Session::sent(std::size_t bytes) {
  Exchange& exchange = *request_.exchange_;
  const std::size_t all = bytes;
  count_for_timer(bytes);
  const auto take = [&bytes](std::size_t there) {
    const std::size_t taken = std::min(bytes, there);
    bytes -= taken;
    return taken;
  };
  exchange.output.consume(take(exchange.output.size()));
  exchange.reference.remove_prefix(take(exchange.reference.size()));
  if (exchange.reference.empty()) exchange.large = {};
  if (exchange.file.length > 0) {
    const std::size_t taken = take(exchange.file.length);
    exchange.file.offset += taken;
    exchange.file.length -= taken;
    if (exchange.file.length == 0) exchange.file = {};
  }
  assert(bytes == 0);
  report_sent(all);
}

// The body and the send timer start anew each 64 KiB: a slow client gets its time, one that moves a
// byte now and then does not.
void Session::count_for_timer(std::size_t bytes) {
  Exchange& exchange = *request_.exchange_;
  exchange.since_restart += bytes;
  if (exchange.since_restart >= timer_restart_bytes) {
    exchange.since_restart = 0;
    ++restarts_;
  }
}

// Whoever makes an answer for us elsewhere need not go on.
void Session::abandon() noexcept {
  Exchange* exchange = request_.exchange_;
  if (exchange == nullptr) return;
  if (exchange->deferred) exchange->deferred->abandoned.store(true, std::memory_order_relaxed);
  if (exchange->resume) exchange->resume->abandoned.store(true, std::memory_order_relaxed);
  exchange->deferred.reset();
}

void Session::release() noexcept {
  if (request_.exchange_ == nullptr) return;
  forget_body();
  // What the application made for this request goes before the application does.
  Snapshot* const snapshot = std::exchange(request_.exchange_->snapshot, nullptr);
  workspace_.give_back(std::exchange(request_.exchange_, nullptr));
  if (snapshot != nullptr) workspace_.leave_application(*snapshot);
}

void Session::leave_application() noexcept {
  Snapshot* const snapshot = std::exchange(request_.exchange_->snapshot, nullptr);
  if (snapshot != nullptr) workspace_.leave_application(*snapshot);
}

}  // namespace stagecraft
