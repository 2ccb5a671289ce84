#include "net/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <thread>
#include <vector>

#include "catch.h"
#include "net_fixtures.h"

using namespace stagecraft;
using namespace std::chrono_literals;

namespace {

Io send_text(Socket& socket, std::string_view text) {
  const iovec one = piece(text);
  return socket.send({.memory = {&one, 1}});
}

/// How many signals have been handled.
std::atomic<int> signals{0};
extern "C" void count_signal(int) { ++signals; }

/// Sends SIGUSR1 to THREAD until a good number has been handled, with a handler that makes blocking
/// calls return EINTR.
class Interrupter {
 public:
  Interrupter() {
    struct sigaction action {};
    action.sa_handler = count_signal;
    sigaction(SIGUSR1, &action, &before_);
    signals = 0;
  }
  ~Interrupter() { sigaction(SIGUSR1, &before_, nullptr); }
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;

  static void interrupt(std::thread& thread) {
    while (signals < 50) {
      pthread_kill(thread.native_handle(), SIGUSR1);
      std::this_thread::yield();
    }
  }

 private:
  struct sigaction before_ {};
};

}  // namespace

TEST_CASE("recv: bytes, and then the end") {
  Connection connection = connect_locally();
  REQUIRE(send_text(connection.client, "hello").n == 5);
  std::array<char, 3> room{};
  Io io = connection.server.recv(room);
  CHECK(io.kind == Io::bytes);
  CHECK(io.n == 3);
  CHECK(std::string_view(room.data(), 3) == "hel");
  CHECK(receive(connection.server, 2) == "lo");

  connection.client.shut_down_write();
  io = connection.server.recv(room);
  CHECK(io.kind == Io::closed);
  CHECK(io.n == 0);
  CHECK(connection.server.recv(room).kind == Io::closed);

  // Only one half is closed: the answer still arrives.
  CHECK(send_text(connection.server, "answer").kind == Io::bytes);
  CHECK(receive(connection.client, 6) == "answer");
}

TEST_CASE("recv without waiting: nothing there") {
  Connection connection = connect_locally();
  connection.server.set_nonblocking();
  std::array<char, 3> room{};
  CHECK(connection.server.recv(room).kind == Io::would_block);
  send_text(connection.client, "x");
  CHECK(connection.server.recv(room).kind == Io::bytes);
}

TEST_CASE("recv_now does not wait on a socket that does") {
  Connection connection = connect_locally();
  std::array<char, 3> room{};
  CHECK(connection.server.recv_now(room).kind == Io::would_block);
  send_text(connection.client, "x");
  CHECK(connection.server.recv_now(room).n == 1);
  CHECK(connection.server.recv_now(room).kind == Io::would_block);
  connection.client.shut_down_write();
  CHECK(connection.server.recv_now(room).kind == Io::closed);
}

TEST_CASE("recv with a time limit: nothing came") {
  Connection connection = connect_locally();
  std::array<char, 3> room{};
  for (const auto limit : {30ms, 1ms}) {
    connection.server.set_receive_timeout(limit);
    const auto start = std::chrono::steady_clock::now();
    CHECK(connection.server.recv(room).kind == Io::would_block);
    CHECK(std::chrono::steady_clock::now() - start >= limit);
  }
}

TEST_CASE("time limits arrive at the kernel with seconds and milliseconds, 0 takes them away") {
  Connection connection = connect_locally();
  const auto in_kernel = [&](int option) {
    timeval value{};
    socklen_t size = sizeof value;
    getsockopt(connection.server.descriptor(), SOL_SOCKET, option, &value, &size);
    return std::chrono::seconds(value.tv_sec) + std::chrono::microseconds(value.tv_usec);
  };
  // The kernel rounds up to its clock's tick, 10 ms at most.
  connection.server.set_receive_timeout(1500ms);
  connection.server.set_send_timeout(2s);
  CHECK(in_kernel(SO_RCVTIMEO) >= 1500ms);
  CHECK(in_kernel(SO_RCVTIMEO) <= 1510ms);
  CHECK(in_kernel(SO_SNDTIMEO) == 2s);
  connection.server.set_receive_timeout(0ms);
  connection.server.set_send_timeout(0ms);
  CHECK(in_kernel(SO_RCVTIMEO) == 0s);
  CHECK(in_kernel(SO_SNDTIMEO) == 0s);
}

TEST_CASE("recv goes on after signals") {
  const Interrupter interrupter;
  Connection connection = connect_locally();
  std::array<char, 3> room{};
  Io io;
  std::thread receiver([&] { io = connection.server.recv(room); });
  Interrupter::interrupt(receiver);
  send_text(connection.client, "x");
  receiver.join();
  CHECK(io.kind == Io::bytes);
  CHECK(io.n == 1);
}

TEST_CASE("recv after a reset is an error") {
  Connection connection = connect_by_tcp();
  connection.client.close_with_reset();
  CHECK_FALSE(connection.client);
  std::array<char, 3> room{};
  const Io io = connection.server.recv(room);
  CHECK(io.kind == Io::error);
  CHECK(io.error_number == ECONNRESET);
}

TEST_CASE("send gathers pieces in order") {
  Connection connection = connect_locally();
  const iovec pieces[] = {piece("one "), piece("two "), piece("three")};
  const Io io = connection.server.send({.memory = pieces});
  CHECK(io.kind == Io::bytes);
  CHECK(io.n == 13);
  CHECK(receive(connection.client, 13) == "one two three");
}

TEST_CASE("send takes more pieces than the kernel does at once, in parts") {
  Connection connection = connect_by_tcp();
  const std::vector<iovec> pieces(IOV_MAX + 10, piece("x"));
  const Io io = connection.server.send({.memory = pieces});
  CHECK(io.kind == Io::bytes);
  CHECK(io.n == IOV_MAX);
}

TEST_CASE("send without waiting: a part, then nothing, then again") {
  Connection connection = connect_locally();
  connection.server.set_nonblocking();
  const std::string large(8 << 20, 'x');
  std::size_t sent = 0;
  Io io = send_text(connection.server, large);
  for (; io.kind == Io::bytes; io = send_text(connection.server, large)) {
    CHECK(io.n < large.size());
    sent += io.n;
  }
  CHECK(io.kind == Io::would_block);
  CHECK(sent > 0);
  CHECK(receive(connection.client, sent).size() == sent);
  CHECK(send_text(connection.server, "x").kind == Io::bytes);
}

TEST_CASE("send with a time limit: a part, then nothing") {
  Connection connection = connect_locally();
  connection.server.set_send_timeout(20ms);
  const std::string large(8 << 20, 'x');
  const Io io = send_text(connection.server, large);
  CHECK(io.kind == Io::bytes);
  CHECK(io.n < large.size());
  CHECK(send_text(connection.server, large).kind == Io::would_block);
}

TEST_CASE("send goes on after signals") {
  const Interrupter interrupter;
  Connection connection = connect_locally();
  const std::string large(8 << 20, 'x');
  std::thread sender([&] {
    for (std::string_view rest = large; !rest.empty();) {
      const Io io = send_text(connection.server, rest);
      if (io.kind != Io::bytes) break;
      rest.remove_prefix(io.n);
    }
    connection.server.shut_down_write();
  });
  Interrupter::interrupt(sender);
  CHECK(receive(connection.client, large.size()).size() == large.size());
  sender.join();
}

TEST_CASE("send to a client that has gone is an error and no signal") {
  for (const bool several : {false, true}) {
    Connection connection = connect_locally();
    connection.client = Socket();
    const iovec pieces[] = {piece("a"), piece("b")};
    const Io io = connection.server.send({.memory = std::span(pieces, several ? 2 : 1)});
    CHECK(io.kind == Io::error);
    CHECK(io.error_number == EPIPE);
  }
}

TEST_CASE("another thread may end a receive that waits") {
  Connection connection = connect_by_tcp();
  std::atomic<bool> started = false;
  Io io;
  std::thread receiver([&] {
    std::array<char, 3> room{};
    started = true;
    io = connection.server.recv(room);
  });
  while (!started) std::this_thread::yield();
  connection.server.shut_down_both();
  receiver.join();
  CHECK(io.kind == Io::closed);
  std::array<char, 3> room{};
  CHECK(connection.client.recv(room).kind == Io::closed);
}

TEST_CASE("no delay is set on TCP, and ignored elsewhere") {
  Connection connection = connect_by_tcp();
  connection.server.set_no_delay();
  int value = 0;
  socklen_t size = sizeof value;
  getsockopt(connection.server.descriptor(), IPPROTO_TCP, TCP_NODELAY, &value, &size);
  CHECK(value != 0);
  connect_locally().server.set_no_delay();
}

TEST_CASE("addresses of both ends") {
  Connection connection = connect_by_tcp();
  CHECK_THAT(connection.server.remote_address(), Catch::Matches(R"(127\.0\.0\.1:\d+)"));
  CHECK(connection.server.remote_address() == connection.client.local_address());
  CHECK(connection.server.local_address() == connection.client.remote_address());
  CHECK(connection.server.local_address() != connection.server.remote_address());
  CHECK(connect_locally().server.remote_address() == "");
  CHECK(Socket().remote_address() == "");
}

TEST_CASE("what cannot be set says so") {
  Socket none;
  CHECK_THROWS_WITH(none.set_receive_timeout(1s), "setsockopt SO_RCVTIMEO: Bad file descriptor");
  CHECK_THROWS_WITH(none.set_send_timeout(1s), "setsockopt SO_SNDTIMEO: Bad file descriptor");
  CHECK_THROWS_WITH(none.set_nonblocking(), "fcntl O_NONBLOCK: Bad file descriptor");
}
