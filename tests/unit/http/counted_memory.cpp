#include "unit/http/counted_memory.h"

#include <cstdlib>
#include <new>
#include <utility>

// A file of its own, so that no compiler sees new and free() in one place and takes them for a pair
// that does not match.
namespace stagecraft::testing {
namespace {

std::size_t count = 0;
std::size_t bytes = 0;
std::size_t until_failure = 0;  // 0: none is to fail
bool failed = false;

void* allocate(std::size_t size) {
  ++count;
  bytes += size;
  if (until_failure > 0 && --until_failure == 0) {
    failed = true;
    throw std::bad_alloc();
  }
  void* block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

std::size_t allocations() { return count; }
std::size_t allocated_bytes() { return bytes; }

void fail_allocation(std::size_t number) { until_failure = number; }

bool allocation_failed() {
  until_failure = 0;
  return std::exchange(failed, false);
}

}  // namespace stagecraft::testing

void* operator new(std::size_t size) { return stagecraft::testing::allocate(size); }
void* operator new[](std::size_t size) { return stagecraft::testing::allocate(size); }
// Catch2 calls this form; the library's would do as well, if a sanitizer did not replace it.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*size*/) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t /*size*/) noexcept { std::free(block); }
