#include "web/static_files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/http_date.h"
#include "http/application.h"
#include "web/media_type.h"

namespace stagecraft {

namespace {

// Whether each segment is a name that may be served. What begins with a dot is somebody's
// configuration or history, or leads upwards.
bool may_be_served(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::string_view segment = path.substr(begin, path.find('/', begin) - begin);
    if (segment.empty() || segment.front() == '.') return false;
    begin += segment.size() + 1;
  }
  return true;
}

// Opens a file below the folder and nothing else. The kernel itself refuses every path that would
// leave the folder, also when somebody exchanges a folder for a link while we look. O_NONBLOCK: a
// FIFO in the folder must not hold us.
int open_below(int folder, const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

void refuse(Response& response, int error_number) {
  switch (error_number) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
      return error_page(response, Status::service_unavailable, "too much is open just now");
    case EACCES:
    case EPERM:
      return error_page(response, Status::forbidden, "this file may not be read");
    default:  // ENOENT, ENOTDIR, ENAMETOOLONG; ELOOP and EXDEV of a way out of the folder
      return error_page(response, Status::not_found, "there is no such file");
  }
}

std::string_view view(const HttpDate& date) { return {date.data(), date.size()}; }

}  // namespace

StaticFiles::StaticFiles(const std::string& root)
    : root_(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!root_) throw std::system_error(errno, std::generic_category(), "open folder " + root);
}

void StaticFiles::answer(std::string_view path, Response& response) const {
  std::string name(path);
  if (name.empty() || name.back() == '/') name += "index.html";
  if (!may_be_served(name)) return refuse(response, ENOENT);

  UniqueFd file(open_below(root_.get(), name));
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0) return refuse(response, errno);
  if (!S_ISREG(about.st_mode)) return refuse(response, ENOENT);

  response.set_field("Last-Modified", view(http_date(about.st_mtime)));
  // What a file is, its name says; a browser that guesses from the content can be led to run it.
  response.set_field("X-Content-Type-Options", "nosniff");
  response.file({std::move(file), 0, static_cast<std::uint64_t>(about.st_size)}, media_type(name));
}

}  // namespace stagecraft
