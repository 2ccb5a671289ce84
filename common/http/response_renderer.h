// From a Response to the bytes of its head, and a decision on how its body leaves.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "http/buffer.h"
#include "http/exchange.h"
#include "http/request.h"
#include "http/response.h"

namespace stagecraft {

/// A body of this size or more is sent from where it is; a smaller one is copied behind its head.
/// Copying is cheaper than another piece for the kernel up to here (docs/decisions/0006).
inline constexpr std::size_t reference_size = 16 * KiB;

/// What of the request and the connection decides how an answer is framed.
struct Addressee {
  Method method = Method::get;
  int minor_version = 1;
  bool keep = true;  ///< the connection may go on after this answer
  /// For how long it may then be silent, told to a client of 1.0. 0: it is not told.
  std::chrono::seconds idle{0};
};

/// Renders answers (RFC 9112 sections 4, 6 and 9).
class ResponseRenderer {
 public:
  /// Whether the connection goes on after this answer to that addressee: an answer whose end is the
  /// connection's end says otherwise.
  static bool keeps(const Response& response, const Addressee& to);
  /// Appends the answer's head, and its body if it is small, to exchange.output; moves any other
  /// body from `response` to `exchange`. Throws std::bad_alloc.
  static void render(Response& response, const Addressee& to, std::string_view common_fields,
                     Exchange& exchange);
  /// A framed piece of the answer's body from exchange.source: at most `room` bytes of it go to
  /// exchange.output. Returns, and keeps in exchange.flow, what the source said.
  static Flow pull(Exchange& exchange, std::size_t room);

 private:
  static Delivery delivery(const Response& response, const Addressee& to);
  static std::uint64_t size(const Response& response);
  static std::string_view content(const Response& response);
};

}  // namespace stagecraft
