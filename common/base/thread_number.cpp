#include "base/thread_number.h"

#include <atomic>

namespace stagecraft {

std::uint32_t thread_number() {
  static std::atomic<std::uint32_t> last{0};
  thread_local const std::uint32_t number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

}  // namespace stagecraft
