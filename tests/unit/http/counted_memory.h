// The heap of a test program, counted.
#pragma once

#include <cstddef>

namespace stagecraft::testing {

/// How often operator new has been called. Linking counted_memory.cpp replaces it for the whole
/// program, which must have one thread only.
std::size_t allocations();
/// How many bytes have been asked of it, in all.
std::size_t allocated_bytes();

/// Lets the COUNTth allocation from now on fail with std::bad_alloc, and no other.
void fail_allocation(std::size_t count);
/// Calls that off. Says whether it has happened.
bool allocation_failed();

}  // namespace stagecraft::testing
