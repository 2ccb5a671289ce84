#include "serve.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace {

constexpr std::string_view empty_line = "\r\n\r\n";

// As read(2), but not ended by a signal.
ssize_t read_some(int fd, std::array<char, 1024>& piece) {
  ssize_t size = 0;
  do {
    size = read(fd, piece.data(), piece.size());
  } while (size < 0 && errno == EAGAIN);
  return size;
}

// True when the empty line has come. Kept is only what could be the beginning of one.
bool read_request(int fd) {
  std::string tail;
  std::array<char, 1024> piece{};
  for (ssize_t size = 0; (size = read_some(fd, piece)) > 0;) {
    tail.append(piece.data(), static_cast<std::size_t>(size));
    if (tail.find(empty_line) != std::string::npos) return true;
    if (tail.size() >= empty_line.size()) tail.erase(0, tail.size() - empty_line.size() + 1);
  }
  return false;
}

void write_all(int fd, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = write(fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A close with bytes unread sends a reset, which may overtake the answer and destroy it. So the
// client is told that the answer is over, and may send until it closes as well.
void finish(int fd) {
  shutdown(fd, SHUT_WR);
  std::array<char, 1024> piece{};
  while (read_some(fd, piece) > 0) {
  }
}

}  // namespace

void serve(int fd) {
  if (read_request(fd)) {
    write_all(fd, answer);
    finish(fd);
  }
  close(fd);
}
