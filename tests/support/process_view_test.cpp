// What the tests say about a server from outside would be worth nothing if these were wrong.
#include <unistd.h>

#include <string>

#include "catch.h"
#include "support/child_process.h"
#include "support/gate.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/scratch_folder.h"
#include "support/system_calls.h"
#include "support/trace.h"

using namespace stagecraft::testing;

TEST_CASE("A process that waits is at rest, and one that spins never is") {
  const ScratchFolder folder;
  const Gate gate(folder, "g");
  const ChildProcess waiting("/bin/sh", {"-c", "read line < " + folder.path("g.go")});
  wait_until_at_rest(waiting.process());
  CHECK(threads_of(waiting.process()).size() == 1);
  CHECK(at_rest(waiting.process()));
  const auto switches = switches_of(waiting.process());
  const ChildProcess spinning("/bin/sh", {"-c", "while :; do :; done"});
  while (processor_time_of(spinning.process()).count() < 50) {
    CHECK_FALSE(at_rest(spinning.process()));
  }
  CHECK(switches_of(waiting.process()) == switches);
}

TEST_CASE("A process that has ended is not at rest") {
  ChildProcess ended("/bin/sh", {"-c", "exit 3"});
  REQUIRE(ended.wait_for_end(Deadline()));
  CHECK(ended.exit_status() == 3);
  CHECK(threads_of(ended.process()).empty());
  CHECK_FALSE(at_rest(ended.process()));
}

TEST_CASE("A gate tells who is inside, and lets him go") {
  const ScratchFolder folder;
  Gate gate(folder, "g");
  CHECK(gate.target() == "/gate?name=g");
  ChildProcess visitor("/bin/sh",
                       {"-c", "cd " + folder.path() + "; : > g.in; read x < g.go; echo out"});
  gate.wait_until_entered();
  CHECK(gate.entered());
  wait_until_at_rest(visitor.process());
  CHECK(visitor.output().empty());
  gate.let_go();
  REQUIRE(visitor.wait_for_end(Deadline()));
  CHECK(visitor.output() == "out\n");
}

TEST_CASE("A folder goes with all that is in it") {
  std::string path;
  {
    const ScratchFolder folder;
    path = folder.write("a/b/c.txt", "text");
    CHECK(descriptors_of(getpid()) > 0);
    ChildProcess there("/bin/cat", {path});
    REQUIRE(there.wait_for_end(Deadline()));
    CHECK(there.output() == "text");
  }
  ChildProcess gone("/bin/cat", {path});
  REQUIRE(gone.wait_for_end(Deadline()));
  CHECK(gone.exit_status() == 1);
}

TEST_CASE("Only whole lines of a trace are events") {
  const ScratchFolder folder;
  const Trace trace(folder.write("trace",
                                 "{\"time_us\":1,\"event\":\"accept\",\"id\":7}\n"
                                 "{\"time_us\":2,\"event\":\"close\",\"id\":7}\n"
                                 "{\"time_us\":3,\"event\":\"clo"));
  CHECK(trace.events().size() == 2);
  REQUIRE(trace.events("close").size() == 1);
  CHECK(trace.events("close")[0].number("time_us") == 2);
  trace.wait_for("accept");
}

TEST_CASE("Numbers are found in JSON by their names") {
  CHECK(json_number(R"({"loop":12,"a":-3})", "a") == -3);
  CHECK(json_number(R"({"loop":12,"a":-3})", "loop") == 12);
  CHECK_THROWS(json_number(R"({"loop":"x"})", "loop"));
  CHECK_THROWS(json_number("{}", "loop"));
}

TEST_CASE("System calls are read, also those that others come between") {
  const ScratchFolder folder;
  const auto calls = system_calls_in(folder.write(
      "calls",
      "10 recvfrom(7, \"GET / HTTP/1.1\\r\\n\"..., 65536, 0, NULL, NULL) = 36\n"
      "10 epoll_wait(4,  <unfinished ...>\n"
      "11 sendto(8, \"HTTP\"..., 4, MSG_NOSIGNAL, NULL, 0) = -1 EAGAIN (Resource temporarily)\n"
      "10 <... epoll_wait resumed>[{events=EPOLLIN}], 256, -1) = 1\n"
      "10 +++ exited with 0 +++\n"));
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].name == "recvfrom");
  CHECK(calls[0].thread == 10);
  CHECK(calls[0].descriptor() == 7);
  CHECK(calls[0].result() == 36);
  CHECK(calls[1].name == "sendto");
  CHECK(calls[1].result() == -1);
  CHECK(calls[2].name == "epoll_wait");
  CHECK(calls[2].descriptor() == 4);
  CHECK(calls[2].result() == 1);
}
