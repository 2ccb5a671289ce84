#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace stagecraft {
namespace {

/// The bytes of ADDRESS as a T. Copied, because the language forbids to look at one object through
/// a pointer to another type, however much the socket interface invites to it.
template <typename T>
T as(const sockaddr_storage& address) {
  T result{};
  std::memcpy(&result, &address, sizeof result);
  return result;
}

using Ask = int (*)(int, sockaddr*, socklen_t*);

sockaddr_storage ask(Ask call, int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (call(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return address;
}

}  // namespace

std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> host{};
  const std::string port = ':' + std::to_string(address_port(address));
  if (address.ss_family == AF_INET) {
    const auto v4 = as<sockaddr_in>(address);
    return ::inet_ntop(AF_INET, &v4.sin_addr, host.data(), host.size()) + port;
  }
  if (address.ss_family == AF_INET6) {
    const auto v6 = as<sockaddr_in6>(address);
    return std::string("[") + ::inet_ntop(AF_INET6, &v6.sin6_addr, host.data(), host.size()) + ']' +
           port;
  }
  return {};
}

std::uint16_t address_port(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return ntohs(as<sockaddr_in>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(as<sockaddr_in6>(address).sin6_port);
  return 0;
}

sockaddr_storage local_address_of(int fd) { return ask(::getsockname, fd); }
sockaddr_storage remote_address_of(int fd) { return ask(::getpeername, fd); }

}  // namespace stagecraft
