#include "server.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <utility>

#include "app/signals.h"
#include "http/session.h"
#include "mailbox.h"
#include "net/socket.h"

namespace stagecraft {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

// What a connection between two requests is granted when the server stops: long enough for a
// request that is on its way already.
constexpr auto idle_moment = 1s;

// The pause after a failed accept(): descriptors come back as others are closed, not by asking.
constexpr auto descriptor_pause = 100ms;

// When something that has begun at `start` and may take `length` must be over; 0 is for ever.
Clock::time_point end_of(Clock::time_point start, std::chrono::milliseconds length) {
  return length == 0ms ? Clock::time_point::max() : start + length;
}

// The time until `deadline` as a socket's timeout, to which 0 means without end; nothing if it is
// over. Rounded up, so that a wait does not end a moment too early.
std::optional<std::chrono::milliseconds> time_left(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return 0ms;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  if (left <= 0ms) return std::nullopt;
  return left;
}

std::int64_t unix_time_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

/// One client: its socket, its HTTP, and when its timers began.
struct Connection {
  Connection(Accepted& client, std::uint64_t id, const Limits& limits,
             const Application& application, Workspace& workspace)
      : socket(std::move(client.socket)), session(limits, application, workspace, mailbox, info) {
    info.id = id;
    info.remote_address = std::move(client.remote_address);
    info.local_address = socket.local_address();
    info.accepted_us = unix_time_us();
    socket.set_no_delay();
  }
  ~Connection() { mailbox->close(); }

  Socket socket;
  ConnectionInfo info;
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  Session session;

  std::uint32_t restarts = 0;  // what session.restarts() was when the timer began
  Clock::time_point timer_began = Clock::now();
  Clock::time_point request_began = timer_began;  // its idle time included
  bool reading = true;                            // a request is awaited or arriving

  std::atomic<bool> idle = false;  // waits for a request: stop() may end it
};

/// Shows stop() the connection that is being served, for as long as this object lives.
class Server::Shown {
 public:
  Shown(Server& server, Connection& connection) : server_(server) {
    MutexLock lock(server_.mutex_);
    server_.current_ = &connection;
  }
  ~Shown() {
    MutexLock lock(server_.mutex_);
    server_.current_ = nullptr;
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

 private:
  Server& server_;
};

Server::Server(const Options& options, const Application& application, Telemetry& telemetry)
    : options_(options),
      application_(application),
      telemetry_(telemetry),
      workspace_(options.limits, &telemetry) {}

Server::~Server() {
  stop(0ms);
  join();
}

void Server::start() {
  ListenerOptions listen;
  listen.host = options_.host;
  listen.port = options_.port;
  listen.backlog = options_.accept_length;
  listen.reuse_addr = options_.reuse_addr;
  listener_.emplace(listen);
  {
    MutexLock lock(mutex_);
    ended_ = false;
  }
  const SignalsBlocked blocked;  // the new thread inherits this
  thread_ = std::thread([this] { accept_loop(); });
}

bool Server::stop(std::chrono::milliseconds grace) {
  const Clock::time_point now = Clock::now();
  const Clock::time_point end = now + grace;
  {
    MutexLock lock(mutex_);
    drain_until_ = end;
    // The kernel turns away who waits for accept(); but as long as the thread waits there, nobody
    // does.
    if (waiting_for_client_) listener_->shut_down();
  }
  if (wait_for_end(std::min(now + idle_moment, end))) return true;
  {
    MutexLock lock(mutex_);
    if (current_ != nullptr && current_->idle) current_->socket.shut_down_both();
  }
  if (wait_for_end(end)) return true;
  {
    MutexLock lock(mutex_);
    if (current_ != nullptr) {
      current_->socket.shut_down_both();
      current_->mailbox->close();
    }
  }
  return wait_for_end(Clock::now() + idle_moment);
}

void Server::join() {
  if (thread_.joinable()) thread_.join();
  listener_.reset();
}

bool Server::wait_for_end(Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (!ended_) {
    if (ended_changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return ended_;
}

// --- The server's thread
// --------------------------------------------------------------------------

void Server::accept_loop() {
  for (bool open = true; open;) {
    try {
      std::optional<Accepted> client = next_client();
      open = client.has_value();
      if (client) serve(*client);
    } catch (const std::exception& failure) {
      // No memory for a connection, say. That costs us this client and nobody else.
      telemetry_.error(failure.what());
    }
  }
  telemetry_.loop_ended(0);
  MutexLock lock(mutex_);
  ended_ = true;
  ended_changed_.notify_all();
}

/// Waits for the next client. Nothing: the server stops, and nobody waits any more.
std::optional<Accepted> Server::next_client() {
  bool out_of_descriptors = false;
  while (Clock::now() < drain_until_.load()) {
    {
      MutexLock lock(mutex_);
      waiting_for_client_ = !draining();
    }
    if (draining()) listener_->set_nonblocking();
    Accepted client = listener_->accept();
    {
      MutexLock lock(mutex_);
      waiting_for_client_ = false;
    }
    switch (client.kind) {
      case Accepted::connection:
        return client;
      case Accepted::transient:
        break;
      case Accepted::out_of_descriptors:
        if (!std::exchange(out_of_descriptors, true)) {
          telemetry_.error(std::string("accept: ") + std::strerror(client.error_number));
        }
        listener_->shed_one();
        std::this_thread::sleep_for(descriptor_pause);
        break;
      case Accepted::would_block:
      case Accepted::closed:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

void Server::serve(Accepted& client) {
  Connection connection(client, ++last_connection_, options_.limits, application_, workspace_);
  telemetry_.accepted(connection.info);
  {
    const Shown shown(*this, connection);
    while (serve_batch(connection)) {
      // Kept, and it has our whole attention: nobody else is served until it closes.
    }
  }
  telemetry_.closed(connection.info);
}

/// Serves a client until there is nothing to do for it but wait. True: it is kept, and may ask
/// again; false: it is over. What waits here waits with the thread: that is the whole idea.
bool Server::serve_batch(Connection& connection) {
  Session& session = connection.session;
  for (bool answered = false;;) {
    if (draining()) session.drain();
    switch (session.next()) {
      case Step::receive:
        if (answered && session.idle()) return true;
        receive(connection);
        break;
      case Step::handle:
        run(session.route().handle, session.request(), session.response());
        session.handled();
        answered = true;
        break;
      case Step::wait:
        if (const auto letter = connection.mailbox->take(deadline(connection))) {
          workspace_.set_time(std::time(nullptr));
          session.answer(*letter);
        } else {
          session.expired();
        }
        break;
      case Step::send:
        send(connection);
        break;
      case Step::shut_down:
        connection.socket.shut_down_write();
        session.shut_down_done();
        break;
      case Step::reset:
        connection.socket.close_with_reset();
        return false;
      case Step::close:
        return false;
    }
  }
}

void Server::receive(Connection& connection) {
  Session& session = connection.session;
  // Set anew each time, to what is left: a timeout counts from the call on, and a client that sends
  // one byte now and then would otherwise gain a whole one with each.
  const auto left = time_left(deadline(connection));
  if (!left) return session.expired();
  connection.socket.set_receive_timeout(*left);

  connection.idle = session.idle();
  const Io io = connection.socket.recv(session.read_buffer());
  connection.idle = false;
  workspace_.set_time(std::time(nullptr));
  switch (io.kind) {
    case Io::bytes:
      telemetry_.received(connection.info, io.n);
      return session.received(io.n);
    case Io::would_block:
      return session.expired();
    case Io::closed:
      telemetry_.received_end(connection.info);
      return session.received_end();
    case Io::error:
      telemetry_.receive_failed(connection.info, io.error_number);
      return session.reset_by_peer();
  }
}

void Server::send(Connection& connection) {
  Session& session = connection.session;
  const auto left = time_left(deadline(connection));
  if (!left) return session.expired();
  connection.socket.set_send_timeout(*left);

  const Io io = connection.socket.send(session.output());
  switch (io.kind) {
    case Io::bytes:
      telemetry_.sent(connection.info, io.n);
      return session.sent(io.n);
    case Io::would_block:
      return session.expired();
    case Io::closed:
    case Io::error:
      telemetry_.send_failed(connection.info, io.error_number);
      return session.reset_by_peer();
  }
}

/// When the timer that runs now is up. The session says which one that is and when it begins anew;
/// the clock is ours.
Clock::time_point Server::deadline(Connection& connection) {
  const Session& session = connection.session;
  const Limits& limits = options_.limits;
  if (connection.restarts != session.restarts()) {
    connection.restarts = session.restarts();
    connection.timer_began = Clock::now();
    const bool reading = session.timer() <= Timer::body;  // idle, head or body
    if (reading && !connection.reading) connection.request_began = connection.timer_began;
    connection.reading = reading;
  }
  auto deadline = end_of(connection.timer_began, length(session.timer(), limits));
  if (connection.reading) {
    deadline = std::min(deadline, end_of(connection.request_began, limits.request_timeout));
  }
  if (draining()) {
    deadline = std::min(deadline, drain_until_.load());
    if (session.idle()) deadline = std::min(deadline, connection.timer_began + idle_moment);
  }
  return deadline;
}

}  // namespace stagecraft
