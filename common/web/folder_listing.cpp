#include "web/folder_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>
#include <tuple>
#include <vector>

#include "base/escape.h"
#include "base/http_date.h"
#include "web/file_path.h"

namespace stagecraft {

namespace {

struct Entry {
  bool folder = false;
  std::string name;
  std::uint64_t size = 0;
  std::time_t changed = 0;
};

struct Entries {
  std::vector<Entry> list;
  bool complete = true;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

Entries read_entries(int descriptor) {
  const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(descriptor));
  if (!folder) {
    const int error = errno;
    ::close(descriptor);
    throw std::system_error(error, std::generic_category(), "fdopendir");
  }
  Entries entries;
  std::size_t read = 0;
  while (const dirent* found = ::readdir(folder.get())) {
    if (++read > max_listed) {
      entries.complete = false;
      break;
    }
    struct stat about {};
    if (found->d_name[0] == '.' || !file_path(found->d_name) ||
        ::fstatat(::dirfd(folder.get()), found->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    const bool is_folder = S_ISDIR(about.st_mode);
    if (!is_folder && !S_ISREG(about.st_mode)) continue;
    entries.list.push_back(
        {is_folder, found->d_name, static_cast<std::uint64_t>(about.st_size), about.st_mtime});
  }
  std::sort(entries.list.begin(), entries.list.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(!a.folder, std::string_view(a.name)) <
           std::tuple(!b.folder, std::string_view(b.name));
  });
  return entries;
}

// "2026-11-30 12:00"
std::string minute(std::time_t seconds) {
  const CivilTime time = civil_time(seconds);
  const auto two = [](int value) {
    return std::string(value < 10 ? "0" : "") + std::to_string(value);
  };
  return std::to_string(time.year) + '-' + two(time.month) + '-' + two(time.day) + ' ' +
         two(time.hour) + ':' + two(time.minute);
}

void append_row(std::string& page, const Entry& entry) {
  const std::string_view slash = entry.folder ? "/" : "";
  // "./" before it: the name "a:b" alone would be a URL of the scheme "a".
  page += "<tr><td><a href=\"./";
  append_path_escaped(page, entry.name);
  page.append(slash).append("\">");
  append_html_escaped(page, entry.name);
  page.append(slash).append("</a><td>");
  if (!entry.folder) page += std::to_string(entry.size);
  page.append("<td>").append(minute(entry.changed)).append("\n");
}

}  // namespace

std::string folder_listing(const UniqueFd& folder, std::string_view path) {
  // A descriptor of its own, which closedir() closes; "." and not dup(), so that the place in the
  // folder is its own, too.
  const int own = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) throw std::system_error(errno, std::generic_category(), "open folder");
  const Entries entries = read_entries(own);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
  append_html_escaped(page, path);
  page +=
      "</title>\n<style>body{font-family:sans-serif;margin:2em}td{padding:.1em 1em .1em 0}"
      "td:nth-child(2){text-align:right}</style>\n<h1>";
  append_html_escaped(page, path);
  page += "</h1>\n<table>\n";
  if (path != "/") page += "<tr><td><a href=\"../\">../</a><td><td>\n";
  for (const Entry& entry : entries.list) append_row(page, entry);
  page += "</table>\n";
  if (!entries.complete) {
    page += "<p>There are more: no more than " + std::to_string(max_listed) + " are shown.</p>\n";
  }
  return page + "</html>\n";
}

}  // namespace stagecraft
