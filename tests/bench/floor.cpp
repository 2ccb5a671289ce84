// The floor: an epoll server without HTTP. What it costs is the kernel's price for a request;
// whatever a real server costs above it, it pays for understanding the request.
//
//     floor [PORT]    listens on 127.0.0.1:PORT, any free port by default, until it is killed
//
// One recv, count the empty lines in it, one send of as many canned answers: no parser, no timer,
// no limit, no memory per connection. A request that two receives cut within its empty line goes
// unseen, and an answer that does not fit the socket ends the connection: no server should be built
// like this.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// As long, byte for byte, as the answer of the stages to /plaintext.
constexpr char answer[] =
    "HTTP/1.1 200 OK\r\nServer: floorfloor\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
    "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 12\r\n\r\nhello world\n";

int must(int result, const char* call) {
  if (result >= 0) return result;
  std::perror(call);
  std::exit(1);
}

int listen_on(std::uint16_t port) {
  const int listener = must(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
  const int on = 1;
  must(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "setsockopt");
  must(setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "setsockopt");  // inherited
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  must(bind(listener, any, size), "bind");
  must(listen(listener, 4096), "listen");
  must(getsockname(listener, any, &size), "getsockname");
  std::printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return listener;
}

void watch(int epoll, int descriptor) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
  must(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
}

void serve(int client) {
  static std::array<char, 65536> input;
  static std::string output;
  const ssize_t received = recv(client, input.data(), input.size(), 0);
  output.clear();
  const char* rest = input.data();
  const char* const end = rest + (received > 0 ? received : 0);
  const auto empty_line = [&] {
    return memmem(rest, static_cast<size_t>(end - rest), "\r\n\r\n", 4);
  };
  while (const void* found = empty_line()) {
    output += answer;
    rest = static_cast<const char*>(found) + 4;
  }
  const auto size = static_cast<ssize_t>(output.size());
  if (received <= 0 ||
      (size > 0 && send(client, output.data(), output.size(), MSG_NOSIGNAL) < size)) {
    close(client);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int port = count > 1 ? std::atoi(arguments[1]) : 0;
  const int listener = listen_on(static_cast<std::uint16_t>(port));
  const int epoll = must(epoll_create1(0), "epoll_create1");
  watch(epoll, listener);
  while (true) {
    std::array<epoll_event, 256> events;
    const int ready = epoll_wait(epoll, events.data(), events.size(), -1);
    if (ready < 0 && errno != EINTR) must(ready, "epoll_wait");  // a tracer interrupts it
    for (int i = 0; i < ready; ++i) {
      const int descriptor = events[static_cast<size_t>(i)].data.fd;
      if (descriptor != listener) {
        serve(descriptor);
      } else if (const int client = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
                 client >= 0) {
        watch(epoll, client);
      }
    }
  }
}
