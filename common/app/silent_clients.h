// Clients that connect and say nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "app/scheduler.h"
#include "http/status.h"

namespace stagecraft {

/// Opens connections on which nothing is ever said. A page in a browser cannot do that, and it is
/// what it takes to see what a silent client costs a server; so the server does it to itself.
///
/// Any thread may use it.
class SilentClients {
 public:
  /// How many there can be at once.
  static constexpr int max_clients = 64;

  explicit SilentClients(std::shared_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}

  /// Connects to `address` ("127.0.0.1:8080") and closes after `duration`, if the server has not
  /// done it before. Status::ok as soon as the connection is there; Status::service_unavailable if
  /// it cannot be had, or there are too many.
  Status open(const std::string& address, std::chrono::milliseconds duration);

 private:
  std::shared_ptr<Scheduler> scheduler_;
  std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace stagecraft
