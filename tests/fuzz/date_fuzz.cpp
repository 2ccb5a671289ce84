// A date: what is read can be written, and is then read as the same moment again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/http_date.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stagecraft;
  constexpr std::time_t now = 1'796'083'200;  // in 2026
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::optional<std::time_t> moment = parse_http_date(text, now);
  if (!moment) return 0;
  // The last second of all may be a leap second, one behind what can be written.
  constexpr std::time_t last = 253'402'300'799;
  if (*moment > last + 1) std::abort();
  const HttpDate written = http_date(*moment);
  const auto again = parse_http_date({written.data(), written.size()}, now);
  if (again != *moment && *moment <= last) std::abort();
  return 0;
}
