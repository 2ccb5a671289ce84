// A folder, and what can be opened below it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "net/unique_fd.h"

namespace stagecraft {

/// A file or folder that is open for reading, or why it is not.
struct OpenedFile {
  UniqueFd descriptor;
  struct stat about {};  ///< as of now, of the very thing that is open
  int error = 0;         ///< errno, when there is no descriptor
};

/// Opens what is below a folder and nothing else, whatever its links say and whoever exchanges
/// files and links meanwhile. Any thread may use it; opening may wait for the disk.
class RootFolder {
 public:
  /// Who sees to it that no name leads out.
  enum class Lookup : std::uint8_t {
    /// The kernel, by openat2(2) with RESOLVE_BENEATH, in one call. Links that stay below the
    /// folder are followed. Linux 5.6.
    beneath,
    /// We, by opening one folder after the other and following no link at all. For older kernels,
    /// and for sandboxes that do not let openat2 through.
    step_by_step
  };

  /// Throws std::system_error that names the folder if it cannot be opened.
  explicit RootFolder(const std::string& path);
  /// The same, by a way that is chosen by the caller: for tests.
  RootFolder(const std::string& path, Lookup lookup);

  /// Opens `name`, relative to the folder, for reading; "." opens the folder itself. Never waits
  /// for the writer of a FIFO. What is neither a plain file nor a folder is ENOENT: a device, a
  /// FIFO, a socket. A name that would lead out is EXDEV or ELOOP.
  OpenedFile open(const std::string& name) const;

  Lookup lookup() const { return lookup_; }

 private:
  UniqueFd folder_;
  Lookup lookup_;
};

}  // namespace stagecraft
