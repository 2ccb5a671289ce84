#include "support/deadline.h"

#include <algorithm>
#include <cstdlib>

namespace stagecraft::testing {

std::chrono::milliseconds scaled(std::chrono::milliseconds bound) {
  const char* text = std::getenv("STAGECRAFT_TIME_SCALE");
  const double scale = text == nullptr ? 1.0 : std::strtod(text, nullptr);
  // A scale that is no number, or a silly one, is as if there were none.
  if (!(scale >= 0.1 && scale <= 1000)) return bound;
  return std::chrono::duration_cast<std::chrono::milliseconds>(bound * scale);
}

Deadline::Deadline(std::chrono::milliseconds patience)
    : end_(std::chrono::steady_clock::now() + scaled(patience)) {}

int Deadline::remaining_ms() const {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, left.count()));
}

}  // namespace stagecraft::testing
