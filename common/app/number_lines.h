// A body that is made while it is sent.
#pragma once

#include <charconv>
#include <cstdint>
#include <span>

#include "http/response.h"

namespace stagecraft {

/// The lines "0", "1", ... up to `count` of them, each a piece of its own: a client that
/// understands chunks sees as many chunks.
class NumberLines : public BodySource {
 public:
  explicit NumberLines(std::uint64_t count) : count_(count) {}

  Produced produce(std::span<char> room) override {
    // A number has at most 20 digits, and there is always more room than that.
    char* const end = std::to_chars(room.data(), room.data() + room.size() - 1, next_).ptr;
    *end = '\n';
    ++next_;
    const auto bytes = static_cast<std::size_t>(end + 1 - room.data());
    return {bytes, next_ < count_ ? Flow::more : Flow::end};
  }

 private:
  std::uint64_t next_ = 0;
  const std::uint64_t count_;
};

}  // namespace stagecraft
