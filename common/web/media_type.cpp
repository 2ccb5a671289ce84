#include "web/media_type.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::size_t longest_ending = 11;

// In alphabetical order, for people; 70 short comparisons are no time beside opening a file.
constexpr std::pair<std::string_view, std::string_view> known_endings[] = {
    {"7z", "application/x-7z-compressed"},
    {"aac", "audio/aac"},
    {"apng", "image/apng"},
    {"atom", "application/atom+xml"},
    {"avif", "image/avif"},
    {"bmp", "image/bmp"},
    {"br", "application/x-brotli"},
    {"bz2", "application/x-bzip2"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"eot", "application/vnd.ms-fontobject"},
    {"epub", "application/epub+zip"},
    {"flac", "audio/flac"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/vnd.microsoft.icon"},
    {"ics", "text/calendar; charset=utf-8"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"jsonld", "application/ld+json"},
    {"jxl", "image/jxl"},
    {"log", "text/plain; charset=utf-8"},
    {"m4a", "audio/mp4"},
    {"m4v", "video/mp4"},
    {"map", "application/json"},
    {"md", "text/markdown; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mkv", "video/matroska"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"ogv", "video/ogg"},
    {"opus", "audio/ogg"},
    {"otf", "font/otf"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"rss", "application/rss+xml"},
    {"rtf", "application/rtf"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tgz", "application/gzip"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"toml", "application/toml"},
    {"tsv", "text/tab-separated-values; charset=utf-8"},
    {"ttf", "font/ttf"},
    {"txt", "text/plain; charset=utf-8"},
    {"vtt", "text/vtt; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"weba", "audio/webm"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xhtml", "application/xhtml+xml"},
    {"xml", "application/xml"},
    {"xz", "application/x-xz"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
    {"zst", "application/zstd"},
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

Compressibility compressibility(std::string_view media_type) {
  constexpr std::string_view compressed_kinds[] = {"image/", "video/", "audio/", "font/woff"};
  constexpr std::string_view compressed[] = {"application/gzip",
                                             "application/zip",
                                             "application/zstd",
                                             "application/x-brotli",
                                             "application/x-bzip2",
                                             "application/x-xz",
                                             "application/x-7z-compressed",
                                             "application/epub+zip",
                                             "application/pdf"};
  constexpr std::string_view plain[] = {"image/svg+xml", "image/bmp", "image/vnd.microsoft.icon",
                                        "audio/wav"};
  const auto is_one_of = [media_type](const auto& list) {
    return std::find(std::begin(list), std::end(list), media_type) != std::end(list);
  };
  const bool compressed_kind =
      std::any_of(std::begin(compressed_kinds), std::end(compressed_kinds),
                  [media_type](std::string_view kind) { return media_type.starts_with(kind); });
  const bool packed = (compressed_kind && !is_one_of(plain)) || is_one_of(compressed);
  return packed ? Compressibility::none : Compressibility::good;
}

}  // namespace stagecraft
