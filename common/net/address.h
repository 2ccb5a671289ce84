// Socket addresses as text.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace stagecraft {

/// "127.0.0.1:8080", "[::1]:8080"; "" for a family that has no such form.
std::string address_text(const sockaddr_storage& address);

/// The port of an IPv4 or IPv6 address; 0 for other families.
std::uint16_t address_port(const sockaddr_storage& address);

/// The address of this end, or of the other, of the socket FD. Of family AF_UNSPEC if there is
/// none, as when the other side has gone already.
sockaddr_storage local_address_of(int fd);
sockaddr_storage remote_address_of(int fd);

}  // namespace stagecraft
