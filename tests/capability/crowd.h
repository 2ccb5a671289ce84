// What several of the tests need: a number of workers, of clients, of handlers in gates.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "support/client.h"
#include "support/gate.h"
#include "support/test_server.h"

namespace stagecraft::capability {

/// The options for this many workers at least and at most; none where there are no workers.
std::vector<std::string> workers(std::size_t least, std::size_t most = 0);

/// Clients who ask for a gate each, one after the other, and those of them whose handlers are
/// inside.
class HeldHandlers {
 public:
  explicit HeldHandlers(const testing::TestServer& server) : server_(server) {}
  ~HeldHandlers();
  HeldHandlers(const HeldHandlers&) = delete;
  HeldHandlers& operator=(const HeldHandlers&) = delete;

  /// One client more asks. Whether its handler gets in while all others stay inside.
  bool enter();
  /// Asks that many times, and returns how many got in.
  std::size_t enter(std::size_t times);
  /// The client who asked last.
  testing::Client& last() { return clients_.back(); }

 private:
  const testing::TestServer& server_;
  std::deque<testing::Gate> gates_;
  std::deque<testing::Client> clients_;
};

}  // namespace stagecraft::capability
