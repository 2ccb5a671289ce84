#include "app/silent_clients.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <utility>

#include "net/unique_fd.h"

namespace stagecraft {

namespace {

// One of those that are counted, for as long as it lives.
class Counted {
 public:
  explicit Counted(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) {
    number_ = ++*count_;
  }
  Counted(Counted&&) noexcept = default;
  Counted& operator=(Counted&&) = delete;
  ~Counted() {
    if (count_) --*count_;
  }
  int number() const { return number_; }

 private:
  std::shared_ptr<std::atomic<int>> count_;
  int number_ = 0;
};

struct FreeAddress {
  void operator()(addrinfo* address) const { ::freeaddrinfo(address); }
};

// Connects to an address in numbers. Waits a second at most: if the server's queue of connections
// is full, the kernel does not answer.
UniqueFd connect_to(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {};
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);

  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, FreeAddress> target(found);

  UniqueFd socket(::socket(target->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return {};
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (::connect(socket.get(), target->ai_addr, target->ai_addrlen) != 0) return {};
  return socket;
}

}  // namespace

Status SilentClients::open(const std::string& address, std::chrono::milliseconds duration) {
  Counted client(count_);
  if (client.number() > max_clients) return Status::service_unavailable;
  UniqueFd socket = connect_to(address);
  if (!socket) return Status::service_unavailable;
  // The job does nothing: what it owns ends with it.
  scheduler_->after(duration, [client = std::move(client), socket = std::move(socket)] {});
  return Status::ok;
}

}  // namespace stagecraft
