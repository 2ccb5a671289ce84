// A connection that stops speaking HTTP, as an example.
#pragma once

#include "http/application.h"

namespace stagecraft {

/// Answers `Upgrade: echo` with 101, and gives back every byte that comes from then on, until the
/// client has sent its last. Bytes that came along with the request are the first. Anybody else is
/// told by 426 what to ask for (RFC 9110 section 15.5.22): a connection changes its protocol only
/// for a client that has offered to (section 7.8).
void upgrade_to_echo(const Request& request, Response& response);

}  // namespace stagecraft
