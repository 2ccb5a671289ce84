// The files of one folder, and of none outside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "web/file_path.h"
#include "web/root_folder.h"

namespace stagecraft {

/// Whether a folder without index.html is shown as a list of what is in it.
enum class Listing : std::uint8_t { off, on };

/// Answers with files: types, validators, conditions, ranges, and compressed variants that lie
/// beside a file. docs/files.md tells it at length. Any thread may use it; opening a file and
/// reading a folder may wait for the disk.
class StaticFiles {
 public:
  /// Throws std::system_error that names the folder if it cannot be opened.
  explicit StaticFiles(const std::string& folder, Listing listing = Listing::off);
  /// The same with a folder that is open already.
  explicit StaticFiles(RootFolder folder, Listing listing = Listing::off);

  /// Answers with the file at `path` (decoded, relative to the folder: "css/page.css"), which is
  /// the end of the request's path. "" is the folder itself, and stands for its index.html.
  ///
  /// 301 to the same with a '/' for a folder without; 404 for what is not there, is no plain file,
  /// has a segment that begins with a dot, or can only be reached by a link that leads out; 403 for
  /// what may not be read; 405 for other methods than GET and HEAD (OPTIONS: 204); 406 for a client
  /// who refuses every form that there is; 503 when descriptors or memory have run out.
  void answer(const Request& request, std::string_view path, Response& response) const;

 private:
  void answer_folder(const Request& request, const FilePath& path, const OpenedFile& folder,
                     Response& response) const;
  void answer_file(const Request& request, const std::string& name, OpenedFile file,
                   Response& response) const;

  RootFolder folder_;
  Listing listing_;
};

}  // namespace stagecraft
