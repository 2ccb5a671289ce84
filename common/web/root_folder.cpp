#include "web/root_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace stagecraft {

namespace {

// O_NONBLOCK: a FIFO in the folder must not hold us. O_NOCTTY: nor may a terminal become ours.
constexpr int reading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int passing_through = O_PATH | O_DIRECTORY | O_CLOEXEC;

// Not in the C library of Debian 12.
int openat2(int folder, const char* name, int flags) {
  open_how how{};
  how.flags = static_cast<decltype(how.flags)>(flags);
  // The kernel refuses a path that leaves the folder by "..", by an absolute name or by a link, and
  // links of /proc that lead anywhere, also when somebody exchanges a folder while it looks.
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, folder, name, &how, sizeof how));
}

int open_beneath(int folder, const char* name) {
  // EAGAIN: something was renamed meanwhile, so that the kernel cannot be sure. It may be next
  // time.
  constexpr int attempts = 16;
  int descriptor = -1;
  for (int i = 0; i < attempts; ++i) {
    descriptor = openat2(folder, name, reading);
    if (descriptor >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return descriptor;
}

// A segment that is a link or "..", or none at all, ends the walk, so each step leads down.
int open_step_by_step(int folder, const std::string& name) {
  UniqueFd current;
  for (std::size_t begin = 0;;) {
    const std::size_t end = name.find('/', begin);
    const bool last = end == std::string::npos;
    const std::string segment = name.substr(begin, last ? end : end - begin);
    if (segment.empty() || segment == ".." || (segment == "." && name != ".")) {
      errno = EXDEV;
      return -1;
    }
    const int from = current ? current.get() : folder;
    const int flags = (last ? reading : passing_through) | O_NOFOLLOW;
    UniqueFd next(::openat(from, segment.c_str(), flags));
    if (!next || last) return next.release();
    current = std::move(next);
    begin = end + 1;
  }
}

RootFolder::Lookup available_lookup(int folder) {
  const UniqueFd probe(openat2(folder, ".", passing_through));
  return probe ? RootFolder::Lookup::beneath : RootFolder::Lookup::step_by_step;
}

UniqueFd open_root(const std::string& path) {
  UniqueFd folder(::open(path.c_str(), passing_through));
  if (!folder) throw std::system_error(errno, std::generic_category(), "open folder " + path);
  return folder;
}

}  // namespace

RootFolder::RootFolder(const std::string& path)
    : folder_(open_root(path)), lookup_(available_lookup(folder_.get())) {}

RootFolder::RootFolder(const std::string& path, Lookup lookup)
    : folder_(open_root(path)), lookup_(lookup) {}

OpenedFile RootFolder::open(const std::string& name) const {
  OpenedFile file;
  file.descriptor = UniqueFd(lookup_ == Lookup::beneath ? open_beneath(folder_.get(), name.c_str())
                                                        : open_step_by_step(folder_.get(), name));
  if (!file.descriptor || ::fstat(file.descriptor.get(), &file.about) != 0) {
    file.error = errno;
    file.descriptor.reset();
  } else if (!S_ISREG(file.about.st_mode) && !S_ISDIR(file.about.st_mode)) {
    file.error = ENOENT;
    file.descriptor.reset();
  }
  return file;
}

}  // namespace stagecraft
