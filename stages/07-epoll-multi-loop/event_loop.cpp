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

EventLoop::EventLoop(Shared& shared, std::uint32_t number, std::optional<Listener> listener)
    : shared_(shared),
      number_(number),
      workspace_(shared.options.limits, shared.common, &shared.telemetry),
      listener_(std::move(listener)) {
  if (listener_) {
    listener_->set_nonblocking();
    poller_.add(listener_->descriptor(), Interest::readable, on_client_);
  }
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
    telemetry().woke_up(number_);
    for (const Poller::Event& event : events) event.watched->ready(event.readiness);
    expire_timers();
    if (!draining() && stop_at_.load() != Clock::time_point::max()) begin_drain();
    if (draining() && now_ >= stop_at_.load()) cut_off_rest();
    graveyard_.clear();
  }
}

void EventLoop::abandon() {
  role_.assert_held();
  cut_off_rest();
  while (!connections_.empty()) {
    mailbox_->wait();
    deliver_letters();
  }
}

void EventLoop::stop(Clock::time_point until) {
  shared_.common.draining = true;
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
  --load_;
  --shared_.connections;
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
    if (shared_.connections >= options().max_connections) return pause_accepting(now_ + full_pause);
    Accepted client = listener_->accept(SocketMode::nonblocking);
    switch (client.kind) {
      case Accepted::connection:
        out_of_descriptors_ = false;
        place(client);
        break;
      case Accepted::out_of_descriptors:
        if (!std::exchange(out_of_descriptors_, true)) {
          telemetry().cannot_accept(client.error_number);
        }
        listener_->shed_one();
        return pause_accepting(now_ + descriptor_pause);
      case Accepted::transient:
        ++accepted_;  // it was one, if only for a moment: begin_drain() goes on to the next
        break;
      case Accepted::would_block:
      case Accepted::closed:
        return;
    }
  }
}

/// Gives a new client to the loop that has the fewest, or keeps it where each loop accepts its own.
void EventLoop::place(Accepted& client) {
  ++accepted_;
  EventLoop* chosen = this;
  if (!options().reuse_port) {
    for (const auto& loop : shared_.loops) {
      if (loop->load() < chosen->load()) chosen = loop.get();
    }
  }
  ++shared_.connections;
  ++chosen->load_;  // now, so that the next of a burst sees it
  if (chosen == this) return add(client);
  try {
    chosen->mailbox_->send(std::move(client));
  } catch (const std::exception& failure) {
    --chosen->load_;
    --shared_.connections;
    telemetry().accept_failed(failure.what());
  }
}

void EventLoop::add(Accepted& client) {
  try {
    auto connection =
        std::make_unique<Connection>(*this, workspace_, client, ++shared_.last_connection);
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
    --load_;
    --shared_.connections;
  }
}

void EventLoop::add_sent_clients() {
  for (Accepted& client : mailbox_->take_clients()) add(client);
}

void EventLoop::pause_accepting(Clock::time_point until) {
  poller_.change(listener_->descriptor(), Interest::none, on_client_);
  accept_again_ = until;
}

void EventLoop::deliver_letters() {
  role_.assert_held();
  mailbox_->acknowledge();
  workspace_.drop_replaced();
  add_sent_clients();
  while (Lent* lent = mailbox_->take_returned()) static_cast<Connection*>(lent)->returned();
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

/// Takes in who has connected by now, and nobody after that. The loop that hands clients out tells
/// the others to stop when it has handed out the last; they find it before they look whether they
/// are done.
void EventLoop::begin_drain() {
  drain_began_ = now_;
  if (listener_) {
    std::size_t before = 0;
    do {
      before = accepted_;
      accept_clients();
    } while (before != accepted_);
    poller_.remove(listener_->descriptor());
    listener_.reset();
  }
  add_sent_clients();
  if (number_ == 0) {
    for (const auto& loop : shared_.loops) loop->stop(stop_at_.load());
  }
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
