#include "app/guestbook_store.h"

#include <utility>

namespace stagecraft {

void GuestbookStore::add(GuestbookEntry entry) {
  auto added = std::make_shared<GuestbookEntry>(std::move(entry));
  std::shared_ptr<const GuestbookEntry> forgotten;  // its file is closed without the lock
  const MutexLock lock(mutex_);
  added->id = ++last_id_;
  entries_.push_front(std::move(added));
  if (entries_.size() <= max_entries) return;
  forgotten = std::move(entries_.back());
  entries_.pop_back();
}

std::vector<std::shared_ptr<const GuestbookEntry>> GuestbookStore::entries() const {
  const MutexLock lock(mutex_);
  return {entries_.begin(), entries_.end()};
}

std::shared_ptr<const GuestbookEntry> GuestbookStore::find(std::uint64_t id) const {
  const MutexLock lock(mutex_);
  for (const auto& entry : entries_) {
    if (entry->id == id) return entry;
  }
  return nullptr;
}

}  // namespace stagecraft
