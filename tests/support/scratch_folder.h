// A folder for the files of one test.
#pragma once

#include <string>
#include <string_view>

namespace stagecraft::testing {

/// A new, empty folder that goes with everything in it when this object goes.
class ScratchFolder {
 public:
  /// Throws std::runtime_error or std::filesystem::filesystem_error.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// The path of a file in it, there or not.
  std::string path(std::string_view name) const;

  /// Writes a file, and the folders that lead to it, and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const;

 private:
  std::string path_;
};

}  // namespace stagecraft::testing
