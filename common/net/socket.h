// A connected socket, and what one call on it can bring.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/limits.h"
#include "net/output.h"
#include "net/unique_fd.h"

namespace stagecraft {

/// What came of one receive or send. All four are daily fare for a server, so it is a value and not
/// an exception.
struct Io {
  enum Kind : std::uint8_t {
    bytes,        ///< `n` of them went through, at least one
    would_block,  ///< none now: not ready (non-blocking), or the time set for it is over (blocking)
    closed,       ///< received only: the other side has sent its last byte
    error,        ///< the connection is of no use any more; see error_number
  };
  Kind kind = bytes;
  std::size_t n = 0;
  int error_number = 0;
};

/// Owns one end of a stream connection. One thread at a time, but for shut_down_both().
class Socket {
 public:
  /// A single send() passes at most this much of a file to the kernel, so that even on a blocking
  /// socket the caller comes back to look at the clock.
  static constexpr std::size_t max_file_piece = 256 * KiB;

  Socket() noexcept = default;
  explicit Socket(UniqueFd fd) noexcept : fd_(std::move(fd)) {}

  /// Receives what is there, up to room.size() bytes, which must not be 0. One recv(2).
  Io recv(std::span<char> room) noexcept;

  /// Receives what is there and does not wait if there is nothing, also on a blocking socket
  /// (MSG_DONTWAIT).
  Io recv_now(std::span<char> room) noexcept;

  /// Sends what the kernel will take of OUTPUT, which must not be empty: pieces of memory if there
  /// are any, otherwise a piece of the file. One system call (send, sendmsg or sendfile), hence
  /// often only a part; OUTPUT is left as it is and the caller accounts for Io::n. A file that has
  /// become shorter than its range says is an error, EIO: the length has been announced and cannot
  /// be kept.
  ///
  /// The calling thread must block or ignore SIGPIPE, for which sendfile(2) has no flag.
  Io send(const Output& output) noexcept;

  /// Says to the other side that nothing more will come, and goes on receiving.
  void shut_down_write() noexcept;

  /// Ends both directions: a thread that waits in recv() or send() comes back. The one thing that a
  /// thread other than the owner's may do, provided that it knows (by a mutex that also guards the
  /// closing) that the socket has not been closed.
  void shut_down_both() noexcept;

  /// On a blocking socket: how long one recv() or send() may wait before it returns would_block; 0
  /// for without end. A time that is already over is therefore the caller's to notice. (SO_RCVTIMEO
  /// and SO_SNDTIMEO, man 7 socket.) Throws std::system_error.
  void set_receive_timeout(std::chrono::milliseconds timeout);
  void set_send_timeout(std::chrono::milliseconds timeout);

  /// Sends small segments at once instead of waiting for the acknowledgement of earlier ones
  /// (TCP_NODELAY). Does nothing on a socket that is not TCP.
  void set_no_delay() noexcept;

  /// From now on recv() and send() never wait. Throws std::system_error.
  void set_nonblocking();

  /// Closes with a reset instead of an orderly end, so that the other side cannot take what it has
  /// received for the whole (SO_LINGER with time 0).
  void close_with_reset() noexcept;

  /// "127.0.0.1:54321" or "[::1]:54321"; "" if there is none, as when the other side has gone
  /// already.
  std::string remote_address() const;
  std::string local_address() const;

  int descriptor() const noexcept { return fd_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(fd_); }

 private:
  UniqueFd fd_;
};

}  // namespace stagecraft
