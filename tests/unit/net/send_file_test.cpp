#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>

#include "catch.h"
#include "net_fixtures.h"

using namespace stagecraft;

namespace {

/// Bytes that the kernel has taken from us and not yet passed to the network.
int held_back(const Socket& socket) {
  int bytes = 0;
  ::ioctl(socket.descriptor(), SIOCOUTQNSD, &bytes);
  return bytes;
}

}  // namespace

TEST_CASE("first memory, then the file's range, one call each") {
  Connection connection = connect_by_tcp();
  const FileRange range{.file = file_with("0123456789"), .offset = 2, .length = 5};
  const iovec head = piece("head ");

  Io io = connection.server.send({.memory = {&head, 1}, .file = &range});
  CHECK(io.kind == Io::bytes);
  CHECK(io.n == 5);
  io = connection.server.send({.file = &range});
  CHECK(io.kind == Io::bytes);
  CHECK(io.n == 5);
  CHECK(receive(connection.client, 10) == "head 23456");

  // The range is the caller's: neither it nor the descriptor's own position has moved.
  CHECK(range.offset == 2);
  CHECK(range.length == 5);
  CHECK(::lseek(range.file.get(), 0, SEEK_CUR) == 10);
  CHECK(connection.server.send({.file = &range}).n == 5);
  CHECK(receive(connection.client, 5) == "23456");
}

TEST_CASE("memory before a file waits for it, so that both share a segment") {
  const FileRange range{.file = file_with("0123456789"), .length = 10};
  const iovec head = piece("head ");
  // The kernel lets go of what it holds back after 200 ms, so on a busy machine once may not do.
  bool held = false;
  for (int attempt = 0; attempt < 10 && !held; ++attempt) {
    Connection connection = connect_by_tcp();
    connection.server.set_no_delay();
    connection.server.send({.memory = {&head, 1}, .file = &range});
    held = held_back(connection.server) == 5;
    connection.server.send({.file = &range});
    CHECK(receive(connection.client, 15) == "head 0123456789");
  }
  CHECK(held);
}

TEST_CASE("memory alone does not wait, nor does it for an empty range") {
  const FileRange empty{.file = file_with(""), .length = 0};
  const iovec head = piece("head ");
  for (const FileRange* file : {static_cast<const FileRange*>(nullptr), &empty}) {
    Connection connection = connect_by_tcp();
    connection.server.set_no_delay();
    connection.server.send({.memory = {&head, 1}, .file = file});
    CHECK(held_back(connection.server) == 0);
  }
}

TEST_CASE("a large file goes in pieces, also on a socket that waits") {
  Connection connection = connect_locally();
  const std::string content(3 * Socket::max_file_piece + 10, 'f');
  FileRange range{.file = file_with(content), .length = content.size()};
  std::string received;
  std::thread client([&] { received = receive(connection.client, content.size()); });
  std::size_t calls = 0;
  for (; range.length > 0; ++calls) {
    const Io io = connection.server.send({.file = &range});
    if (io.kind != Io::bytes) break;
    range.offset += io.n;
    range.length -= io.n;
  }
  connection.server.shut_down_write();
  client.join();
  CHECK(received == content);
  CHECK(calls >= 4);
}

TEST_CASE("a file without waiting: a part, then nothing") {
  Connection connection = connect_locally();
  connection.server.set_nonblocking();
  const FileRange range{.file = file_with(std::string(1 << 20, 'f')), .length = 1 << 20};
  Io io;
  while ((io = connection.server.send({.file = &range})).kind == Io::bytes) {
  }
  CHECK(io.kind == Io::would_block);
}

TEST_CASE("a file that has become shorter is an error") {
  Connection connection = connect_locally();
  FileRange range{.file = file_with("0123456789"), .length = 10};
  REQUIRE(::ftruncate(range.file.get(), 4) == 0);
  Io io = connection.server.send({.file = &range});
  REQUIRE(io.kind == Io::bytes);
  CHECK(io.n == 4);
  range.offset += io.n;
  range.length -= io.n;
  io = connection.server.send({.file = &range});
  CHECK(io.kind == Io::error);
  CHECK(io.error_number == EIO);
}
