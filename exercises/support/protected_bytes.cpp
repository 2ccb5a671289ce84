#include "protected_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace stagecraft::exercise {

ProtectedBytes::ProtectedBytes(std::string_view bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t usable = std::max<std::size_t>(1, (bytes.size() + page - 1) / page) * page;
  mapped_ = usable + page;
  pages_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) throw std::bad_alloc();
  char* const end = static_cast<char*>(pages_) + usable;
  mprotect(end, page, PROT_NONE);
  char* const begin = end - bytes.size();
  std::copy(bytes.begin(), bytes.end(), begin);
  view_ = std::string_view(begin, bytes.size());
}

ProtectedBytes::~ProtectedBytes() { munmap(pages_, mapped_); }

}  // namespace stagecraft::exercise
