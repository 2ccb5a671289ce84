#include "door.h"

#include <system_error>
#include <utility>

using stagecraft::exercise::MutexLock;

Door::Door(Most most, Threads& threads, Serve serve)
    : most_(most), threads_(threads), serve_(std::move(serve)) {}

namespace {

stagecraft::exercise::ConditionVariable somebody_left;

}  // namespace

Door::Arrived Door::arrive(Visitor visitor) {
  threads_.start([this, visitor] { run(visitor); });
  return Arrived::has_a_thread;
}

void Door::run(Visitor visitor) {
  {
    MutexLock lock(mutex_);
    while (addresses_[visitor.address].inside == most_.inside) somebody_left.wait(mutex_);
    ++addresses_[visitor.address].inside;
  }
  try {
    serve_(visitor);
  } catch (...) {
  }
  MutexLock lock(mutex_);
  const auto found = addresses_.find(visitor.address);
  if (--found->second.inside == 0) addresses_.erase(found);
  somebody_left.notify_all();
}

std::size_t Door::addresses_known() const {
  MutexLock lock(mutex_);
  return addresses_.size();
}
