#include "timers.h"

namespace stagecraft {

void Timers::add(Timed& timed) {
  heap_.push_back({});
  put(heap_.size() - 1, {timed.deadline_, &timed});
  move_up(heap_.size() - 1);
}

void Timers::remove(Timed& timed) {
  const std::size_t place = timed.place_;
  const Node last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  put(place, last);
  move_up(place);
  move_down(last.timed->place_);
}

void Timers::set(Timed& timed, Clock::time_point deadline) {
  timed.deadline_ = deadline;
  Node& node = heap_[timed.place_];
  if (deadline >= node.due) return;  // later: noted, and that is all
  node.due = deadline;
  move_up(timed.place_);
}

Timers::Clock::time_point Timers::next() {
  settle_top();
  return heap_.empty() ? Clock::time_point::max() : heap_.front().due;
}

Timed* Timers::take_due(Clock::time_point now) {
  settle_top();
  if (heap_.empty() || heap_.front().due > now) return nullptr;
  Timed* first = heap_.front().timed;
  first->deadline_ = Clock::time_point::max();
  return first;
}

/// Moves nodes whose deadline has been put off down to where they belong, until the top is one
/// that is really due next.
void Timers::settle_top() {
  while (!heap_.empty() && heap_.front().due < heap_.front().timed->deadline_) {
    heap_.front().due = heap_.front().timed->deadline_;
    move_down(0);
  }
}

void Timers::move_up(std::size_t place) {
  const Node node = heap_[place];
  while (place > 0) {
    const std::size_t above = (place - 1) / 2;
    if (heap_[above].due <= node.due) break;
    put(place, heap_[above]);
    place = above;
  }
  put(place, node);
}

void Timers::move_down(std::size_t place) {
  const Node node = heap_[place];
  for (;;) {
    std::size_t below = 2 * place + 1;
    if (below >= heap_.size()) break;
    if (below + 1 < heap_.size() && heap_[below + 1].due < heap_[below].due) ++below;
    if (node.due <= heap_[below].due) break;
    put(place, heap_[below]);
    place = below;
  }
  put(place, node);
}

void Timers::put(std::size_t place, Node node) {
  heap_[place] = node;
  node.timed->place_ = place;
}

}  // namespace stagecraft
