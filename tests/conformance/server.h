// The server under test.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/client.h"
#include "support/server_process.h"

namespace stagecraft::conformance {

/// Where the server under test listens. The first call starts the program that the environment
/// variable STAGECRAFT_PROGRAM names, with `--port 0 --app echo --idle-timeout 30s`; all cases of
/// this process share it. If it has ended by itself, the running case fails with how and why, and
/// the next one gets a new server.
const testing::Endpoint& server();

/// A server for this case alone, with `options` after the common ones; stop() it when done.
/// Null, after a line that names the case as skipped, if a foreign server is tested by --target.
std::unique_ptr<testing::ServerProcess> server_with(const std::vector<std::string>& options);

/// Whether this process may start programs; false, after a line that names the case as skipped, if
/// a foreign server is tested by --target.
bool has_own_program();

/// The program under test. Throws std::runtime_error if STAGECRAFT_PROGRAM is not set.
std::string server_program();

/// From now on server() is this one, which somebody else has started with `--app echo`.
void use_target(const testing::Endpoint& target);

/// Ends the shared server, if it was started. What it did wrong then; empty if nothing.
std::string stop_shared_server();

/// For a failure message: how the shared server ended, if it did, and what it wrote to stderr.
std::string server_state();

}  // namespace stagecraft::conformance
