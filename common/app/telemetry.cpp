#include "app/telemetry.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <system_error>

#include "http/client_address.h"
#include "http/field_parser.h"

namespace stagecraft {

namespace {

// To tell something must never be what ends a connection or a thread: a line for which there is no
// memory is a line less.
template <typename Function>
void without_fail(Function function) noexcept {
  try {
    function();
  } catch (const std::exception&) {
  }
}

// The first line of the request as it was sent, but for a later minor version, which counts as 1.
std::string request_line(const Request* request) {
  if (request == nullptr) return "-";
  std::string line(name(request->method()));
  line.append(" ").append(request->target());
  line.append(request->minor_version() == 0 ? " HTTP/1.0" : " HTTP/1.1");
  return line;
}

// A field line, but nothing by which a reader of the log could pass for the client.
void append_line(std::string& lines, std::string_view name, std::string_view value) {
  constexpr std::string_view secret[] = {"authorization", "cookie", "proxy-authorization",
                                         "set-cookie"};
  const bool is_secret =
      std::any_of(std::begin(secret), std::end(secret),
                  [name](std::string_view other) { return equal_ignoring_case(name, other); });
  lines.append(name).append(": ").append(is_secret ? "(not shown)" : value);
}

// What the number of an event means.
std::string_view meaning(SessionEvent event) {
  switch (event) {
    case SessionEvent::read_request:
    case SessionEvent::pipeline_request:
      return "request_bytes";
    case SessionEvent::exceed_request_max_close:
      return "request_size";
    case SessionEvent::response_ready:
    case SessionEvent::write_response:
      return "num_bytes";
    case SessionEvent::response_ready_error:
    case SessionEvent::request_timeout:
    case SessionEvent::close_after_response:
      break;
  }
  return "";
}

std::string_view name(WaitFor what) {
  switch (what) {
    case WaitFor::input:
      return "input";
    case WaitFor::room:
      return "room";
    case WaitFor::answer:
      return "answer";
  }
  return "";
}

}  // namespace

Telemetry::Telemetry()
    : Observer(Heads::unwanted, Events::timeouts),
      own_(std::make_unique<Own>()),
      logger_(own_->logger),
      metrics_(own_->metrics) {}

void Telemetry::log(std::string_view name, const ConnectionInfo& connection) noexcept {
  if (!logger_.wants_events()) return;
  without_fail([&] { logger_.log(LogEvent(name, {{"id", connection.id}})); });
}

void Telemetry::log(std::string_view name, const ConnectionInfo& connection,
                    LogField field) noexcept {
  if (!logger_.wants_events()) return;
  without_fail([&] { logger_.log(LogEvent(name, {{"id", connection.id}, field})); });
}

void Telemetry::event(SessionEvent event, const ConnectionInfo& connection,
                      std::uint64_t bytes) noexcept {
  if (event == SessionEvent::request_timeout) count(connection, Metrics::requests_timed_out);
  const std::string_view number = meaning(event);
  if (number.empty()) {
    log(name(event), connection);
  } else {
    log(name(event), connection, {number, bytes});
  }
}

void Telemetry::answered(const ConnectionInfo& connection, const Request* request,
                         std::string_view pattern, Status status,
                         std::uint64_t body_bytes) noexcept {
  metrics_.count_answer(connection.loop, pattern, status);
  if (!logger_.wants_accesses()) return;
  without_fail([&] {
    const std::string_view client =
        request == nullptr ? connection.remote_address : client_address(*request);
    logger_.access({client, request_line(request), code(status), body_bytes});
  });
}

void Telemetry::head(const Request* request, std::string_view answer_head) noexcept {
  without_fail([&] {
    std::string lines = request_line(request);
    for (std::size_t index = 0; request != nullptr && index < request->field_count(); ++index) {
      const Field field = request->field_at(index);
      append_line(lines += "\r\n", field.name, field.value);
    }
    logger_.head("> ", lines);
    lines.clear();
    while (!answer_head.empty()) {
      const std::string_view line = answer_head.substr(0, answer_head.find("\r\n"));
      const std::size_t colon = line.find(": ");
      if (!lines.empty()) lines += "\r\n";
      if (colon == std::string_view::npos) {
        lines += line;
      } else {
        append_line(lines, line.substr(0, colon), line.substr(colon + 2));
      }
      answer_head.remove_prefix(std::min(line.size() + 2, answer_head.size()));
    }
    logger_.head("< ", lines);
  });
}

void Telemetry::accepted(const ConnectionInfo& connection) noexcept {
  count(connection, Metrics::connections_opened);
  log("accept", connection, {"remote_address", connection.remote_address});
}

void Telemetry::received(const ConnectionInfo& connection, std::size_t bytes,
                         std::uint64_t request_bytes) noexcept {
  count(connection, Metrics::bytes_received, bytes);
  if (!logger_.wants_events()) return;
  without_fail([&] {
    logger_.log(
        LogEvent("read_bytes",
                 {{"id", connection.id}, {"read_bytes", bytes}, {"request_bytes", request_bytes}}));
  });
}

void Telemetry::received_end(const ConnectionInfo& connection) noexcept {
  log("read_close", connection);
}

void Telemetry::receive_failed(const ConnectionInfo& connection, int error_number) noexcept {
  log("read_error", connection, {"errno", error_number});
}

void Telemetry::sent(const ConnectionInfo& connection, std::size_t bytes) noexcept {
  count(connection, Metrics::bytes_sent, bytes);
  log("write", connection, {"num_bytes", bytes});
}

void Telemetry::send_failed(const ConnectionInfo& connection, int error_number) noexcept {
  log("write_error", connection, {"errno", error_number});
}

void Telemetry::closed(const ConnectionInfo& connection) noexcept {
  count(connection, Metrics::connections_closed);
  log("close", connection);
}

void Telemetry::waits(const ConnectionInfo& connection, WaitFor what) noexcept {
  if (!logger_.wants_events()) return;
  log("wait", connection, {"for", name(what)});
}

void Telemetry::entered(const Request& request, std::string_view pattern) noexcept {
  if (!logger_.wants_events()) return;
  without_fail([&] {
    logger_.log(LogEvent(
        "handler_enter",
        {{"id", request.connection().id}, {"request", request.number()}, {"route", pattern}}));
  });
}

void Telemetry::left(const Request& request) noexcept {
  if (!logger_.wants_events()) return;
  log("handler_leave", request.connection(), {"request", request.number()});
}

void Telemetry::waits() noexcept {
  if (!logger_.wants_events()) return;
  without_fail([&] { logger_.log(LogEvent("wait", {{"for", "anybody"}})); });
}

void Telemetry::woke_up(std::uint32_t loop) noexcept {
  metrics_.count(loop, Metrics::turns);
  if (!logger_.wants_events()) return;
  without_fail([&] { logger_.log(LogEvent("wake_up", {{"loop", loop}})); });
}

void Telemetry::cannot_accept(int error_number) noexcept {
  // Made up in here: its caller may be a loop, which must not end for want of memory.
  without_fail([&] { logger_.error("accept: " + std::generic_category().message(error_number)); });
}

void Telemetry::accept_failed(std::string_view message) noexcept {
  error(message);
  if (!logger_.wants_events()) return;
  without_fail([&] { logger_.log(LogEvent("register_error")); });
}

void Telemetry::loop_ended(std::uint32_t loop) noexcept {
  if (!logger_.wants_events()) return;
  const char* name = loop == 0 ? "event_loop_terminate" : "sub_event_loop_terminate";
  without_fail([&] { logger_.log(LogEvent(name, {{"loop", loop}})); });
}

void Telemetry::failed(std::string_view message) noexcept {
  error(message);
  if (react_) react_();
}

void Telemetry::error(std::string_view message) noexcept {
  without_fail([&] { logger_.error(message); });
}

}  // namespace stagecraft
