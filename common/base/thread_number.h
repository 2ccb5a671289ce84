// A small number for each thread.
#pragma once

#include <cstdint>

namespace stagecraft {

/// The calling thread's number: 1 for the first thread of the program that asks, 2 for the next.
/// The kernel's thread ids would do as well, but nobody can tell two of those apart at a glance.
std::uint32_t thread_number();

}  // namespace stagecraft
