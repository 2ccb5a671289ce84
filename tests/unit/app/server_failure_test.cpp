// What becomes of a stage's Server whose event loop fails: compiled for each stage that has one.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <string>
#include <system_error>

#include "catch.h"
#include "known_options.h"
#include "net/unique_fd.h"
#include "running_server.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// Servers with an event loop are as patient with silent clients as any; the others say why not.
constexpr bool has_loop = features.idle_timeout_reason.empty();

// Makes the next wait of every event loop fail: an epoll(7) descriptor becomes another file, and
// poll(2) refuses to look at more descriptors than a process may have.
class BrokenWait {
 public:
  BrokenWait() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const UniqueFd other(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    bool found = false;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const auto file = std::filesystem::read_symlink(entry, gone);
      if (file.string().find("[eventpoll]") == std::string::npos) continue;
      found = ::dup2(other.get(), std::stoi(entry.path().filename())) >= 0;
    }
    if (found) return;
    rlimit none = before_;
    none.rlim_cur = 1;  // a client looks at one
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~BrokenWait() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  BrokenWait(const BrokenWait&) = delete;
  BrokenWait& operator=(const BrokenWait&) = delete;

 private:
  rlimit before_{};
};

// Whether join() says that the server has failed.
bool join_throws(Server& server) try {
  server.join();
  return false;
} catch (const std::system_error&) {
  return true;
}

}  // namespace

TEST_CASE("A loop that fails is told of at once, and by join()") {
  if (!has_loop) return;
  Running running(say_hello);
  Client client(running.endpoint());
  ask(client);
  {
    const BrokenWait broken;
    client.send(get);
    running.failed.get_future().wait();
  }
  CHECK(running.server.stop(long_grace));
  CHECK(join_throws(running.server));
  client.read_to_end();
  CHECK_FALSE(join_throws(running.server));
}

TEST_CASE("A loop that fails waits for the requests that workers have") {
  if (!features.executor) return;
  Gate gate;
  std::atomic<bool> first = true;
  const Handler handler = [&, handle = gate.handler()](const Request& request, Response& response) {
    first.exchange(false) ? handle(request, response) : say_hello(request, response);
  };
  Running running(handler, 0, patient(), Where::pool);
  Client working(running.endpoint());
  working.send(get);
  gate.wait_until_entered();
  Client other(running.endpoint());
  const BrokenWait broken;
  other.send(get);
  running.failed.get_future().wait();
  CHECK_FALSE(running.server.stop(0ms));
  std::future<bool> joined = begin([&running] { return join_throws(running.server); });
  gate.let_go();
  CHECK(joined.get());
  working.read_to_end();
}
