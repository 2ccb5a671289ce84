#include "net/socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>
#include <system_error>

#include "net/address.h"

namespace stagecraft {
namespace {

// MSG_NOSIGNAL: a client that has gone is EPIPE here and not a SIGPIPE that ends the program.
// MSG_MORE: more follows at once, so do not send a half-filled segment for this.

/// What a failed call on a connection means.
Io failure(int error_number) {
  const bool no_room = error_number == EAGAIN || error_number == EWOULDBLOCK;
  return {.kind = no_room ? Io::would_block : Io::error, .error_number = error_number};
}

/// Calls CALL until no signal comes between.
template <typename Call>
ssize_t uninterrupted(Call call) {
  ssize_t result = 0;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

Io receive(int fd, std::span<char> room, int flags) {
  assert(!room.empty());  // recv(2) into no room returns 0, which would look like the end
  const ssize_t n = uninterrupted([&] { return ::recv(fd, room.data(), room.size(), flags); });
  if (n < 0) return failure(errno);
  if (n == 0) return {.kind = Io::closed};
  return {.kind = Io::bytes, .n = static_cast<std::size_t>(n)};
}

ssize_t send_memory(int fd, std::span<const iovec> memory, bool file_follows) {
  const std::size_t pieces = std::min<std::size_t>(memory.size(), IOV_MAX);
  const bool more = file_follows || pieces < memory.size();
  const int flags = MSG_NOSIGNAL | (more ? MSG_MORE : 0);
  if (pieces == 1) {
    return uninterrupted([&] { return ::send(fd, memory[0].iov_base, memory[0].iov_len, flags); });
  }
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(memory.data());  // not written to: man 2 sendmsg takes const
  message.msg_iovlen = pieces;
  return uninterrupted([&] { return ::sendmsg(fd, &message, flags); });
}

ssize_t send_file(int fd, const FileRange& range) {
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(range.length, Socket::max_file_piece));
  return uninterrupted([&] {
    auto offset = static_cast<off_t>(range.offset);  // a copy: sendfile moves it on
    return ::sendfile(fd, range.file.get(), &offset, size);
  });
}

void set_timeout(int fd, int option, const char* name, std::chrono::milliseconds timeout) {
  assert(timeout.count() >= 0);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const std::chrono::microseconds rest = timeout - seconds;
  const timeval value{.tv_sec = seconds.count(), .tv_usec = rest.count()};
  if (::setsockopt(fd, SOL_SOCKET, option, &value, sizeof value) != 0) {
    throw std::system_error(errno, std::generic_category(), name);
  }
}

}  // namespace

Io Socket::recv(std::span<char> room) noexcept { return receive(fd_.get(), room, 0); }

Io Socket::recv_now(std::span<char> room) noexcept {
  return receive(fd_.get(), room, MSG_DONTWAIT);
}

Io Socket::send(const Output& output) noexcept {
  const bool has_file = output.file != nullptr && output.file->length > 0;
  const bool has_memory = !output.memory.empty();
  assert(has_memory || has_file);
  const ssize_t n = has_memory ? send_memory(fd_.get(), output.memory, has_file)
                               : send_file(fd_.get(), *output.file);
  if (n < 0) return failure(errno);
  // Sockets take something or fail; only a file can have nothing more to give.
  if (n == 0) return {.kind = Io::error, .error_number = EIO};
  return {.kind = Io::bytes, .n = static_cast<std::size_t>(n)};
}

// The results of shutdown(2) are of no interest: it fails only if the connection has ended already.
void Socket::shut_down_write() noexcept { ::shutdown(fd_.get(), SHUT_WR); }
void Socket::shut_down_both() noexcept { ::shutdown(fd_.get(), SHUT_RDWR); }

void Socket::set_receive_timeout(std::chrono::milliseconds timeout) {
  set_timeout(fd_.get(), SO_RCVTIMEO, "setsockopt SO_RCVTIMEO", timeout);
}

void Socket::set_send_timeout(std::chrono::milliseconds timeout) {
  set_timeout(fd_.get(), SO_SNDTIMEO, "setsockopt SO_SNDTIMEO", timeout);
}

void Socket::set_no_delay() noexcept {
  const int on = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void Socket::set_nonblocking() {
  const int flags = ::fcntl(fd_.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "fcntl O_NONBLOCK");
  }
}

void Socket::close_with_reset() noexcept {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fd_.reset();
}

std::string Socket::remote_address() const { return address_text(remote_address_of(fd_.get())); }
std::string Socket::local_address() const { return address_text(local_address_of(fd_.get())); }

}  // namespace stagecraft
