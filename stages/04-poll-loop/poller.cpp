#include "poller.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <system_error>
#include <thread>

namespace stagecraft {
namespace {

short events_of(Interest interest) {
  switch (interest) {
    case Interest::none:
      return 0;
    case Interest::readable:
      return POLLIN;
    case Interest::writable:
      return POLLOUT;
  }
  return 0;
}

int poll_timeout(std::optional<std::chrono::milliseconds> timeout) {
  if (!timeout) return -1;
  const auto longest = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp<std::int64_t>(timeout->count(), 0, longest));
}

}  // namespace

void Poller::add(int descriptor, Interest interest, Watched& watched) {
  const auto number = static_cast<std::size_t>(descriptor);
  if (places_.size() <= number) places_.resize(number + 1);
  watched_.reserve(entries_.size() + 1);
  entries_.push_back({descriptor, events_of(interest), 0});
  watched_.push_back(&watched);
  places_[number] = entries_.size() - 1;
}

void Poller::change(int descriptor, Interest interest, Watched& watched) {
  const std::size_t place = places_[static_cast<std::size_t>(descriptor)];
  entries_[place].events = events_of(interest);
  watched_[place] = &watched;
}

// The last entry takes the place of the one that goes.
void Poller::remove(int descriptor) {
  const auto number = static_cast<std::size_t>(descriptor);
  const std::size_t place = number < places_.size() ? places_[number] : entries_.size();
  if (place >= entries_.size() || entries_[place].fd != descriptor) return;
  entries_[place] = entries_.back();
  watched_[place] = watched_.back();
  places_[static_cast<std::size_t>(entries_[place].fd)] = place;
  entries_.pop_back();
  watched_.pop_back();
}

std::span<const Poller::Event> Poller::wait(std::optional<std::chrono::milliseconds> timeout) {
  events_.clear();
  try {
    events_.reserve(entries_.size());
  } catch (const std::bad_alloc&) {
    // Those for whom there is no room now will still be ready at the next turn.
  }
  // The kernel is shown every socket each time, and asks each of them: with ten thousand clients
  // that say nothing this line is where the time goes.
  const int count = poll(entries_.data(), entries_.size(), poll_timeout(timeout));
  if (count < 0 && errno != EINTR && errno != ENOMEM) {
    throw std::system_error(errno, std::generic_category(), "poll");
  }
  // No room for the list in the kernel: it comes back with time, not by asking at once.
  if (count < 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (count <= 0) return {};
  // And so are we: which ones are ready is for us to find out.
  for (std::size_t i = 0; i < entries_.size() && events_.size() < events_.capacity(); ++i) {
    const short revents = entries_[i].revents;
    if (revents == 0) continue;
    events_.push_back({watched_[i],
                       {.readable = (revents & POLLIN) != 0,
                        .writable = (revents & POLLOUT) != 0,
                        .broken = (revents & (POLLERR | POLLHUP | POLLNVAL)) != 0}});
  }
  return events_;
}

}  // namespace stagecraft
