// A folder as a page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/unique_fd.h"

namespace stagecraft {

/// As many entries are read of one folder; the page says so when there are more.
inline constexpr std::size_t max_listed = 5000;

/// A page that shows the plain files and the folders in `folder`, which is open for reading, with
/// links to them, folders first, by name. Left out is what StaticFiles would not serve: what begins
/// with a dot, and what is something else, such as a link. `path` is the folder's path in the URL,
/// for the heading. All names are escaped: whoever can put a file there must not be able to put a
/// script into the page. Throws std::system_error if the folder cannot be read.
std::string folder_listing(const UniqueFd& folder, std::string_view path);

}  // namespace stagecraft
