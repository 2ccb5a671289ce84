#include "server.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>
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
  listen.descriptor = options_.listen_descriptor;
  listen.reuse_port = options_.reuse_port;
  MutexLock lock(mutex_);
  shared_.emplace(options_, common_, telemetry_);
  const std::size_t count = options_.concurrency > 0
                                ? options_.concurrency
                                : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  telemetry_.count_by_loop(count);
  for (std::uint32_t number = 0; number < count; ++number) {
    std::optional<Listener> listener;
    // The first one listens for all; or all of them at one port, and the kernel spreads the clients
    // by a hash of their addresses.
    if (number == 0 || options_.reuse_port) listener.emplace(listen);
    if (number == 0) {
      address_ = listener->address();
      port_ = listen.port = listener->port();
    }
    shared_->loops.push_back(std::make_unique<EventLoop>(*shared_, number, std::move(listener)));
  }
  threads_.reserve(count);
  for (const auto& loop : shared_->loops) {
    threads_.push_back(Thread(0, [this, &loop = *loop] { run_loop(loop); }));
    ++running_;
  }
}

bool Server::stop(std::chrono::milliseconds grace) {
  const Clock::time_point end = Clock::now() + grace;
  // The first tells the others. There is none if start() has failed.
  if (shared_ && !shared_->loops.empty()) shared_->loops.front()->stop(end);
  return wait_for_end(end + end_moment);
}

void Server::replace(Application application) {
  common_.application.replace(std::move(application));
  // A loop at rest shall let go of the one before, too.
  MutexLock lock(mutex_);
  if (!shared_) return;
  for (const auto& loop : shared_->loops) loop->wake_up();
}

void Server::join() {
  for (Thread& thread : threads_) thread.join();
  threads_.clear();
  MutexLock lock(mutex_);
  shared_.reset();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Server::run_loop(EventLoop& loop) {
  try {
    loop.run();
  } catch (const std::exception& failure) {
    telemetry_.failed(failure.what());
    {
      MutexLock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    // A server that has lost a part of its clients is no server. Nor can this loop tell the others
    // to stop any more, if that was its part.
    for (const auto& each : shared_->loops) each->stop(Clock::now() + options_.grace);
    loop.abandon();
  }
  telemetry_.loop_ended(loop.number());
  MutexLock lock(mutex_);
  --running_;
  ended_changed_.notify_all();
}

bool Server::wait_for_end(Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (running_ > 0) {
    if (ended_changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return running_ == 0;
}

}  // namespace stagecraft
