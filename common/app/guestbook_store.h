// What guests have written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_annotations.h"
#include "web/temporary_file.h"

namespace stagecraft {

/// One entry. Does not change: readers share it with the book while it is forgotten there.
struct GuestbookEntry {
  std::uint64_t id = 0;  ///< set by the book
  std::string guest;
  std::string text;
  std::string file_name;                      ///< empty: there is no file
  std::shared_ptr<const TemporaryFile> file;  ///< as long as anybody is reading it
};

/// The last entries, the newest first. Any thread may call any method.
class GuestbookStore {
 public:
  static constexpr std::size_t max_entries = 100;

  void add(GuestbookEntry entry) EXCLUDES(mutex_);
  std::vector<std::shared_ptr<const GuestbookEntry>> entries() const EXCLUDES(mutex_);
  /// nullptr if there never was one, or not any more.
  std::shared_ptr<const GuestbookEntry> find(std::uint64_t id) const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::uint64_t last_id_ GUARDED_BY(mutex_) = 0;
  std::deque<std::shared_ptr<const GuestbookEntry>> entries_ GUARDED_BY(mutex_);
};

}  // namespace stagecraft
