// A server that gives back what it is sent.
#pragma once

#include <cstddef>

/// What waits to be sent back to one client, in bytes, from which on no more is received from it.
inline constexpr std::size_t most_waiting = 4096;

/// Serves all who connect at `listener`, on the calling thread alone. Every byte of a client is
/// sent back to it, in order, as fast as it takes them. A client that has said that it sends no
/// more still gets what is due, and is closed then.
///
/// Waits in poll() alone, and calls for something only when there is something to do. Ends when
/// accept() fails with EINVAL, and closes all clients; the listener is the caller's.
void echo(int listener);
