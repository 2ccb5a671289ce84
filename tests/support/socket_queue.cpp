#include "support/socket_queue.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace stagecraft::testing {
namespace {

struct DiagRequest {
  nlmsghdr header;
  inet_diag_req_v2 body;
};

// The address of one end, where inet_diag wants it. False: not an internet socket.
bool store_address(const sockaddr_storage& from, __be32 (&address)[4], __be16& port) {
  if (from.ss_family == AF_INET) {
    sockaddr_in internet{};
    std::memcpy(&internet, &from, sizeof internet);
    address[0] = internet.sin_addr.s_addr;
    port = internet.sin_port;
    return true;
  }
  if (from.ss_family == AF_INET6) {
    sockaddr_in6 internet{};
    std::memcpy(&internet, &from, sizeof internet);
    std::memcpy(&address, &internet.sin6_addr, sizeof address);
    port = internet.sin6_port;
    return true;
  }
  return false;
}

// Asks for the one socket whose own end is our peer's and whose other end is ours.
bool make_request(int descriptor, DiagRequest& request) {
  sockaddr_storage own{};
  sockaddr_storage peer{};
  socklen_t own_length = sizeof own;
  socklen_t peer_length = sizeof peer;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_length) != 0) return false;
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peer_length) != 0) return false;
  inet_diag_sockid& id = request.body.id;
  if (!store_address(peer, id.idiag_src, id.idiag_sport)) return false;
  if (!store_address(own, id.idiag_dst, id.idiag_dport)) return false;
  id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  request.body.sdiag_family = static_cast<__u8>(peer.ss_family);
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~__u32{0};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  return true;
}

std::optional<inet_diag_msg> ask(int netlink, const DiagRequest& request) {
  if (send(netlink, &request, sizeof request, 0) != sizeof request) return std::nullopt;
  alignas(nlmsghdr) char answer[4096];
  const ssize_t received = recv(netlink, answer, sizeof answer, 0);
  nlmsghdr header{};
  inet_diag_msg message{};
  if (received < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof message)) return std::nullopt;
  std::memcpy(&header, answer, sizeof header);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  std::memcpy(&message, answer + NLMSG_HDRLEN, sizeof message);
  return message;
}

std::optional<inet_diag_msg> state_of_peer(int descriptor) {
  DiagRequest request{};
  if (!make_request(descriptor, request)) return std::nullopt;
  // One for the life of the program: a test asks thousands of times.
  static const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return std::nullopt;
  return ask(netlink, request);
}

}  // namespace

// For a connected socket rqueue is what has come and was not yet received by the program, wqueue
// what the program has sent and was not yet acknowledged.
std::optional<std::size_t> unread_by_peer(int descriptor) {
  const auto state = state_of_peer(descriptor);
  if (!state) return std::nullopt;
  return state->idiag_rqueue;
}

std::optional<std::size_t> on_the_way_from_peer(int descriptor) {
  const auto state = state_of_peer(descriptor);
  if (!state) return std::nullopt;
  return state->idiag_wqueue;
}

std::size_t on_the_way_to_peer(int descriptor) {
  int bytes = 0;
  ioctl(descriptor, SIOCOUTQ, &bytes);
  return static_cast<std::size_t>(bytes);
}

}  // namespace stagecraft::testing
