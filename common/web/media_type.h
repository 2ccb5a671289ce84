// From a file's name to the kind of its content.
#pragma once

#include <string_view>

namespace stagecraft {

/// The Content-Type for a file of that name, by its ending in any case: "text/css; charset=utf-8"
/// of "page.css". "application/octet-stream", which no browser tries to show, if the ending is not
/// known.
std::string_view media_type(std::string_view file_name);

}  // namespace stagecraft
