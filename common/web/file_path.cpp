#include "web/file_path.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::string_view well_known = ".well-known";

bool is_suspicious(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\';
}

}  // namespace

std::optional<FilePath> file_path(std::string_view path) {
  if (path.empty()) return FilePath{".", true};
  if (std::any_of(path.begin(), path.end(), is_suspicious)) return std::nullopt;
  FilePath result;
  result.folder = path.ends_with('/');
  if (result.folder) path.remove_suffix(1);
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::string_view segment = path.substr(begin, path.find('/', begin) - begin);
    if (segment.empty()) return std::nullopt;
    const bool allowed_dot = begin == 0 && segment == well_known;
    if (segment.front() == '.' && !allowed_dot) return std::nullopt;
    begin += segment.size() + 1;
  }
  result.name = path;
  return result;
}

}  // namespace stagecraft
