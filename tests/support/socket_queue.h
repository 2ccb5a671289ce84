// A look at the kernel's queues, so that tests can wait for an event where others sleep.
#pragma once

#include <cstddef>
#include <optional>

namespace stagecraft::testing {

/// How many bytes that were sent on the connected TCP socket `descriptor` its peer has not received
/// from the kernel yet. Nothing if the peer is on another machine, has closed, or the kernel cannot
/// say (see sock_diag(7)).
std::optional<std::size_t> unread_by_peer(int descriptor);

/// How many bytes the peer of the connected TCP socket `descriptor` has sent that are still on
/// their way to us. With none under way, and none to be received, it has sent nothing.
std::optional<std::size_t> on_the_way_from_peer(int descriptor);

/// How many bytes that were sent on `descriptor` have not reached its peer's kernel yet.
std::size_t on_the_way_to_peer(int descriptor);

}  // namespace stagecraft::testing
