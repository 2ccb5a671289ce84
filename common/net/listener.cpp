#include "net/listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

#include "net/address.h"

namespace stagecraft {
namespace {

/// The errors of getaddrinfo(3), which have numbers and texts of their own.
class ResolverCategory : public std::error_category {
 public:
  const char* name() const noexcept override { return "getaddrinfo"; }
  std::string message(int error) const override { return ::gai_strerror(error); }
};

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error == EAI_SYSTEM) {
    throw std::system_error(errno, std::generic_category(), "resolve " + host);
  }
  static const ResolverCategory category;
  if (error != 0) throw std::system_error(error, category, "resolve " + host);
  return Addresses(list);
}

std::string text_of(const addrinfo& address) {
  sockaddr_storage storage{};
  std::memcpy(&storage, address.ai_addr, address.ai_addrlen);
  return address_text(storage);
}

[[noreturn]] void fail(const char* call, const addrinfo& address) {
  const int error = errno;
  throw std::system_error(error, std::generic_category(),
                          std::string(call) + ' ' + text_of(address));
}

void switch_on(int fd, int option, const char* call, const addrinfo& address) {
  const int on = 1;
  if (::setsockopt(fd, SOL_SOCKET, option, &on, sizeof on) != 0) fail(call, address);
}

UniqueFd listen_at(const addrinfo& address, const ListenerOptions& options) {
  UniqueFd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) fail("socket", address);
  if (options.reuse_addr) switch_on(fd.get(), SO_REUSEADDR, "setsockopt SO_REUSEADDR", address);
  if (options.reuse_port) switch_on(fd.get(), SO_REUSEPORT, "setsockopt SO_REUSEPORT", address);
  if (::bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0) fail("bind", address);
  if (::listen(fd.get(), options.backlog) != 0) fail("listen", address);
  return fd;
}

UniqueFd listen_anywhere(const ListenerOptions& options) {
  UniqueFd fd;
  const Addresses addresses = resolve(options.host, options.port);
  for (const addrinfo* address = addresses.get(); !fd; address = address->ai_next) {
    try {
      fd = listen_at(*address, options);
    } catch (const std::system_error& error) {
      // A name may stand for an IPv6 address on a machine without IPv6: then the next will do. But
      // a port that is taken at one of them is taken; to listen on half of a name would be a
      // surprise.
      const bool no_such_address = error.code() == std::errc::address_not_available ||
                                   error.code() == std::errc::address_family_not_supported;
      if (!no_such_address || address->ai_next == nullptr) throw;
    }
  }
  return fd;
}

UniqueFd duplicate_of(int descriptor) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens == 0) {
    errno = EINVAL;
    listens = -1;
  }
  const int copy = listens > 0 ? ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1;
  if (copy < 0) {
    throw std::system_error(errno, std::generic_category(),
                            "descriptor " + std::to_string(descriptor) + " as a listening socket");
  }
  return UniqueFd(copy);
}

UniqueFd open_spare() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

/// What a failed accept(2) means for who asked.
Accepted::Kind classify(int error_number) {
  switch (error_number) {
    case EAGAIN:
      return Accepted::would_block;
    case EMFILE:   // no descriptor left: of the process
    case ENFILE:   // of the system
    case ENOBUFS:  // no memory
    case ENOMEM:
      return Accepted::out_of_descriptors;
    case EINVAL:  // no longer listening
    case EBADF:
      return Accepted::closed;
    // ECONNABORTED: the client was gone before we asked. EINTR: a signal. And on Linux accept()
    // hands on what the network has to say about that one connection (man 2 accept, "Error
    // handling"), as well as EPERM from a firewall.
    default:
      return Accepted::transient;
  }
}

}  // namespace

Listener::Listener(const ListenerOptions& options)
    : fd_(options.descriptor >= 0 ? duplicate_of(options.descriptor) : listen_anywhere(options)),
      spare_(open_spare()) {
  const sockaddr_storage bound = local_address_of(fd_.get());
  address_ = address_text(bound);
  port_ = address_port(bound);
}

Accepted Listener::accept(SocketMode mode) {
  const int flags = SOCK_CLOEXEC | (mode == SocketMode::nonblocking ? SOCK_NONBLOCK : 0);
  sockaddr_storage remote{};
  socklen_t size = sizeof remote;
  UniqueFd fd(::accept4(fd_.get(), reinterpret_cast<sockaddr*>(&remote), &size, flags));
  if (!fd) return {.kind = classify(errno), .error_number = errno};
  try {
    return {.kind = Accepted::connection,
            .socket = Socket(std::move(fd)),
            .remote_address = address_text(remote)};
  } catch (const std::bad_alloc&) {
    return {.kind = Accepted::out_of_descriptors, .error_number = ENOMEM};
  }
}

bool Listener::shed_one() noexcept {
  spare_.reset();
  // accept() lacks a descriptor even when nobody waits, and this must not wait then.
  const int flags = ::fcntl(fd_.get(), F_GETFL);
  ::fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK);
  UniqueFd unlucky(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ::fcntl(fd_.get(), F_SETFL, flags);
  const bool shed = static_cast<bool>(unlucky);
  unlucky.reset();  // before the spare is opened again: it may be the last descriptor there is
  spare_ = open_spare();
  return shed;
}

// Of a listening socket Linux tells the length of the queue where it tells of a connection the
// segments that are not acknowledged. `ss -ltn` shows it under Recv-Q.
std::size_t Listener::waiting() const noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  ::getsockopt(fd_.get(), IPPROTO_TCP, TCP_INFO, &info, &size);
  return info.tcpi_unacked;
}

void Listener::set_nonblocking() {
  const int flags = ::fcntl(fd_.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "fcntl O_NONBLOCK");
  }
}

// On Linux shutdown(2) also ends a listening socket: accept() fails with EINVAL from then on.
void Listener::shut_down() noexcept { ::shutdown(fd_.get(), SHUT_RDWR); }

}  // namespace stagecraft
