#include "event_loop.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

#include "connection.h"

namespace stagecraft {

using namespace std::chrono_literals;

namespace {

// The pause after a failed accept(): descriptors come back as others are closed, not by asking.
constexpr auto descriptor_pause = 100ms;

// How long new clients wait at least when there are as many as --max-connections allows.
constexpr auto full_pause = 10ms;

// So many clients are accepted at one wake-up. One is too few where thousands come at once, and
// without a bound they would hold up those who are here already.
constexpr int max_accepts = 64;

}  // namespace

EventLoop::EventLoop(const Options& options, Workspace::Common& common, Telemetry& telemetry,
                     Listener listener)
    : options_(options),
      common_(common),
      telemetry_(telemetry),
      workspace_(options.limits, common, &telemetry),
      listener_(std::move(listener)) {
  listener_->set_nonblocking();
  poller_.add(listener_->descriptor(), Interest::readable, on_client_);
  poller_.add(mailbox_->descriptor(), Interest::readable, on_letter_);
}

EventLoop::~EventLoop() { mailbox_->close(); }

void EventLoop::run() {
  role_.bind();
  while (!draining() || !connections_.empty()) {
    telemetry().waits();
    const std::span<const Poller::Event> events = poller_.wait(time_to_wait());
    now_ = Clock::now();
    workspace_.set_time(std::time(nullptr));
    telemetry().woke_up(0);
    for (const Poller::Event& event : events) event.watched->ready(event.readiness);
    expire_timers();
    if (!draining() && stop_at_.load() != Clock::time_point::max()) begin_drain();
    if (draining() && now_ >= stop_at_.load()) cut_off_rest();
    graveyard_.clear();
  }
}

void EventLoop::stop(Clock::time_point until) {
  common_.draining = true;
  stop_at_ = until;
  mailbox_->wake_up();
}

bool EventLoop::watch(Connection& connection, Interest interest) {
  return poller_.change(connection.descriptor(), interest, connection);
}

void EventLoop::unwatch(Connection& connection) {
  poller_.remove(connection.descriptor());
  timers_.remove(connection);
}

void EventLoop::retire(Connection& connection) {
  telemetry().closed(connection.info());
  const auto found = connections_.find(connection.info().id);
  graveyard_.push_back(std::move(found->second));
  connections_.erase(found);
}

/// Until the first deadline, if there is one. Rounded up, so that we are not woken a moment too
/// early.
std::optional<std::chrono::milliseconds> EventLoop::time_to_wait() {
  Clock::time_point first = std::min(timers_.next(), accept_again_);
  if (draining()) first = std::min(first, stop_at_.load());
  if (first == Clock::time_point::max()) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(std::max(first - Clock::now(), {}));
}

void EventLoop::accept_clients() {
  role_.assert_held();
  for (int i = 0; i < max_accepts; ++i) {
    if (connections_.size() >= options().max_connections) return pause_accepting(now_ + full_pause);
    Accepted client = listener_->accept(SocketMode::nonblocking);
    switch (client.kind) {
      case Accepted::connection:
        out_of_descriptors_ = false;
        add(client);
        break;
      case Accepted::out_of_descriptors:
        if (!std::exchange(out_of_descriptors_, true)) {
          telemetry_.cannot_accept(client.error_number);
        }
        listener_->shed_one();
        return pause_accepting(now_ + descriptor_pause);
      case Accepted::transient:
        ++last_connection_;  // it was one, if only for a moment: begin_drain() goes on to the next
        break;
      case Accepted::would_block:
      case Accepted::closed:
        return;
    }
  }
}

void EventLoop::add(Accepted& client) {
  try {
    auto connection = std::make_unique<Connection>(*this, workspace_, client, ++last_connection_);
    Connection& added = *connection;
    // Reserved here, so that retire() cannot fail.
    graveyard_.reserve(connections_.size() + 1);
    connections_.emplace(added.info().id, std::move(connection));
    try {
      poller_.add(added.descriptor(), Interest::readable, added);
      timers_.add(added);
    } catch (...) {
      poller_.remove(added.descriptor());
      connections_.erase(added.info().id);
      throw;
    }
    telemetry().accepted(added.info());
    added.ready({});  // sets its first timer
  } catch (const std::exception& failure) {
    // No memory for a connection, say. That costs us this client and nobody else.
    telemetry().accept_failed(failure.what());
  }
}

void EventLoop::pause_accepting(Clock::time_point until) {
  poller_.change(listener_->descriptor(), Interest::none, on_client_);
  accept_again_ = until;
}

void EventLoop::deliver_letters() {
  role_.assert_held();
  mailbox_->acknowledge();
  workspace_.drop_replaced();
  while (const auto letter = mailbox_->take()) {
    const auto found = connections_.find(letter->ticket.connection);
    if (found != connections_.end()) found->second->deliver(*letter);
  }
}

void EventLoop::expire_timers() {
  while (Timed* timed = timers_.take_due(now_)) timed->expired();
  if (now_ >= accept_again_) {
    const bool again =
        !listener_ || poller_.change(listener_->descriptor(), Interest::readable, on_client_);
    accept_again_ = again ? Clock::time_point::max() : now_ + descriptor_pause;
  }
}

/// Takes in who has connected by now, and nobody after that.
void EventLoop::begin_drain() {
  drain_began_ = now_;
  std::uint64_t before = 0;
  do {
    before = last_connection_;
    accept_clients();
  } while (before != last_connection_);
  poller_.remove(listener_->descriptor());
  listener_.reset();
  for (const auto& [id, connection] : connections_) connection->drain();
}

/// The grace is over: who is left is cut off.
void EventLoop::cut_off_rest() {
  for (auto next = connections_.begin(); next != connections_.end();) {
    Connection& connection = *(next++)->second;  // first on, since this one leaves the table
    connection.cut_off();
  }
}

}  // namespace stagecraft
