#include "support/client.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "support/printable.h"
#include "support/socket_queue.h"

namespace stagecraft::testing {
namespace {

// How long a piece waits for the server to receive the one before. A server that receives nothing
// for so long is busy; the pieces then just follow each other.
constexpr std::chrono::milliseconds piece_patience{1'000};

std::string system_text() { return std::strerror(errno); }

int connect_to(const Endpoint& server, int receive_buffer_bytes) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* addresses = nullptr;
  const int error =
      getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &addresses);
  if (error != 0) {
    throw std::runtime_error("no address for " + server.text() + ": " + gai_strerror(error));
  }
  int connected = -1;
  for (const addrinfo* each = addresses; each != nullptr && connected < 0; each = each->ai_next) {
    const int candidate =
        socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (candidate < 0) continue;
    if (receive_buffer_bytes > 0) {  // before connecting, when the window is agreed on
      setsockopt(candidate, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                 sizeof receive_buffer_bytes);
    }
    if (connect(candidate, each->ai_addr, each->ai_addrlen) == 0) {
      connected = candidate;
    } else {
      close(candidate);
    }
  }
  freeaddrinfo(addresses);
  if (connected < 0) {
    throw std::runtime_error("cannot connect to " + server.text() + ": " + system_text());
  }
  return connected;
}

}  // namespace

std::string Endpoint::text() const {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Endpoint parse_endpoint(std::string_view text) {
  const auto colon = text.rfind(':');
  Endpoint endpoint;
  if (colon != std::string_view::npos) {
    const std::string digits(text.substr(colon + 1));
    const unsigned long port = std::strtoul(digits.c_str(), nullptr, 10);
    if (port > 0 && port <= 65535) endpoint.port = static_cast<std::uint16_t>(port);
    endpoint.host = text.substr(0, colon);
  }
  if (endpoint.host.size() > 2 && endpoint.host.front() == '[' && endpoint.host.back() == ']') {
    endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  }
  if (endpoint.host.empty() || endpoint.port == 0) {
    throw std::invalid_argument("not HOST:PORT: `" + std::string(text) + "`");
  }
  return endpoint;
}

Client::Client(const Endpoint& server, int receive_buffer_bytes)
    : socket_(connect_to(server, receive_buffer_bytes)) {
  // The tests decide where the bytes are cut, not Nagle's algorithm.
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Client::~Client() { close(socket_); }

bool Client::wait_for(short events, const Deadline& deadline) const {
  pollfd entry{.fd = socket_, .events = events, .revents = 0};
  for (;;) {
    const int ready = poll(&entry, 1, deadline.remaining_ms());
    if (ready > 0) return true;
    if (ready == 0 && deadline.passed()) return false;
    if (ready < 0 && errno != EINTR) fail("poll failed: " + system_text());
  }
}

bool Client::receive_available() {
  std::array<char, 65536> buffer;
  if (ending_ != Ending::open) return false;
  const ssize_t count = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) {
    received_.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0) {
    ending_ = Ending::end_of_stream;
  } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
    return false;
  } else {
    ending_ = Ending::reset;
  }
  return true;
}

void Client::send(std::string_view bytes) {
  const Deadline deadline;
  sent_ += bytes;
  while (!bytes.empty() && ending_ != Ending::reset) {
    // Data from a server that has not read ours: take it, or both sides wait for each other. After
    // its end poll(2) would report it for ever, so that is asked for only while there may be more.
    const short events = ending_ == Ending::open ? POLLOUT | POLLIN : POLLOUT;
    if (!wait_for(events, deadline)) fail("the server takes no more bytes");
    receive_available();
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      // Linux still hands out what came before the reset; read it before it is forgotten.
      while (receive_available()) {
      }
      ending_ = Ending::reset;
    }
  }
}

void Client::send_cut(std::string_view bytes, const std::vector<std::size_t>& cuts) {
  std::size_t start = 0;
  for (const std::size_t cut : cuts) {
    send(bytes.substr(start, cut - start));
    start = cut;
    wait_until_received();
    if (ending_ != Ending::open) return;
  }
  send(bytes.substr(start));
}

void Client::send_byte_by_byte(std::string_view bytes) {
  std::vector<std::size_t> cuts;
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) cuts.push_back(cut);
  send_cut(bytes, cuts);
}

bool Client::wait_until_received() {
  const Deadline deadline(piece_patience);
  for (;;) {
    receive_available();
    if (ending_ != Ending::open || deadline.passed()) return false;
    const auto unread = unread_by_peer(socket_);
    if (!unread) return false;
    if (*unread == 0) return true;
    sched_yield();
  }
}

void Client::finish_sending() {
  finished_sending_ = true;
  shutdown(socket_, SHUT_WR);
}

HttpResponse Client::read_response(std::string_view method) {
  const Deadline deadline;
  for (;;) {
    const std::string_view all = std::string_view(received_).substr(consumed_);
    std::string_view rest = all;
    const Stream stream = ending_ == Ending::open ? Stream::open : Stream::ended;
    try {
      if (auto response = take_response(rest, method, stream)) {
        consumed_ += all.size() - rest.size();
        return *response;
      }
    } catch (const MalformedResponse& error) {
      fail(std::string("the answer is malformed: ") + error.what());
    }
    if (stream == Stream::ended) {
      fail(all.empty() ? "the connection ended without an answer"
                       : "the connection ended in the middle of an answer");
    }
    if (!wait_for(POLLIN, deadline)) fail("no whole answer came in time");
    receive_available();
  }
}

bool Client::readable() {
  receive_available();
  return received_.size() > consumed_ || ending_ != Ending::open;
}

void Client::wait_until_readable() {
  const Deadline deadline;
  while (!readable()) {
    if (!wait_for(POLLIN, deadline)) fail("no answer came in time");
  }
}

bool Client::readable_within(std::chrono::milliseconds time) {
  if (readable()) return true;
  pollfd entry{.fd = socket_, .events = POLLIN, .revents = 0};
  poll(&entry, 1, static_cast<int>(time.count()));
  return readable();
}

std::string Client::read_to_end() {
  const Deadline deadline;
  while (ending_ == Ending::open) {
    if (!wait_for(POLLIN, deadline)) fail("the server did not close the connection in time");
    receive_available();
  }
  std::string rest = received_.substr(consumed_);
  consumed_ = received_.size();
  return rest;
}

void Client::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(socket_);
  socket_ = -1;
  ending_ = Ending::reset;
}

std::string Client::conversation() const {
  std::string text = "sent:\n" + printable_lines(sent_) + "\n";
  if (finished_sending_) text += "    <half-closed>\n";
  text += "received:\n" + printable_lines(received_) + "\n";
  switch (ending_) {
    case Ending::open:
      return text + "    <still open>\n";
    case Ending::end_of_stream:
      return text + "    <closed>\n";
    case Ending::reset:
      break;
  }
  return text + "    <reset>\n";
}

void Client::fail(const std::string& what) const {
  throw std::runtime_error(what + "\n" + conversation());
}

}  // namespace stagecraft::testing
