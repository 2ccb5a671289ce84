// Session, second part: from a head to a whole request.

#include <algorithm>
#include <optional>
#include <utility>

#include "http/exchange.h"
#include "http/session.h"

namespace stagecraft {
namespace {

// What TRACE and CONNECT are told (RFC 9110 section 15.5.6): they concern the connection, so no
// application is asked.
constexpr std::string_view every_method = "GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH";

}  // namespace

// The head is whole and well-formed: what does it want, and may it?
void Session::begin_request() {
  Exchange& exchange = *request_.exchange_;
  const RequestHead& head = exchange.parser.head();
  exchange.unread = head.size;
  exchange.number = ++request_number_;
  if (head.framing != Framing::none) set(body_pending);
  exchange.body_left = head.content_length;

  std::string_view reason;
  const Status status = parse_target(head.method, {exchange.input.data(), head.size}, head.target,
                                     exchange.target, exchange.decoded_path, reason);
  if (status != Status::none) return refuse(status, reason);
  exchange.request_known = true;
  if (head.method == Method::trace || head.method == Method::connect) {
    error_page(exchange.response, Status::method_not_allowed, "this server is no proxy");
    exchange.response.set_field("Allow", every_method);
    return answer_with(exchange.response);
  }
  if (head.expect_other) {
    error_page(exchange.response, Status::expectation_failed, "only 100-continue can be expected");
    return answer_with(exchange.response);
  }
  if (head.framing == Framing::chunked) exchange.chunked.reset();
  try {
    exchange.snapshot = &workspace_.enter_application();
    exchange.route = &(*exchange.snapshot->application)(request_);
  } catch (...) {
    return application_failed();
  }
  head.framing == Framing::none ? hand_over() : admit_body();
}

void Session::application_failed() {
  Response& response = request_.exchange_->response;
  response.reset();
  error_page(response, Status::internal_server_error, "the application failed");
  answer_with(response);
}

// A body is announced: is it wanted, and how large may it be?
void Session::admit_body() {
  Exchange& exchange = *request_.exchange_;
  const RequestHead& head = exchange.parser.head();
  std::optional<Intake> intake = Intake{};
  if (exchange.route->admit) {
    try {
      intake = exchange.route->admit(request_, exchange.response);
    } catch (...) {
      return application_failed();
    }
    if (!intake) return answer_with(exchange.response);
    exchange.response.reset();
  }
  if (intake->max_bytes == Intake::usual) intake->max_bytes = limits_.max_request_size;
  if (head.content_length > intake->max_bytes) {
    error_page(exchange.response, Status::content_too_large, "the body is too large");
    tell(SessionEvent::exceed_request_max_close, head.content_length);
    return answer_with(exchange.response);
  }
  exchange.chunked.limit(intake->max_bytes);
  exchange.sink = std::move(intake->sink);
  // Only now, when the body is wanted, and not if it is on its way already
  // (RFC 9110 section 10.1.1).
  if (head.expect_continue && exchange.input.size() == exchange.unread) {
    exchange.output.append("HTTP/1.1 100 Continue\r\n\r\n");
  }
  exchange.since_restart = 0;
  phase_ = Phase::body;
  restart(Timer::body);
}

// The request is whole: to the handler with it.
void Session::hand_over() {
  Exchange& exchange = *request_.exchange_;
  clear(body_pending);
  tell(has(pipelined) ? SessionEvent::pipeline_request : SessionEvent::read_request,
       exchange.unread + exchange.body_bytes);
  phase_ = Phase::handling;
}

Session::Fed Session::feed_body() {
  const Fed fed = take_body();
  return fed == Fed::refused || count_gathered() ? fed : Fed::refused;
}

// Takes from the input what belongs to the body.
Session::Fed Session::take_body() {
  Exchange& exchange = *request_.exchange_;
  const RequestHead& head = exchange.parser.head();
  for (;;) {
    const std::string_view bytes = exchange.input.view().substr(exchange.unread);
    if (head.framing == Framing::length) {
      const std::string_view piece = bytes.substr(0, exchange.body_left);
      exchange.unread += piece.size();
      exchange.body_left -= piece.size();
      if (!piece.empty() && take_piece(piece) == Fed::refused) return Fed::refused;
      if (exchange.body_left == 0) return Fed::whole;
      break;
    }
    const ChunkedDecoder::Result result = exchange.chunked.decode(bytes);
    if (result.progress == Progress::failed) {
      refuse(exchange.chunked.error(), exchange.chunked.reason());
      return Fed::refused;
    }
    exchange.unread += result.used;
    if (!result.data.empty() && take_piece(result.data) == Fed::refused) return Fed::refused;
    if (result.progress == Progress::complete) {
      exchange.trailer_begin = exchange.unread - exchange.chunked.trailer_size();
      return Fed::whole;
    }
    if (result.used == 0) break;
  }
  // What was taken needs no room any more.
  exchange.input.erase(head.size, exchange.unread - head.size);
  exchange.unread = head.size;
  return Fed::more;
}

// A piece of the decoded body, to its sink or to the gathered bytes.
Session::Fed Session::take_piece(std::string_view piece) {
  Exchange& exchange = *request_.exchange_;
  exchange.body_bytes += piece.size();
  count_for_timer(piece.size());
  if (exchange.sink == nullptr) {
    exchange.body.append(piece);
    return Fed::more;
  }
  Status status = Status::internal_server_error;
  try {
    status = exchange.sink->write({piece.data(), piece.size()});
  } catch (...) {
    // A sink that throws has failed like a handler that throws.
  }
  if (status == Status::ok) return Fed::more;
  error_page(exchange.response, status, exchange.sink->reason());
  answer_with(exchange.response);
  return Fed::refused;
}

// Counts what is held in memory of the body, here or in its sink. False: all sessions together hold
// too much, and this one, which wants more, is refused.
bool Session::count_gathered() {
  Exchange& exchange = *request_.exchange_;
  const std::uint64_t held =
      exchange.sink != nullptr ? exchange.sink->bytes_in_memory() : exchange.body_bytes;
  if (held == exchange.body_counted) return true;
  const bool grows = held > exchange.body_counted;
  // Of a sink that holds less than before, a number that wraps round: adding it takes off.
  const std::uint64_t more = held - exchange.body_counted;
  exchange.body_counted = held;
  // Relaxed, since no other memory is handed over by this number.
  const std::uint64_t before =
      workspace_.common_.buffered.fetch_add(more, std::memory_order_relaxed);
  if (!grows || before + more <= limits_.max_buffered) return true;
  refuse(Status::service_unavailable, "too many bodies are being received at once");
  return false;
}

// An answer to what is no proper request, or no longer one: the last of this connection, since
// nobody knows where the next request begins.
void Session::refuse(Status status, std::string_view detail) {
  Exchange& exchange = *request_.exchange_;
  if (status == Status::content_too_large || status == Status::uri_too_long ||
      status == Status::request_header_fields_too_large) {
    tell(SessionEvent::exceed_request_max_close, exchange.input.size() + exchange.body_bytes);
  }
  set(body_pending);
  answer_and_close(status, detail);
}

}  // namespace stagecraft
