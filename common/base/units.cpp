#include "base/units.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

namespace stagecraft {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Smallest first: format() looks from the end for the largest that divides the value.
constexpr std::array<Unit, 4> size_units{
    {{"B", 1}, {"KiB", 1U << 10U}, {"MiB", 1U << 20U}, {"GiB", 1U << 30U}}};
constexpr std::array<Unit, 4> duration_units{
    {{"ms", 1}, {"s", 1000}, {"min", 60'000}, {"h", 3'600'000}}};

/// A number split from what follows it.
struct Quantity {
  std::uint64_t number = 0;
  std::string_view unit;
};

std::optional<Quantity> split(std::string_view text) {
  Quantity quantity;
  const char* const end = text.data() + text.size();
  // For an unsigned type from_chars takes digits only: no sign, no space, no 0x.
  const auto [rest, error] = std::from_chars(text.data(), end, quantity.number);
  if (error == std::errc::result_out_of_range) throw std::invalid_argument("is too large");
  if (error != std::errc{}) return std::nullopt;
  quantity.unit = {rest, static_cast<std::size_t>(end - rest)};
  return quantity;
}

/// The number times its unit's factor; nothing if there is no such unit. Throws if it exceeds MAX.
std::optional<std::uint64_t> scale(const Quantity& quantity, std::span<const Unit> units,
                                   std::uint64_t max) {
  for (const Unit& unit : units) {
    if (unit.name != quantity.unit) continue;
    if (quantity.number > max / unit.factor) throw std::invalid_argument("is too large");
    return quantity.number * unit.factor;
  }
  return std::nullopt;
}

std::string format(std::uint64_t value, std::span<const Unit> units) {
  if (value == 0) return "0";
  const Unit* largest = units.data();
  for (const Unit& unit : units) {
    if (value % unit.factor == 0) largest = &unit;
  }
  return std::to_string(value / largest->factor).append(largest->name);
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  std::optional<Quantity> quantity = split(text);
  std::optional<std::uint64_t> bytes;
  if (quantity) {
    if (quantity->unit.empty()) quantity->unit = "B";
    bytes = scale(*quantity, size_units, std::numeric_limits<std::uint64_t>::max());
  }
  if (!bytes) {
    throw std::invalid_argument("must be a size in bytes, or with KiB, MiB or GiB, such as 64KiB");
  }
  return *bytes;
}

std::chrono::milliseconds parse_duration(std::string_view text) {
  using std::chrono::milliseconds;
  std::optional<Quantity> quantity = split(text);
  std::optional<std::uint64_t> count;
  if (quantity) {
    if (quantity->unit.empty() && quantity->number == 0) quantity->unit = "ms";
    count = scale(*quantity, duration_units,
                  std::uint64_t{std::numeric_limits<milliseconds::rep>::max()});
  }
  if (!count) {
    throw std::invalid_argument("must be a duration in ms, s, min or h, such as 250ms");
  }
  return milliseconds(static_cast<milliseconds::rep>(*count));
}

std::string format_size(std::uint64_t bytes) { return format(bytes, size_units); }

std::string format_duration(std::chrono::milliseconds duration) {
  return format(static_cast<std::uint64_t>(duration.count()), duration_units);
}

}  // namespace stagecraft
