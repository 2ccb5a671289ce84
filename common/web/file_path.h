// From a path of a URL to the name of a file below a folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// A name relative to the folder, which each of its segments leads further down.
struct FilePath {
  std::string name;     ///< "css/page.css"; "." of the folder itself
  bool folder = false;  ///< a '/' stood at its end, or nothing at all: a folder is meant
};

/// Judges a path by its text: `path` is decoded and relative to the folder, "css/page.css". nullopt
/// if it may not be served, which is not to be told from a file that is not there:
///
/// - a segment that is empty, or begins with a dot: "." and ".." lead elsewhere, and the others are
///   somebody's configuration or history (".git", ".htpasswd"). Only ".well-known" may be the
///   first: it is made to be served (RFC 8615);
/// - a backslash, which is a separator to some readers of names, and control characters, of which
///   NUL ends a name for the kernel and not for us.
///
/// That is for the dotfiles and for people who read logs. What keeps everybody inside the folder is
/// RootFolder, since a text does not tell where the links of a file system lead.
std::optional<FilePath> file_path(std::string_view path);

}  // namespace stagecraft
