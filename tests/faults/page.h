// The memory by which a test tells a running server which of its system calls shall fail.
#pragma once

#include <atomic>
#include <cstdint>

namespace stagecraft::faults {

/// What can be made to fail. The numbers are part of the page: common/lab/survive_faults.py has
/// them too.
enum class Call : std::int64_t {
  none = 0,
  accept = 1,        ///< accept4(2)
  receive = 2,       ///< recv(2)
  send = 3,          ///< send(2), sendmsg(2)
  send_file = 4,     ///< sendfile(2)
  poll = 5,          ///< poll(2)
  epoll_wait = 6,    ///< epoll_wait(2)
  epoll_add = 7,     ///< epoll_ctl(2) with EPOLL_CTL_ADD
  epoll_change = 8,  ///< epoll_ctl(2) with EPOLL_CTL_MOD
  wake_up = 9,       ///< write(2) to an eventfd(2)
  acknowledge = 10,  ///< read(2) of an eventfd(2)
  open = 11,         ///< open(2), openat(2), openat2(2)
  file_status = 12,  ///< fstat(2)
  thread = 13,       ///< pthread_create(3)
  memory = 14,       ///< operator new
  descriptor = 15,   ///< socket(2), epoll_create1(2), eventfd(2)
  log = 16,          ///< write(2) to anything else
};

/// What happens to the call instead, where it is no number of an error.
enum What : std::int64_t {
  nothing = 0,
  short_count = 1000,  ///< it moves one byte
  hold = 1001,         ///< it waits until somebody has opened the FIFO beside the page, PAGE.go
};

/// Shared by mmap(2) of one file. Whoever arms it writes `call` last. All words have 64 bits, so
/// that a program in another language can write them as well.
struct Page {
  std::atomic<std::int64_t> call;    ///< a Call
  std::atomic<std::int64_t> what;    ///< an errno, or a What
  std::atomic<std::int64_t> first;   ///< the first of these calls that it happens to: 1, 2, ...
  std::atomic<std::int64_t> times;   ///< and to how many in succession
  std::atomic<std::int64_t> seen;    ///< how many of them have been made
  std::atomic<std::int64_t> struck;  ///< and to how many of these it has happened
  std::atomic<std::int64_t> held;    ///< 1: one is being held
  std::atomic<std::int64_t> result;  ///< what the one returned that was held; -errno if it failed
  std::atomic<std::int64_t> clock_offset_s;  ///< how far the wall clock has been put forward
  std::atomic<std::int64_t> starve;  ///< so many allocations fail that the thread tries after that
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(sizeof(Page) == 10 * sizeof(std::int64_t));

}  // namespace stagecraft::faults
