// What the system refuses: threads and descriptors to start with, and the wait of an event loop.
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "robustness/support.h"
#include "support/child_process.h"
#include "support/requests.h"
#include "support/system_calls.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

namespace {

// Checks that a program which could not start has told why, in one line that names the call.
void check_complaint(const ChildProcess& program, const std::string& reason) {
  CHECK(program.end_text() == "exit status 1");
  CHECK(program.output().empty());
  const std::string errors = program.errors();
  CHECK(errors.find(": " + reason + "\n") == errors.find('\n') - reason.size() - 2);
  CHECK(errors.find('\n') == errors.size() - 1);
  CHECK(errors.find(stage_under_test() + ": ") == 0);
}

// Starts the program with so few descriptors. Whether it serves; then it is ended.
bool serves_with_descriptors(int count) {
  ChildProcess program("/bin/sh", {"-c", "ulimit -n " + std::to_string(count) + " && exec \"$@\"",
                                   "sh", program_under_test(), "--port", "0"});
  const Deadline deadline;
  while (program.read_output(deadline) == ChildProcess::Read::more) {
    if (program.output().find('\n') == std::string::npos) continue;
    program.send_signal(SIGTERM);
    CHECK(program.wait_for_end(deadline));
    return true;
  }
  INFO(count << " descriptors: " << program.errors());
  check_complaint(program, "Too many open files");
  return false;
}

}  // namespace

TEST_CASE("A server that lacks descriptors to start with names the call that failed", "[system]") {
  constexpr int enough_to_load = 5;  // three are open, and the libraries come through the next
  constexpr int more_than_enough = 64;
  int count = enough_to_load;
  while (count < more_than_enough && !serves_with_descriptors(count)) ++count;
  CHECK(count < more_than_enough);
}

TEST_CASE("A server takes as many descriptors as it may have", "[system]") {
  const TestServer server({}, {"/bin/sh", "-c", "ulimit -Sn 64 && exec \"$0\" \"$@\""});
  std::ifstream limits("/proc/" + std::to_string(server.process()) + "/limits");
  std::string line;
  while (std::getline(limits, line) && line.rfind("Max open files", 0) != 0) continue;
  std::istringstream words(line.substr(std::string("Max open files").size()));
  std::string soft;
  std::string hard;
  words >> soft >> hard;
  CHECK(soft == hard);
  CHECK_FALSE(hard.empty());
}

#ifdef STAGECRAFT_STRACE

namespace {

// Words that start a program under strace, which makes those calls fail from the `first` of each
// thread on.
std::vector<std::string> failing(const ScratchFolder& folder, const std::string& calls,
                                 const std::string& error, int first) {
  std::vector<std::string> words = strace_to(folder.path("calls"), calls);
  words.insert(words.end(), {"-e", "inject=" + calls + ":error=" + error +
                                       ":when=" + std::to_string(first) + "+"});
  return words;
}

}  // namespace

TEST_CASE("A server that lacks a thread to start with names the call that failed", "[system]") {
  const ScratchFolder folder;
  std::vector<std::string> words = failing(folder, "clone,clone3", "EAGAIN", 1);
  words.insert(words.end(), {program_under_test(), "--port", "0"});
  const std::string launcher = words.front();
  words.erase(words.begin());
  ChildProcess program(launcher, words);
  CHECK(program.wait_for_end(Deadline()));
  CHECK(program.errors() ==
        stage_under_test() + ": pthread_create: Resource temporarily unavailable\n");
  check_complaint(program, "pthread_create: Resource temporarily unavailable");
}

TEST_CASE("A server whose event loop fails says so and ends with 1", "[system]") {
  if (stage_under_test() < "04") return;
  const ScratchFolder folder;
  TestServer server({}, failing(folder, "poll,epoll_wait", "EINVAL", 3));
  Client client(server.endpoint());
  client.send(get("/plaintext"));  // its coming is the end of the first wait, this of the second
  client.read_to_end();
  CHECK(server.control().wait_for_end().find("exit status 1\n") == 0);
  const std::string errors = server.control().errors();
  CHECK(errors.find("error: ") == 0);
  CHECK(errors.find(stage_under_test() + ": ") != std::string::npos);
  CHECK(errors.find("Invalid argument") != std::string::npos);
}

#endif

}  // namespace stagecraft::robustness
