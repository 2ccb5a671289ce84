// The socket on which connections arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "net/socket.h"
#include "net/unique_fd.h"

namespace stagecraft {

/// Where and how to listen.
struct ListenerOptions {
  std::string host = "127.0.0.1";  ///< a numeric IPv4 or IPv6 address, or a name such as localhost
  std::uint16_t port = 8080;       ///< 0: any free one
  int backlog = 4096;       ///< connections the kernel completes before accept() asks for them
  bool reuse_addr = true;   ///< SO_REUSEADDR: do not wait for old connections of the port to expire
  bool reuse_port = false;  ///< SO_REUSEPORT: other sockets may listen on the same port as well
  /// A socket that listens already, opened by whoever started us: then nothing of the above counts.
  /// It stays the caller's; the Listener works on a duplicate, and closing that closes nobody
  /// else's.
  int descriptor = -1;
};

/// What came of one accept().
struct Accepted {
  enum Kind : std::uint8_t {
    connection,          ///< `socket` and `remote_address` are set
    would_block,         ///< non-blocking, and nobody waits
    transient,           ///< that one client went away or was refused on the way: accept the next
    out_of_descriptors,  ///< or of memory: back off, see shed_one()
    closed,              ///< shut_down() was called
  };
  Kind kind = would_block;
  Socket socket{};
  std::string remote_address{};  ///< "127.0.0.1:54321"
  int error_number = 0;          ///< errno, where it is not a connection
};

/// Whether the sockets that accept() returns may wait in recv() and send().
enum class SocketMode : std::uint8_t { blocking, nonblocking };

/// Listens from construction to destruction. One thread at a time, but for shut_down().
class Listener {
 public:
  /// Listens at the first address of `host` that can be had. Throws std::system_error that names
  /// the call and the address: "bind 127.0.0.1:8080: Address already in use".
  explicit Listener(const ListenerOptions& options);

  /// The next connection. Waits for one, unless set_nonblocking() was called.
  Accepted accept(SocketMode mode = SocketMode::blocking);

  /// Takes one waiting connection and closes it at once, with the descriptor that was kept in
  /// reserve for this. For when accept() has said out_of_descriptors: a client that waits learns
  /// that it has no luck here, instead of hanging in the backlog. Never waits; false if nobody was
  /// there. Since accept() lacks a descriptor even when nobody waits, the caller must pause before
  /// it tries again.
  bool shed_one() noexcept;

  /// How many connections the kernel has completed that wait to be accepted. Any thread may ask.
  std::size_t waiting() const noexcept;

  /// From now on accept() never waits. Throws std::system_error.
  void set_nonblocking();

  /// Stops listening: accept(), also one that waits in another thread, returns `closed`.
  /// Connections that were not accepted are reset by the kernel. Any thread may call it while the
  /// Listener exists.
  void shut_down() noexcept;

  /// The port that it really listens on, also when 0 was asked for.
  std::uint16_t port() const noexcept { return port_; }

  /// "127.0.0.1:8080" or "[::1]:8080", as it belongs into a URL.
  const std::string& address() const noexcept { return address_; }

  int descriptor() const noexcept { return fd_.get(); }

 private:
  UniqueFd fd_;
  UniqueFd spare_;  ///< on /dev/null: closed when a descriptor is needed to shed a connection
  std::string address_;
  std::uint16_t port_ = 0;
};

}  // namespace stagecraft
