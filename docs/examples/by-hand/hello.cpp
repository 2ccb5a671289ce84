// The smallest thing that a browser takes for a server. It has three mistakes, on purpose.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

constexpr std::string_view answer =
    "HTTP/1.1 200 OK\r\n"
    "Content-Length: 6\r\n"
    "Connection: close\r\n"
    "\r\n"
    "hello\n";

int main() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(8080);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    std::perror("bind");
    return 1;
  }
  listen(listener, 16);

  for (;;) {
    const int client = accept(listener, nullptr, nullptr);
    char request[1024];
    const ssize_t size = recv(client, request, sizeof request, 0);
    if (size > 0) {
      write(STDOUT_FILENO, request, static_cast<std::size_t>(size));
      send(client, answer.data(), answer.size(), 0);
    }
    close(client);
  }
}
