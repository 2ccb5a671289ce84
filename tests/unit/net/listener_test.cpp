#include "net/listener.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

#include "catch.h"
#include "net_fixtures.h"

using namespace stagecraft;

namespace {

/// No more descriptors for this process, from here to the end of the block.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(0);  // the lowest that is free
    ::close(next);
    const rlimit none{.rlim_cur = static_cast<rlim_t>(next), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

bool machine_has_ipv6() {
  try {
    const Listener listener({.host = "::1", .port = 0});
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("any free port, and the address that goes into a URL") {
  Listener listener({.port = 0});
  CHECK(listener.port() != 0);
  CHECK(listener.address() == "127.0.0.1:" + std::to_string(listener.port()));
  CHECK((::fcntl(listener.descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a client is accepted with its address") {
  Listener listener({.port = 0});
  Socket client = connect_to(listener);
  Accepted accepted = listener.accept();
  REQUIRE(accepted.kind == Accepted::connection);
  CHECK(accepted.remote_address == client.local_address());
  CHECK(accepted.socket.remote_address() == accepted.remote_address);
  CHECK((::fcntl(accepted.socket.descriptor(), F_GETFD) & FD_CLOEXEC) != 0);

  const iovec hello = piece("hello");
  client.send({.memory = {&hello, 1}});
  CHECK(receive(accepted.socket, 5) == "hello");
}

TEST_CASE("accepted sockets wait, or not, as asked") {
  Listener listener({.port = 0});
  for (const SocketMode mode : {SocketMode::blocking, SocketMode::nonblocking}) {
    const Socket client = connect_to(listener);
    const Accepted accepted = listener.accept(mode);
    const bool waits = (::fcntl(accepted.socket.descriptor(), F_GETFL) & O_NONBLOCK) == 0;
    CHECK(waits == (mode == SocketMode::blocking));
  }
}

TEST_CASE("without waiting: nobody there") {
  Listener listener({.port = 0});
  listener.set_nonblocking();
  CHECK(listener.accept().kind == Accepted::would_block);
  const Socket client = connect_to(listener);
  CHECK(listener.accept().kind == Accepted::connection);
  CHECK(listener.accept().kind == Accepted::would_block);
}

TEST_CASE("IPv6, where the machine has it") {
  if (!machine_has_ipv6()) {
    WARN("no IPv6 here: not tested");
    return;
  }
  Listener listener({.host = "::1", .port = 0});
  CHECK(listener.address() == "[::1]:" + std::to_string(listener.port()));
  const Socket client = connect_to(listener);
  const Accepted accepted = listener.accept();
  REQUIRE(accepted.kind == Accepted::connection);
  CHECK_THAT(accepted.remote_address, Catch::StartsWith("[::1]:"));
  CHECK(accepted.remote_address == client.local_address());
}

TEST_CASE("localhost is an address of this machine") {
  const Listener listener({.host = "localhost", .port = 0});
  CHECK_THAT(listener.address(), Catch::StartsWith("127.0.0.1:") || Catch::StartsWith("[::1]:"));
}

TEST_CASE("a port that is taken at one address of a name is taken") {
  const Listener first({.host = "localhost", .port = 0});
  CHECK_THROWS_WITH(Listener({.host = "localhost", .port = first.port()}),
                    "bind " + first.address() + ": Address already in use");
}

TEST_CASE("what cannot be had is named") {
  const Listener first({.port = 0});
  CHECK_THROWS_WITH(Listener({.port = first.port()}),
                    "bind " + first.address() + ": Address already in use");
  // An address for documentation (RFC 5737), which no machine has.
  CHECK_THROWS_WITH(Listener({.host = "192.0.2.1", .port = 0}),
                    "bind 192.0.2.1:0: Cannot assign requested address");
  CHECK_THROWS_AS(Listener({.host = "not a host", .port = 0}), std::system_error);
  CHECK_THROWS_WITH(Listener({.host = "not a host", .port = 0}),
                    Catch::StartsWith("resolve not a host: "));
}

TEST_CASE("a port whose old connections have not expired: reuse_addr decides") {
  const auto serve_one_and_close_first = [] {
    Listener listener({.port = 0});
    const Socket client = connect_to(listener);
    listener.accept();  // and closed at once: this side is the one that has to wait
    return listener.port();
  };
  const std::uint16_t port = serve_one_and_close_first();
  CHECK_THROWS_WITH(Listener({.port = port, .reuse_addr = false}),
                    Catch::Contains("Address already in use"));
  CHECK(Listener({.port = port}).port() == port);
}

TEST_CASE("two listeners share a port if both want to") {
  const Listener first({.port = 0, .reuse_port = true});
  const Listener second({.port = first.port(), .reuse_port = true});
  CHECK(second.port() == first.port());
}

TEST_CASE("a listener knows how many wait to be accepted") {
  Listener listener({.port = 0});
  CHECK(listener.waiting() == 0);
  const Socket first = connect_to(listener);
  const Socket second = connect_to(listener);
  CHECK(listener.waiting() == 2);
  const Accepted accepted = listener.accept();
  CHECK(listener.waiting() == 1);
}

TEST_CASE("shut down from another thread, accept comes back, the port is free") {
  std::uint16_t port = 0;
  {
    Listener listener({.port = 0});
    port = listener.port();
    std::atomic<bool> started = false;
    Accepted::Kind kind = Accepted::connection;
    std::thread acceptor([&] {
      started = true;
      kind = listener.accept().kind;
    });
    while (!started) std::this_thread::yield();
    listener.shut_down();
    acceptor.join();
    CHECK(kind == Accepted::closed);
    CHECK(listener.accept().kind == Accepted::closed);
  }
  CHECK(Listener({.port = port}).port() == port);
}

// Nothing is checked while there are no descriptors: UBSan wants one to look at a virtual table.

TEST_CASE("out of descriptors: a client is turned away with the spare one, and all recovers") {
  Listener listener({.port = 0});
  Socket unlucky = connect_to(listener);
  Accepted while_one_waits;
  Accepted while_nobody_waits;
  bool shed_one = false;
  bool shed_another = true;
  UniqueFd left_over;
  {
    const NoMoreDescriptors full;
    while_one_waits = listener.accept();
    shed_one = listener.shed_one();
    left_over.reset(::dup(0));           // fails, for the spare descriptor is back in its place
    shed_another = listener.shed_one();  // must not wait for somebody to come
    while_nobody_waits = listener.accept();
  }
  CHECK(while_one_waits.kind == Accepted::out_of_descriptors);
  CHECK(while_one_waits.error_number == EMFILE);
  CHECK(shed_one);
  CHECK_FALSE(left_over);
  std::array<char, 1> room{};
  CHECK(unlucky.recv(room).kind == Io::closed);
  CHECK_FALSE(shed_another);
  CHECK(while_nobody_waits.kind == Accepted::out_of_descriptors);

  const Socket lucky = connect_to(listener);
  CHECK(listener.accept().kind == Accepted::connection);
}

TEST_CASE("the spare descriptor serves again and again, and accept waits as before") {
  Listener listener({.port = 0});
  Socket clients[] = {connect_to(listener), connect_to(listener), connect_to(listener)};
  int shed = 0;
  {
    const NoMoreDescriptors full;
    for (int i = 0; i < 3; ++i) shed += listener.shed_one() ? 1 : 0;
  }
  CHECK(shed == 3);
  for (Socket& client : clients) {
    std::array<char, 1> room{};
    CHECK(client.recv(room).kind == Io::closed);
  }
  CHECK((::fcntl(listener.descriptor(), F_GETFL) & O_NONBLOCK) == 0);
}
