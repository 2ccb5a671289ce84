// The files of the page at /, which are part of the program.
#pragma once

#include <span>
#include <string_view>

namespace stagecraft {

/// A file as it was when the program was built.
struct Page {
  std::string_view name;  ///< "index.html"
  std::string_view content;
};

/// All of them; they live as long as the program. Made from common/app/www by pages.cmake.
std::span<const Page> pages();

}  // namespace stagecraft
