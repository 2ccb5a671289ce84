#include "door.h"

#include <system_error>
#include <utility>

using stagecraft::exercise::MutexLock;

Door::Door(Most most, Threads& threads, Serve serve)
    : most_(most), threads_(threads), serve_(std::move(serve)) {}

Door::Arrived Door::arrive(Visitor visitor) {
  {
    MutexLock lock(mutex_);
    Address& address = addresses_[visitor.address];
    if (address.inside == most_.inside) {
      if (address.waiting.size() == most_.waiting) return Arrived::refused;
      address.waiting.push_back(std::move(visitor));
      return Arrived::waits;
    }
    // The place is taken here, where it is counted, and not by the new thread: until that one runs,
    // ten others could have found the same place free.
    ++address.inside;
  }
  try {
    threads_.start([this, visitor] { run(visitor); });
  } catch (const std::system_error&) {
    // Nobody waits for this place: who arrives comes by this thread, and it was free a moment ago.
    MutexLock lock(mutex_);
    const auto found = addresses_.find(visitor.address);
    if (--found->second.inside == 0) addresses_.erase(found);
    return Arrived::refused;
  }
  return Arrived::has_a_thread;
}

void Door::run(Visitor visitor) {
  for (;;) {
    try {
      serve_(visitor);
    } catch (...) {
      // It has cost this visitor its answer. The place is not the visitor's, so it stays.
    }
    // The place goes to the next, or is given up, in one step. If these were two, somebody could
    // arrive in between, find no place free and wait, and nobody would be left to come for them.
    MutexLock lock(mutex_);
    const auto found = addresses_.find(visitor.address);
    Address& address = found->second;
    if (address.waiting.empty()) {
      if (--address.inside == 0) addresses_.erase(found);
      return;
    }
    visitor = std::move(address.waiting.back());
    address.waiting.pop_back();
  }
}

std::size_t Door::addresses_known() const {
  MutexLock lock(mutex_);
  return addresses_.size();
}
