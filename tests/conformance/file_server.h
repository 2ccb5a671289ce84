// A server of files, for the cases about validators, ranges and negotiation: the echo application
// has none.
#pragma once

#include <string>
#include <string_view>

#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/scratch_folder.h"

namespace stagecraft::conformance {

/// The program under test as a server of one folder, `--app files --root`, for one case. Its files
/// were changed in 1994, unless said otherwise.
class FileServer {
 public:
  FileServer();
  ~FileServer();
  FileServer(const FileServer&) = delete;
  FileServer& operator=(const FileServer&) = delete;

  /// Makes a file or changes it; `changed` is in seconds since the Unix epoch.
  void write(std::string_view name, std::string_view content, std::time_t changed = of_files) const;

  /// As the functions of the same names in probe.h, for this server.
  Answers check(const std::string& request, const std::string& outcome) const;
  /// The last answer to a GET of `target` with these fields, whatever it is, linted.
  testing::HttpResponse get(std::string_view target, std::string_view fields = "") const;
  testing::HttpResponse ask(std::string_view method, std::string_view target,
                            std::string_view fields = "") const;

  static constexpr std::time_t of_files = 784111777;  ///< Sun, 06 Nov 1994 08:49:37 GMT

 private:
  testing::ScratchFolder folder_;
  std::unique_ptr<testing::ServerProcess> process_;
};

/// The content of "/file.txt", which every such server has: 100 bytes, no two of them in the same
/// place alike for a while.
const std::string& file_content();

}  // namespace stagecraft::conformance
