#include "app/gates.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace stagecraft {

namespace {

bool is_fifo(int folder, const std::string& name) {
  struct stat about {};
  return ::fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISFIFO(about.st_mode);
}

// Waits until the other end is opened, and lets go of this one.
bool meet(int folder, const std::string& name, int direction) {
  const UniqueFd end(::openat(folder, name.c_str(), direction | O_CLOEXEC | O_NOFOLLOW));
  return static_cast<bool>(end);
}

}  // namespace

bool is_gate_name(std::string_view name) {
  constexpr std::size_t longest = 64;
  return !name.empty() && name.size() <= longest &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
         });
}

Gates::Gates(const std::string& folder)
    : folder_(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_) throw std::system_error(errno, std::generic_category(), "open folder " + folder);
}

Status Gates::pass(std::string_view name) const {
  if (!is_gate_name(name)) return Status::not_found;
  const std::string arrival = std::string(name) + ".in";
  const std::string leave = std::string(name) + ".go";
  if (!is_fifo(folder_.get(), arrival) || !is_fifo(folder_.get(), leave)) return Status::not_found;
  const bool passed =
      meet(folder_.get(), arrival, O_WRONLY) && meet(folder_.get(), leave, O_RDONLY);
  return passed ? Status::ok : Status::service_unavailable;
}

}  // namespace stagecraft
