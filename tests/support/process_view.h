// A look at another process from outside, by what /proc says of it (man 5 proc).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecraft::testing {

/// One thread of a process at one moment.
struct ThreadView {
  pid_t id = 0;
  bool asleep = false;         ///< waits for something; neither runs nor could
  std::uint64_t switches = 0;  ///< how often it went to sleep or was interrupted, since its start
  bool operator==(const ThreadView&) const = default;
};

/// The threads of `process`, by number; none if it has ended.
std::vector<ThreadView> threads_of(pid_t process);

/// True if there was a moment during the call at which every thread of `process` slept. Then
/// nothing goes on in there until something comes from outside, or a time is up: what it has not
/// done by now, it does not do for what it has received by now.
bool at_rest(pid_t process);

/// Waits for such a moment. A server that spins never has one: then this throws std::runtime_error
/// when the usual bound is up.
void wait_until_at_rest(pid_t process);

/// How often all its threads together have gone to sleep: unchanged means that none has woken up.
std::uint64_t switches_of(pid_t process);

/// How many descriptors it has open.
std::size_t descriptors_of(pid_t process);

/// Memory that is in use by it alone and was not read from a file: heap and stacks.
std::size_t private_memory_bytes_of(pid_t process);

/// Processor time that it has used so far.
std::chrono::milliseconds processor_time_of(pid_t process);

/// Whether `signal` was sent to it and it has not been told yet.
bool signal_pending(pid_t process, int signal);

}  // namespace stagecraft::testing
