// A folder with files, served by StaticFiles without a socket.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "http/application.h"
#include "support/http_response.h"
#include "unit/base/unit_fixtures.h"
#include "web/static_files.h"

namespace stagecraft::testing {

/// The files are as old as RFC 9110's example, so that their tags are strong.
inline constexpr std::string_view time_of_files = "Sun, 06 Nov 1994 08:49:37 GMT";

class ServedFolder {
 public:
  explicit ServedFolder(Listing listing = Listing::off,
                        RootFolder::Lookup lookup = RootFolder::Lookup::beneath);

  /// Makes a file, and the folder before its name if there is one.
  void file(const std::string& name, std::string_view content) const;
  /// Sets the time of a file's last change, in seconds since the Unix epoch.
  void age(const std::string& name, std::time_t changed) const;
  std::string path(std::string_view name) const { return root_.path(name); }

  /// The answer to a request for `target`, "/a.txt", with these fields.
  HttpResponse get(const std::string& target, const std::string& fields = "") const;
  HttpResponse ask(const std::string& method, const std::string& target,
                   const std::string& fields = "") const;

 private:
  TemporaryFolder root_;
  std::unique_ptr<StaticFiles> files_;
  Route route_;
};

}  // namespace stagecraft::testing
