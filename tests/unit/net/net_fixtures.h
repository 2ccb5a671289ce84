// Connected sockets and files for the tests of this folder.
#pragma once

#include <sys/uio.h>

#include <string>
#include <string_view>
#include <utility>

#include "net/listener.h"
#include "net/socket.h"
#include "net/unique_fd.h"

/// Two ends of one connection.
struct Connection {
  stagecraft::Socket server, client;
};

/// Within the kernel: quick, and with buffers that are easily filled.
Connection connect_locally();

/// Over TCP on 127.0.0.1.
Connection connect_by_tcp();

/// A client connected to LISTENER, which may not have accepted it yet.
stagecraft::Socket connect_to(const stagecraft::Listener& listener);

/// TEXT as a piece of an Output.
iovec piece(std::string_view text);

/// Receives SIZE bytes, or fewer if the end comes before.
std::string receive(stagecraft::Socket& socket, std::size_t size);

/// Whether FD is an open descriptor of this process.
bool is_open(int fd);

/// An open file with this CONTENT and no name.
stagecraft::UniqueFd file_with(std::string_view content);
