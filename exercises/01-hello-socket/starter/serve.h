// One client, served by system calls alone.
#pragma once

#include <string_view>

/// What every client gets, byte for byte.
inline constexpr std::string_view answer =
    "HTTP/1.1 200 OK\r\n"
    "Content-Length: 6\r\n"
    "Connection: close\r\n"
    "\r\n"
    "hello\n";

/// Reads one request from the connected socket `fd`, sends the answer, and closes `fd`.
///
/// A request ends with the first empty line, "\r\n\r\n". If the client ends before that, it has
/// asked nothing and gets nothing. Waits as long as it takes; throws nothing.
void serve(int fd);
