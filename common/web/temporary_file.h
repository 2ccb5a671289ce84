// A file without a name, gone when nobody has it open any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/unique_fd.h"

namespace stagecraft {

/// Holds what is too large for memory. It never has a name that would have to be removed
/// (O_TMPFILE; on file systems without that it loses its name right after it was made), so it is
/// gone when its descriptor is closed: after an error, after an exception, after kill -9.
///
/// Writing fills the page cache and waits for the disk only when the system is short of memory.
class TemporaryFile {
 public:
  enum class Making : std::uint8_t {
    nameless,  ///< where the file system can, else as the other
    unlinked   ///< it has a name for a moment, in which a kill leaves it there, empty
  };

  /// None.
  TemporaryFile() = default;
  /// Makes one in the folder. Throws std::system_error: no descriptor left, no such folder.
  explicit TemporaryFile(const std::string& folder, Making making = Making::nameless);

  /// Appends. Returns an error number, or 0: ENOSPC is nothing unusual.
  int write(std::string_view bytes);

  explicit operator bool() const { return static_cast<bool>(file_); }
  std::uint64_t size() const { return size_; }
  const UniqueFd& file() const { return file_; }

 private:
  UniqueFd file_;
  std::uint64_t size_ = 0;
};

/// Where temporary files go unless somebody says otherwise: $TMPDIR, or /tmp.
std::string temporary_folder();

}  // namespace stagecraft
