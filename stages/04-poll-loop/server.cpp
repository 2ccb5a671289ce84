#include "server.h"

#include <exception>
#include <utility>

#include "net/listener.h"

namespace stagecraft {

using namespace std::chrono_literals;

namespace {

// What the loop is granted beyond the grace, to notice that it is over.
constexpr auto end_moment = 1s;

}  // namespace

Server::Server(const Options& options, Application application, Telemetry& telemetry)
    : options_(options), telemetry_(telemetry), common_(std::move(application)) {}

Server::Server(const Options& options, Application application)
    : options_(options),
      own_telemetry_(std::make_unique<Telemetry>()),
      telemetry_(*own_telemetry_),
      common_(std::move(application)) {}

Server::~Server() {
  stop(0ms);
  try {
    join();
  } catch (const std::exception&) {
    // The log has it.
  }
}

void Server::start() {
  ListenerOptions listen;
  listen.host = options_.host;
  listen.port = options_.port;
  listen.backlog = options_.accept_length;
  listen.reuse_addr = options_.reuse_addr;
  Listener listener(listen);
  address_ = listener.address();
  port_ = listener.port();
  telemetry_.count_by_loop(1);
  MutexLock lock(mutex_);
  loop_.emplace(options_, common_, telemetry_, std::move(listener));
  thread_ = Thread(0, [this] { run_loop(); });
  ended_ = false;
}

bool Server::stop(std::chrono::milliseconds grace) {
  const Clock::time_point end = Clock::now() + grace;
  if (loop_) loop_->stop(end);
  return wait_for_end(end + end_moment);
}

void Server::replace(Application application) {
  common_.application.replace(std::move(application));
  // A loop at rest shall let go of the one before, too.
  MutexLock lock(mutex_);
  if (loop_) loop_->wake_up();
}

void Server::join() {
  if (thread_.joinable()) thread_.join();
  MutexLock lock(mutex_);
  loop_.reset();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Server::run_loop() {
  try {
    loop_->run();
  } catch (const std::exception& failure) {
    telemetry_.failed(failure.what());
    MutexLock lock(mutex_);
    failure_ = std::current_exception();
  }
  telemetry_.loop_ended(0);
  MutexLock lock(mutex_);
  ended_ = true;
  ended_changed_.notify_all();
}

bool Server::wait_for_end(Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (!ended_) {
    if (ended_changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return ended_;
}

}  // namespace stagecraft
