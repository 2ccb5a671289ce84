// A Range field for a content of any size: parts that are in it, that do not overlap, and not many.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "web/byte_ranges.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

// The first eight bytes are the content's size, the rest is the field.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stagecraft;
  std::uint64_t content_size = 0;
  if (size < sizeof content_size) return 0;
  std::memcpy(&content_size, data, sizeof content_size);
  const std::string_view field(reinterpret_cast<const char*>(data) + sizeof content_size,
                               size - sizeof content_size);
  const RangeSelection selection = select_ranges(field, content_size);
  demand((selection.kind == RangeSelection::parts) == !selection.ranges.empty());
  demand(selection.ranges.size() <= max_ranges);
  for (std::size_t i = 0; i < selection.ranges.size(); ++i) {
    const ByteRange& range = selection.ranges[i];
    demand(range.length > 0 && range.offset < content_size);
    demand(range.length <= content_size - range.offset);
    for (std::size_t k = 0; k < i; ++k) {
      const ByteRange& other = selection.ranges[k];
      demand(range.offset + range.length < other.offset ||
             other.offset + other.length < range.offset);
    }
  }
  return 0;
}
