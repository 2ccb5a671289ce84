#include "capability/crowd.h"

#include <algorithm>

#include "support/requests.h"

namespace stagecraft::capability {

std::vector<std::string> workers(std::size_t least, std::size_t most) {
  if (!testing::program_has("--workers")) return {};
  return {"--workers", std::to_string(least), "--workers-max",
          std::to_string(std::max(least, most))};
}

// One after the other: who waits gets in when another has left.
HeldHandlers::~HeldHandlers() {
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    if (!server_.enters(gates_[i], clients_[i])) continue;
    gates_[i].let_go();
    clients_[i].read_response();
    // A thread that only serves him would otherwise wait for what he says next.
    clients_[i].reset();
  }
}

bool HeldHandlers::enter() {
  const std::string name = "g" + std::to_string(gates_.size());
  const testing::Gate& gate = gates_.emplace_back(server_.folder(), name);
  testing::Client& client = clients_.emplace_back(server_.endpoint());
  client.send(testing::get(gate.target()));
  return server_.enters(gate, client);
}

std::size_t HeldHandlers::enter(std::size_t times) {
  std::size_t inside = 0;
  for (std::size_t i = 0; i < times; ++i) {
    if (enter()) ++inside;
  }
  return inside;
}

}  // namespace stagecraft::capability
