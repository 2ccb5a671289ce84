#include "timers.h"

#include <algorithm>

namespace stagecraft {

void Timers::add(Timed& timed) {
  all_.push_back(&timed);
  timed.place_ = all_.size() - 1;
}

void Timers::remove(Timed& timed) {
  all_[timed.place_] = all_.back();
  all_[timed.place_]->place_ = timed.place_;
  all_.pop_back();
}

// Looks at every connection there is. It is asked at every wake-up, which poll(2) has already made
// as expensive.
Timed* Timers::earliest() const {
  const auto first = std::ranges::min_element(all_, {}, &Timed::deadline_);
  return first == all_.end() ? nullptr : *first;
}

Timers::Clock::time_point Timers::next() {
  const Timed* first = earliest();
  return first == nullptr ? Clock::time_point::max() : first->deadline_;
}

Timed* Timers::take_due(Clock::time_point now) {
  Timed* first = earliest();
  if (first == nullptr || first->deadline_ > now) return nullptr;
  first->deadline_ = Clock::time_point::max();
  return first;
}

}  // namespace stagecraft
