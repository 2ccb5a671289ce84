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
/// this process share it. If it cannot be judged at all, the running case fails with the reason,
/// and so do later ones; or they are not judged: see give_up_lost_servers().
const testing::Endpoint& server();

/// A server for this case alone, with `options` after the common ones; stop() it when done. The
/// case is not judged if the server is one that this process does not start.
std::unique_ptr<testing::ServerProcess> server_with(const std::vector<std::string>& options);

/// The running case is not judged if the server is one that this process does not start.
void need_own_program();

/// The program under test. Throws std::runtime_error if STAGECRAFT_PROGRAM is not set.
std::string server_program();

/// From now on server() is this one, which somebody else has started.
void use_target(const testing::Endpoint& target);

/// The server that somebody else has started; null if there is none.
const testing::Endpoint* target();

/// After a case that failed: whether the server still lives and answers. If not, says so, and makes
/// the next server() start another one. Empty if all is well.
std::string server_loss();

/// From now on no case is judged any more, instead of failing for the same reason as the one before
/// it, once a server that somebody else has started is lost, or a program three times.
void give_up_lost_servers();

/// Why no case is judged any more; empty: they are.
const std::string& giving_up();

/// Ends the shared server, if it was started. What it did wrong then; empty if nothing.
std::string stop_shared_server();

/// For a failure message: how the shared server ended, if it did, and what it wrote to stderr.
std::string server_state();

}  // namespace stagecraft::conformance
