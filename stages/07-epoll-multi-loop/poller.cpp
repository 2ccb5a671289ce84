#include "poller.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

namespace stagecraft {
namespace {

std::uint32_t events_of(Interest interest) {
  switch (interest) {
    case Interest::none:
      return 0;
    case Interest::readable:
      return EPOLLIN;
    case Interest::writable:
      return EPOLLOUT;
  }
  return 0;
}

int poll_timeout(std::optional<std::chrono::milliseconds> timeout) {
  if (!timeout) return -1;
  const auto longest = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp<std::int64_t>(timeout->count(), 0, longest));
}

}  // namespace

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

void Poller::add(int descriptor, Interest interest, Watched& watched) {
  epoll_event event{.events = events_of(interest), .data = {.ptr = &watched}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

bool Poller::change(int descriptor, Interest interest, Watched& watched) {
  epoll_event event{.events = events_of(interest), .data = {.ptr = &watched}};
  return epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event) == 0;
}

void Poller::remove(int descriptor) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr); }

std::span<const Poller::Event> Poller::wait(std::optional<std::chrono::milliseconds> timeout) {
  const int count = epoll_wait(epoll_.get(), reported_.data(), max_events, poll_timeout(timeout));
  if (count < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "epoll_wait");
  }
  if (count <= 0) return {};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::uint32_t events = reported_[i].events;
    events_[i] = {static_cast<Watched*>(reported_[i].data.ptr),
                  {.readable = (events & EPOLLIN) != 0,
                   .writable = (events & EPOLLOUT) != 0,
                   .broken = (events & (EPOLLERR | EPOLLHUP)) != 0}};
  }
  return {events_.data(), static_cast<std::size_t>(count)};
}

}  // namespace stagecraft
