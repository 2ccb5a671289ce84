#include "door.h"

#include <utility>

using stagecraft::exercise::MutexLock;

Door::Door(Most most, Threads& threads, Serve serve)
    : most_(most), threads_(threads), serve_(std::move(serve)) {}

Door::Arrived Door::arrive(Visitor visitor) {
  // A thread for everybody. How many of this address are there already?
  threads_.start([this, visitor] { run(visitor); });
  return Arrived::has_a_thread;
}

void Door::run(Visitor visitor) {
  serve_(visitor);
  // And now? Somebody may be waiting for just this.
}

std::size_t Door::addresses_known() const {
  MutexLock lock(mutex_);
  return addresses_.size();
}
