// A request as an application sees it: views into the bytes as they came.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/status.h"

namespace stagecraft {

class Attributes;
struct Exchange;  // one request in flight; see http/exchange.h

/// The methods of RFC 9110 section 9 and PATCH (RFC 5789). Any other is answered 501 before an
/// application hears of it.
enum class Method : std::uint8_t {
  get,
  head,
  post,
  put,
  delete_,
  options,
  patch,
  trace,
  connect,
  unknown,
};

/// "GET" of Method::get; "?" of Method::unknown.
std::string_view name(Method method);

/// One field line: the name as it was sent (names are equal in any case) and the value without the
/// white space around it (RFC 9110 section 5.5).
struct Field {
  std::string_view name, value;
};

/// What a stage knows of a connection and a handler may ask. It outlives every request of the
/// connection.
struct ConnectionInfo {
  std::uint64_t id = 0;          ///< from 1 on; never the same for two connections of one server
  std::string remote_address;    ///< "127.0.0.1:54321"
  std::string local_address;     ///< "127.0.0.1:8080"
  std::int64_t accepted_us = 0;  ///< when accept(2) returned, in microseconds since the Unix epoch
  std::uint32_t loop = 0;        ///< which event loop has it; 0 where there are none
  /// Set on a reset by the connection's thread, readable from any: a handler with much to do may
  /// look whether anybody still waits.
  std::atomic<bool> client_gone = false;
};

/// A request body's way out, for bodies that should not be gathered in memory. Made by `admit`, and
/// called and destroyed on the session's thread. Destroyed before the handler ran: the request
/// failed half-way, and the destructor is the place to clean up.
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// Takes the next piece of the body, decoded. Returns Status::ok, or the status that refuses the
  /// rest. Must not block.
  virtual Status write(std::span<const char> piece) = 0;
  /// Why write() refused, in words for the client. Lives as long as the sink.
  virtual std::string_view reason() const { return "the body was not accepted"; }
  /// How much of what it took it has in memory, in bytes, after a write(): that counts against
  /// Limits::max_buffered until the request is over.
  virtual std::uint64_t bytes_in_memory() const { return 0; }
};

/// A request, as views that are valid until the handler returns: a deferred answer copies what it
/// needs. Given to `application` and `admit` when only the head is there; body() and the trailer
/// are then empty. May be read from one thread at a time.
class Request {
 public:
  Method method() const;
  /// 1 of HTTP/1.1 and of any later HTTP/1.x (RFC 9110 section 2.5), 0 of HTTP/1.0.
  int minor_version() const;
  /// The request target as it was sent (RFC 9112 section 3.2).
  std::string_view target() const;
  /// The path: percent-decoded, without dot segments, beginning with '/'. "*" of `OPTIONS *`.
  std::string_view path() const;
  /// What followed the first '?', as it was sent; empty if there was none.
  std::string_view query() const;
  /// The host and port that the client meant: the target's in absolute form, else Host's
  /// (RFC 9112 section 3.3). Empty for an HTTP/1.0 request without Host.
  std::string_view authority() const;

  /// The first field of that name, in any case.
  std::optional<std::string_view> field(std::string_view name) const;
  /// All fields as received, in order. Precondition: index < field_count().
  Field field_at(std::size_t index) const;
  std::size_t field_count() const;
  /// The fields behind a chunked body, kept apart from those of the head (RFC 9110 section 6.5.1).
  Field trailer_at(std::size_t index) const;
  std::size_t trailer_count() const;

  /// Whether the head announced a body, of whatever size: if so, `admit` was asked about it.
  bool announces_body() const;
  /// The whole body, decoded; empty if a sink took it.
  std::string_view body() const;
  /// The sink that `admit` gave, or nullptr.
  BodySink* sink() const;
  const ConnectionInfo& connection() const;
  /// What filters and handlers tell each other of this request; the one part of it that changes.
  Attributes& attributes() const;
  /// Which request of its connection this is, from 1 on.
  std::uint32_t number() const;

 private:
  friend class Session;
  // The exchange holds offsets into its buffer, not pointers: the buffer may move while a body
  // arrives.
  Exchange* exchange_ = nullptr;
};

}  // namespace stagecraft
