#include "web/byte_ranges.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "http/field_parser.h"
#include "http/scan.h"

namespace stagecraft {

namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Digits, at least one. What does not fit is as large as it can be, which is beyond any content.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : text) {
    if (!scan::is(c, scan::digit)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    number = number > (largest - digit) / 10 ? largest : 10 * number + digit;
  }
  return number;
}

// One member of the list, "0-4", "10-" or "-5".
struct RangeSpec {
  bool well_formed = false;
  std::optional<ByteRange> range = {};  // none: well-formed, but there is nothing
};

RangeSpec suffix(std::string_view digits, std::uint64_t size) {
  const std::optional<std::uint64_t> wanted = parse_number(digits);
  if (!wanted) return {};
  const std::uint64_t length = std::min(*wanted, size);
  if (length == 0) return {true};
  return {true, ByteRange{size - length, length}};
}

RangeSpec parse_spec(std::string_view spec, std::uint64_t size) {
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) return {};
  if (dash == 0) return suffix(spec.substr(1), size);
  const std::optional<std::uint64_t> first = parse_number(spec.substr(0, dash));
  const std::string_view behind = spec.substr(dash + 1);
  const std::optional<std::uint64_t> last = behind.empty() ? largest : parse_number(behind);
  if (!first || !last || *last < *first) return {};
  if (*first >= size) return {true};
  return {true, ByteRange{*first, std::min(*last, size - 1) - *first + 1}};
}

bool meet(const ByteRange& a, const ByteRange& b) {
  return a.offset <= b.offset + b.length && b.offset <= a.offset + a.length;
}

// Adds a range, and takes those into it that it meets. They keep the place of the first.
void add(std::vector<ByteRange>& ranges, ByteRange range) {
  std::size_t place = ranges.size();
  for (std::size_t i = ranges.size(); i-- > 0;) {
    if (!meet(ranges[i], range)) continue;
    const std::uint64_t offset = std::min(range.offset, ranges[i].offset);
    const std::uint64_t end =
        std::max(range.offset + range.length, ranges[i].offset + ranges[i].length);
    range = {offset, end - offset};
    ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(i));
    place = i;
  }
  ranges.insert(ranges.begin() + static_cast<std::ptrdiff_t>(place), range);
}

}  // namespace

RangeSelection select_ranges(std::string_view field_value, std::uint64_t size) {
  const std::size_t equals = field_value.find('=');
  if (equals == std::string_view::npos) return {};
  if (!equal_ignoring_case(field_value.substr(0, equals), "bytes")) return {};

  RangeSelection selection{RangeSelection::unsatisfiable};
  std::size_t count = 0;
  for (std::string_view rest = field_value.substr(equals + 1); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view member = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (member.empty()) continue;  // RFC 9110 section 5.6.1
    const RangeSpec spec = parse_spec(member, size);
    if (!spec.well_formed || ++count > max_ranges) return {};
    if (spec.range) add(selection.ranges, *spec.range);
  }
  if (count == 0) return {};
  if (!selection.ranges.empty()) selection.kind = RangeSelection::parts;
  return selection;
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  return "bytes " + std::to_string(range.offset) + '-' +
         std::to_string(range.offset + range.length - 1) + '/' + std::to_string(size);
}

std::string unsatisfied_content_range(std::uint64_t size) {
  return "bytes */" + std::to_string(size);
}

}  // namespace stagecraft
