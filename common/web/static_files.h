// The files of one folder, and of none outside it.
#pragma once

#include <string>
#include <string_view>

#include "http/response.h"
#include "net/unique_fd.h"

namespace stagecraft {

/// Answers with files. Any thread may use it; opening a file may wait for the disk.
class StaticFiles {
 public:
  /// Throws std::system_error that names the folder if it cannot be opened.
  explicit StaticFiles(const std::string& root);

  /// Answers with the file at `path` (decoded, relative to the folder: "css/page.css"), or the
  /// folder's index.html if it is empty or ends in '/'. Otherwise 404 for what is not there, is no
  /// plain file, has a segment that begins with a dot, or can only be reached by a symbolic link;
  /// 403 for what may not be read; 503 when descriptors or memory have run out.
  void answer(std::string_view path, Response& response) const;

 private:
  UniqueFd root_;
};

}  // namespace stagecraft
