#include "web/file_validators.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace stagecraft {

namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t two_ticks_ns = 20'000'000;  // of a kernel with HZ=100, the slowest

std::int64_t in_ns(const timespec& time) { return time.tv_sec * ns_per_second + time.tv_nsec; }

// The mixing function of splitmix64: each bit of the input may change each bit of the result.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

bool may_change_unseen(const timespec& changed, const timespec& now) {
  const std::int64_t age_ns = in_ns(now) - in_ns(changed);
  return age_ns >= 0 && age_ns < (changed.tv_nsec == 0 ? 2 * ns_per_second : two_ticks_ns);
}

}  // namespace

Validators file_validators(const struct stat& about, const timespec& now) {
  std::uint64_t state = 0;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(about.st_dev), static_cast<std::uint64_t>(about.st_ino),
        static_cast<std::uint64_t>(about.st_size),
        static_cast<std::uint64_t>(in_ns(about.st_mtim))}) {
    state = mixed(state ^ part);
  }
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), state, 16).ptr;
  Validators validators;
  validators.entity_tag = may_change_unseen(about.st_mtim, now) ? "W/\"" : "\"";
  validators.entity_tag.append(digits.begin(), end).append("\"");
  validators.last_modified = std::min<std::time_t>(about.st_mtim.tv_sec, now.tv_sec - 1);
  return validators;
}

Validators file_validators(const struct stat& about) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return file_validators(about, now);
}

}  // namespace stagecraft
