#include "echo.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

namespace {

struct Client {
  int fd;
  std::string waiting = {};  // to be sent back
  bool has_ended = false;    // it sends no more
  bool is_lost = false;      // nothing can be received from it, or sent to it
};

// What poll() is to tell us of: only what we would do something about. It reports a state, again
// and again as long as it lasts, and these two last: there is nearly always room to send, and an
// end, once it has come, stays. To ask for either without need is to ask never to sleep.
short interest(const Client& client) {
  short events = 0;
  if (!client.waiting.empty()) events |= POLLOUT;
  if (!client.has_ended && client.waiting.size() < most_waiting) events |= POLLIN;
  return events;
}

bool is_only_not_yet() { return errno == EAGAIN || errno == EINTR; }

void receive(Client& client) {
  std::array<char, 1024> piece;
  const ssize_t size = recv(client.fd, piece.data(), piece.size(), MSG_DONTWAIT);
  if (size > 0) client.waiting.append(piece.data(), static_cast<std::size_t>(size));
  if (size == 0) client.has_ended = true;
  if (size < 0 && !is_only_not_yet()) client.is_lost = true;
}

void send_back(Client& client) {
  const ssize_t size =
      send(client.fd, client.waiting.data(), client.waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (size > 0) client.waiting.erase(0, static_cast<std::size_t>(size));
  if (size < 0 && !is_only_not_yet()) client.is_lost = true;
}

bool is_done(const Client& client) {
  return client.is_lost || (client.has_ended && client.waiting.empty());
}

void serve(Client& client, short revents) {
  if ((revents & (POLLIN | POLLERR | POLLHUP)) != 0) receive(client);
  // At once, and not when poll() says that there is room: most often there is, and one call is
  // saved. If there is none, or too little, interest() sees to the rest.
  if (!client.is_lost && !client.waiting.empty()) send_back(client);
}

void close_those_done(std::vector<Client>& clients) {
  for (const Client& client : clients)
    if (is_done(client)) close(client.fd);
  std::erase_if(clients, is_done);
}

}  // namespace

void echo(int listener) {
  std::vector<Client> clients;
  for (bool open = true; open; close_those_done(clients)) {
    std::vector<pollfd> asked{{listener, POLLIN, 0}};
    for (const Client& client : clients) asked.push_back({client.fd, interest(client), 0});
    poll(asked.data(), asked.size(), -1);

    for (std::size_t i = 0; i < clients.size(); ++i)
      if (asked[i + 1].revents != 0) serve(clients[i], asked[i + 1].revents);
    if (asked[0].revents == 0) continue;
    const int fd = accept(listener, nullptr, nullptr);
    if (fd >= 0) clients.push_back({.fd = fd});
    open = fd >= 0 || errno != EINVAL;
  }
  for (const Client& client : clients) close(client.fd);
}
