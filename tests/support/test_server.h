// The server under test, started for one test case and looked at from outside.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/client.h"
#include "support/gate.h"
#include "support/scratch_folder.h"
#include "support/server_process.h"
#include "support/trace.h"

namespace stagecraft::testing {

/// The program that the environment's STAGECRAFT_PROGRAM names. Throws std::runtime_error if it is
/// not set.
std::string program_under_test();

/// Which stage it is: what STAGECRAFT_STAGE says, or else the name of the program's file.
std::string stage_under_test();

/// Whether its --help names this option, `--workers`.
bool program_has(std::string_view option);

/// A server of the program under test with a folder, gates and a trace of its own. Unless told
/// otherwise it serves the demo application, on any free port, and is patient with idle clients.
class TestServer {
 public:
  /// `options` come last, so they win. `launcher` are words that start the program, such as `env`:
  /// it takes the program and its arguments as its own last arguments.
  explicit TestServer(const std::vector<std::string>& options = {},
                      const std::vector<std::string>& launcher = {});

  const Endpoint& endpoint() const { return process_.endpoint(); }
  pid_t process() const { return process_.process(); }
  ServerProcess& control() { return process_; }
  const Trace& trace() const { return trace_; }
  /// Has `files` in it, which is the --root, and the gates.
  const ScratchFolder& folder() const { return folder_; }

  /// A gate of this server.
  Gate gate(const std::string& name) const { return {folder_, name}; }

  /// Whether the server answers `client`, or ends the connection, before it is at rest: with all
  /// that was sent received or left lying, and every thread asleep. So `false` means that it waits
  /// for something else first. Nothing is proved by waiting for a time.
  bool answers(Client& client) const;

  /// Whether the handler gets into `gate`, for which `client` has asked, before it is at rest.
  bool enters(const Gate& gate, const Client& client) const;

 private:
  ScratchFolder folder_;
  Trace trace_;
  ServerProcess process_;
};

}  // namespace stagecraft::testing
