// The socket that a service manager opens for its service.
#pragma once

namespace stagecraft {

/// The listening socket that systemd or one like it has passed on to this process, or -1 (socket
/// activation, man 3 sd_listen_fds: its number is 3, and two variables of the environment say that
/// it is meant for us). Clients can connect from the boot on, and while one server follows another:
/// they wait in the queue of a socket that nobody closes.
///
/// The variables are removed, so that no program which we start takes it for its own. Call it
/// before there are threads. Throws std::runtime_error if there are several sockets.
int inherited_socket();

}  // namespace stagecraft
