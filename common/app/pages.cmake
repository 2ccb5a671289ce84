# Makes a C++ file out of other files, so that the program needs no folder beside it:
#   cmake -D OUTPUT=pages.cpp -D "FILES=www/index.html;www/page.js" -P pages.cmake
set(table "")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  file(SIZE "${file}" size)
  file(READ "${file}" bytes HEX)
  # Every byte as an escape, whatever it means in C++, in literals of 32 bytes to a line.
  string(REPEAT "." 64 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  string(REGEX REPLACE "([^\n]+)" "        \"\\1\"" bytes "${bytes}")
  string(APPEND table "    {\"${name}\", std::string_view(\n${bytes}, ${size})},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Made by pages.cmake.
#include \"app/pages.h\"

namespace stagecraft {

std::span<const Page> pages() {
  static constexpr Page all[] = {
${table}  };
  return all;
}

}  // namespace stagecraft
")
