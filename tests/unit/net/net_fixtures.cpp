#include "net_fixtures.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

using namespace stagecraft;

Connection connect_locally() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error("socketpair");
  }
  return {Socket(UniqueFd(ends[0])), Socket(UniqueFd(ends[1]))};
}

Connection connect_by_tcp() {
  Listener listener({.port = 0});
  Socket client = connect_to(listener);
  return {std::move(listener.accept().socket), std::move(client)};
}

Socket connect_to(const Listener& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), &size);
  UniqueFd fd(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) {
    throw std::runtime_error("connect");
  }
  return Socket(std::move(fd));
}

iovec piece(std::string_view text) {
  return {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
}

std::string receive(Socket& socket, std::size_t size) {
  std::string text(size, '\0');
  std::size_t received = 0;
  while (received < size) {
    const Io io = socket.recv(std::span(text).subspan(received));
    if (io.kind != Io::bytes) break;
    received += io.n;
  }
  text.resize(received);
  return text;
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

UniqueFd file_with(std::string_view content) {
  UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  if (::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    throw std::runtime_error("write");
  }
  return file;
}
