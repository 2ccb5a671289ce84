// From a file's name to the kind of its content.
#pragma once

#include <cstdint>
#include <string_view>

namespace stagecraft {

/// The Content-Type for a file of that name, by its ending in any case: "text/css; charset=utf-8"
/// of "page.css". Text is said to be UTF-8, which all of the modern web is. An ending that is not
/// known gives "application/octet-stream", which no browser tries to show.
std::string_view media_type(std::string_view file_name);

/// Whether content of a type can be expected to become smaller by compression. Images, sound and
/// archives are compressed already.
enum class Compressibility : std::uint8_t { none, good };
Compressibility compressibility(std::string_view media_type);

}  // namespace stagecraft
