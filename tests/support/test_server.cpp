#include "support/test_server.h"

#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "support/child_process.h"
#include "support/deadline.h"
#include "support/process_view.h"
#include "support/socket_queue.h"

namespace stagecraft::testing {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string help_of_program() {
  ChildProcess program(program_under_test(), {"--help"});
  if (!program.wait_for_end(Deadline())) throw std::runtime_error("--help does not end");
  return program.output();
}

// The launcher's words after the first, the program, and all its options.
std::vector<std::string> arguments(const std::vector<std::string>& launcher,
                                   const std::vector<std::string>& options,
                                   const ScratchFolder& folder) {
  std::vector<std::string> words = launcher;
  words.push_back(program_under_test());
  words.erase(words.begin());
  const std::string root = folder.path("files");
  std::filesystem::create_directory(root);
  words.insert(words.end(), {"--port", "0", "--idle-timeout", "30s", "--gates", folder.path(),
                             "--trace", folder.path("trace"), "--root", root});
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

// Calls `happened` until it says yes, or the server is at rest with all that `client` has sent.
template <typename Happened>
bool before_rest(pid_t process, const Client& client, Happened happened) {
  const Deadline deadline;
  while (!happened()) {
    const bool all_arrived = on_the_way_to_peer(client.descriptor()) == 0;
    if (all_arrived && at_rest(process) &&
        on_the_way_from_peer(client.descriptor()).value_or(0) == 0) {
      return happened();
    }
    if (deadline.passed())
      throw std::runtime_error("the server does not come to rest: it spins, or has ended");
    sched_yield();
  }
  return true;
}

}  // namespace

std::string program_under_test() {
  std::string program = environment("STAGECRAFT_PROGRAM");
  if (program.empty()) throw std::runtime_error("which server? STAGECRAFT_PROGRAM names it");
  return program;
}

std::string stage_under_test() {
  const std::string said = environment("STAGECRAFT_STAGE");
  if (!said.empty()) return said;
  return std::filesystem::path(program_under_test()).filename().string();
}

bool program_has(std::string_view option) {
  static const std::string help = help_of_program();
  return help.find(std::string(option) + " ") != std::string::npos;
}

TestServer::TestServer(const std::vector<std::string>& options,
                       const std::vector<std::string>& launcher)
    : trace_(folder_.path("trace")),
      process_(launcher.empty() ? program_under_test() : launcher.front(),
               arguments(launcher, options, folder_)) {}

bool TestServer::answers(Client& client) const {
  return before_rest(process(), client, [&client] { return client.readable(); });
}

bool TestServer::enters(const Gate& gate, const Client& client) const {
  return before_rest(process(), client, [&gate] { return gate.entered(); });
}

}  // namespace stagecraft::testing
