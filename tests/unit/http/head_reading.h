// A request's head parsed in every way in which a network may deliver it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "http/status.h"

namespace stagecraft::testing {

/// What a RequestParser made of some bytes.
struct HeadReading {
  /// `GET /path HTTP/1.1 [Name: value] ... ; length 5; persistent` if the head is whole, with more
  /// words for what else its fields ask; `400 why` if it is refused; `incomplete`.
  std::string outcome;
  Status error = Status::none;
  std::size_t head_size = 0;  ///< of a whole head
  /// The bytes that had to be there for the outcome; known when they were fed one by one.
  std::size_t decided_after = 0;
};

/// Feeds BYTES whole, whole to a parser that was used before, one byte at a time, and in two pieces
/// split at every position: each time in memory that ends exactly at the last byte given and that
/// moves from piece to piece. Requires that the outcome is always the same.
HeadReading read_head(std::string_view bytes, const Limits& limits = {});

}  // namespace stagecraft::testing
