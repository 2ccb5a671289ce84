#include "unit/http/guarded_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace stagecraft::testing {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

GuardedBytes::GuardedBytes(std::size_t capacity)
    : capacity_((capacity / page_size() + 1) * page_size()) {
  // All of it is forbidden at first; then all but the outer pages is allowed.
  void* pages =
      ::mmap(nullptr, capacity_ + 2 * page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  begin_ = static_cast<char*>(pages) + page_size();
  held_ = {begin_, 0};
  if (::mprotect(begin_, capacity_, PROT_READ | PROT_WRITE) != 0) {
    throw std::system_error(errno, std::generic_category(), "mprotect");
  }
}

GuardedBytes::~GuardedBytes() { ::munmap(begin_ - page_size(), capacity_ + 2 * page_size()); }

std::string_view GuardedBytes::hold(std::string_view bytes) {
  assert(bytes.size() <= capacity_);
  return put(begin_ + capacity_ - bytes.size(), bytes);
}

std::string_view GuardedBytes::hold_at_front(std::string_view bytes) {
  assert(bytes.size() <= capacity_);
  return put(begin_, bytes);
}

std::string_view GuardedBytes::put(char* place, std::string_view bytes) {
  std::memset(begin_ + (held_.data() - begin_), '\x01', held_.size());
  if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
  held_ = {place, bytes.size()};
  return held_;
}

}  // namespace stagecraft::testing
