#include "http/buffer.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/limits.h"

namespace stagecraft {
namespace {

// An ordinary head or answer fits: a buffer that began with the few bytes of a first line would
// move to a larger block several times before its first answer was whole.
constexpr std::size_t smallest_block = 1 * KiB;

}  // namespace

void Buffer::reserve(std::size_t bytes) {
  if (capacity_ - end_ >= bytes) return;
  const std::size_t used = size();
  if (capacity_ - used >= bytes) {
    std::memmove(bytes_.get(), data(), used);
  } else {
    const std::size_t larger = std::max({smallest_block, 2 * capacity_, used + bytes});
    auto block = std::make_unique_for_overwrite<char[]>(larger);
    if (used > 0) std::memcpy(block.get(), data(), used);
    bytes_ = std::move(block);
    capacity_ = larger;
  }
  begin_ = 0;
  end_ = used;
}

void Buffer::consume(std::size_t bytes) {
  assert(bytes <= size());
  begin_ += bytes;
  if (begin_ == end_) clear();
}

void Buffer::erase(std::size_t offset, std::size_t count) {
  assert(offset + count <= size());
  if (count == 0) return;
  char* gap = data() + offset;
  std::memmove(gap, gap + count, size() - offset - count);
  end_ -= count;
}

void Buffer::shrink(std::size_t bytes) {
  assert(empty());
  if (capacity_ <= bytes) return;
  bytes_.reset();
  begin_ = end_ = capacity_ = 0;
}

}  // namespace stagecraft
