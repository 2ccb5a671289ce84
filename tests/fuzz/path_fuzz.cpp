// A path of a URL: what is taken for the name of a file leads down, and nowhere else.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "web/file_path.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stagecraft;
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  const std::optional<FilePath> found = file_path(path);
  if (!found) return 0;
  if (path.empty()) {
    demand(found->name == "." && found->folder);
    return 0;
  }
  demand(found->name + (found->folder ? "/" : "") == path);
  demand(found->name.find('\0') == std::string::npos);
  const std::string framed = '/' + found->name + '/';
  demand(framed.find("//") == std::string::npos);
  demand(framed.find("/.", 1) == std::string::npos);
  demand(!framed.starts_with("/.") || framed.starts_with("/.well-known/"));
  return 0;
}
