#include "web/media_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::size_t longest_ending = 8;

constexpr std::pair<std::string_view, std::string_view> known_endings[] = {
    {"avif", "image/avif"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/vnd.microsoft.icon"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"md", "text/markdown; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"txt", "text/plain; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"webm", "video/webm"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xml", "application/xml"},
    {"zip", "application/zip"},
};

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

std::string_view media_type(std::string_view file_name) {
  constexpr std::string_view unknown = "application/octet-stream";
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos) return unknown;
  const std::string_view ending = file_name.substr(dot + 1);
  if (ending.size() > longest_ending) return unknown;
  std::array<char, longest_ending> folded;
  std::transform(ending.begin(), ending.end(), folded.begin(), lower);
  const std::string_view wanted(folded.data(), ending.size());
  for (const auto& [known, type] : known_endings) {
    if (known == wanted) return type;
  }
  return unknown;
}

}  // namespace stagecraft
