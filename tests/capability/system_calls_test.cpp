// What the event loops ask of the kernel, counted by strace. Only for stages that have epoll.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "capability/capabilities.h"
#include "catch.h"
#include "support/requests.h"
#include "support/system_calls.h"
#include "support/test_server.h"

namespace stagecraft::capability {

using namespace testing;

namespace {

constexpr std::string_view watched =
    "recvfrom,recvmsg,sendto,sendmsg,sendfile,epoll_wait,epoll_pwait,epoll_ctl,close";

bool sends(const SystemCall& call) {
  return call.name == "sendto" || call.name == "sendmsg" || call.name == "sendfile";
}

bool receives(const SystemCall& call) { return call.name == "recvfrom" || call.name == "recvmsg"; }

bool waits(const SystemCall& call) {
  return call.name == "epoll_wait" || call.name == "epoll_pwait";
}

// A server of one loop under strace, and what it has done when it has been stopped.
class TracedServer {
 public:
  explicit TracedServer(const std::string& app)
      : server_(options(app), strace_to(folder_.path("calls"), watched)) {}

  const Endpoint& endpoint() const { return server_.endpoint(); }

  // The calls of the thread that sent most, which is the loop: in order.
  std::vector<SystemCall> stop() {
    server_.control().stop();
    std::vector<SystemCall> calls = system_calls_in(folder_.path("calls"));
    std::map<int, int> sent;
    for (const SystemCall& call : calls) sent[call.thread] += sends(call) ? 1 : 0;
    const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
    REQUIRE_FALSE(sent.empty());
    const int loop = std::max_element(sent.begin(), sent.end(), more)->first;
    calls.erase(std::remove_if(calls.begin(), calls.end(),
                               [loop](const SystemCall& call) { return call.thread != loop; }),
                calls.end());
    return calls;
  }

 private:
  static std::vector<std::string> options(const std::string& app) {
    std::vector<std::string> all{"--trace", "/dev/null", "--app", app};
    if (program_has("--concurrency")) all.insert(all.end(), {"--concurrency", "1"});
    return all;
  }

  ScratchFolder folder_;
  TestServer server_;
};

}  // namespace

TEST_CASE("A batch of pipelined requests is one receive, one send and one wait", "[system-calls]") {
  constexpr int batches = 50;
  constexpr int in_batch = 16;
  TracedServer server("demo");
  std::string batch;
  for (int i = 0; i < in_batch; ++i) batch += get("/plaintext");
  {
    Client client(server.endpoint());
    for (int i = 0; i < batches; ++i) {
      client.send(batch);
      for (int k = 0; k < in_batch; ++k) REQUIRE(client.read_response().status == 200);
    }
  }
  const std::vector<SystemCall> calls = server.stop();
  // From the first answer to the last one.
  const auto first = std::find_if(calls.begin(), calls.end(), sends);
  const auto last = std::find_if(calls.rbegin(), calls.rend(), sends).base();
  const auto count = [&](auto what) { return std::count_if(first, last, what); };
  CHECK(count(sends) == batches);
  CHECK(count(receives) == batches - 1);
  CHECK(count(waits) == batches - 1);
  CHECK(last - first == 3 * batches - 2);  // and nothing else: no epoll_ctl
}

TEST_CASE("A client that reads fast gets a bounded piece at each turn", "[system-calls]") {
  constexpr std::size_t much = std::size_t{64} << 20U;
  constexpr long at_one_turn = 256 * 1024;
  TracedServer server("echo");
  {
    Client client(server.endpoint());
    client.send(get("/large?n=" + std::to_string(much)));
    CHECK(client.read_response().body.size() == much);
  }
  int turns = 0;
  int too_long = 0;
  long sent = 0;
  for (const SystemCall& call : server.stop()) {
    if (waits(call)) {
      turns += sent > 0 ? 1 : 0;
      sent = 0;
    } else if (sends(call)) {
      too_long += sent >= at_one_turn ? 1 : 0;
      sent += std::max(0L, call.result());
    }
  }
  CHECK(turns > 1);
  CHECK(too_long == 0);
}

TEST_CASE("A client that waits costs no call at all", "[system-calls]") {
  TracedServer server("demo");
  {
    Client waiting(server.endpoint());
    CHECK(ask(waiting, "/slow?ms=300").status == 200);
  }
  // What wakes the loop while the answer is being made can only be that the answer is there.
  const std::vector<SystemCall> calls = server.stop();
  const auto received = std::find_if(calls.begin(), calls.end(), receives);
  const auto sent = std::find_if(calls.begin(), calls.end(), sends);
  REQUIRE(received < sent);
  CHECK(std::count_if(received, sent, waits) == 1);
}

}  // namespace stagecraft::capability
