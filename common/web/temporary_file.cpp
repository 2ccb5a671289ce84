#include "web/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace stagecraft {

namespace {

int open_nameless(const std::string& folder) {
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int open_and_unlink(const std::string& folder) {
  std::string path = folder + "/stagecraft-XXXXXX";
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(path.c_str());
  return file;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& folder, Making making)
    : file_(making == Making::nameless ? open_nameless(folder) : open_and_unlink(folder)) {
  // What file systems and kernels say that do not know O_TMPFILE (man 2 open).
  const bool unknown = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
  if (!file_ && unknown) file_ = UniqueFd(open_and_unlink(folder));
  if (!file_) {
    throw std::system_error(errno, std::generic_category(), "temporary file in " + folder);
  }
}

int TemporaryFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string temporary_folder() {
  // Read when a server begins, before it has threads that could change the environment.
  const char* const folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

}  // namespace stagecraft
