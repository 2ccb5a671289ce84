// Socket addresses as text.
#pragma once

#include <sys/socket.h>

#include <string>

namespace stagecraft {

/// "127.0.0.1:8080", "[::1]:8080"; "" for a family that has no such form.
std::string address_text(const sockaddr_storage& address);

}  // namespace stagecraft
