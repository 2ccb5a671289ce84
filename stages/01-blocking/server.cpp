#include "server.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "app/session_clock.h"
#include "app/unix_time.h"
#include "http/session.h"
#include "mailbox.h"
#include "net/socket.h"

namespace stagecraft {

using namespace std::chrono_literals;

namespace {

// What a client between two requests gets when the server stops: enough for a request that is on
// its way already.
constexpr auto last_moment = 1s;

// The pause after a failed accept(): descriptors come back when others close them, not by asking.
constexpr auto descriptor_pause = 100ms;

// The time until `deadline` as a socket takes it, where 0 is without end. Nothing: it is over.
// Rounded up, or the last wait would end just before its time and the next be none.
std::optional<std::chrono::milliseconds> time_left(SessionClock::Clock::time_point deadline) {
  if (deadline == SessionClock::never) return 0ms;
  const auto left = deadline - SessionClock::Clock::now();
  if (left <= 0ms) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(left);
}

}  // namespace

/// One client: its socket, its HTTP, and the clock beside them.
struct Server::Connection {
  Connection(Accepted& client, std::uint64_t id, Server& server)
      : socket(std::move(client.socket)),
        workspace(server.options_.limits, server.common_, &server.telemetry_),
        session(server.options_.limits, workspace, mailbox, info) {
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
  Workspace workspace;
  Session session;
  SessionClock clock{Clock::now()};
  std::chrono::milliseconds receive_timeout{0}, send_timeout{0};  // as set on the socket
  std::atomic<bool> idle = false;  // waits for a request, so that stop() may end it
  bool owed_a_look = true;         // for input, even if the time for it is over
};

Server::Server(const Options& options, Application application, Telemetry& telemetry)
    : options_(options), telemetry_(telemetry), common_(std::move(application)) {}

Server::Server(const Options& options, Application application)
    : options_(options),
      own_telemetry_(std::make_unique<Telemetry>()),
      telemetry_(*own_telemetry_),
      common_(std::move(application)) {}

void Server::start() {
  listener_.emplace(ListenerOptions{.host = options_.host,
                                    .port = options_.port,
                                    .backlog = options_.accept_length,
                                    .reuse_addr = options_.reuse_addr,
                                    .reuse_port = options_.reuse_port});
  MutexLock lock(mutex_);
  thread_ = Thread(0, [this] { accept_loop(); });
  ended_ = false;
}

void Server::accept_loop() {
  for (bool open = true; open;) {
    try {
      std::optional<Accepted> client = next_client();
      open = client.has_value();
      if (client) serve(*client);
    } catch (const std::exception& failure) {
      // No memory for a connection, for instance. It costs us this client and nobody else.
      telemetry_.error(failure.what());
    }
  }
  telemetry_.loop_ended(0);
  MutexLock lock(mutex_);
  ended_ = true;
  ended_changed_.notify_all();
}

/// Waits for the next client. Nothing: the server stops, and nobody is left who waits for it.
std::optional<Accepted> Server::next_client() {
  bool out_of_descriptors = false;
  while (Clock::now() < drain_until_.load()) {
    {
      MutexLock lock(mutex_);
      waiting_for_client_ = !draining();
    }
    if (draining()) listener_->set_nonblocking();
    telemetry_.waits();
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
          telemetry_.cannot_accept(client.error_number);
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
  Connection connection(client, ++last_connection_, *this);
  telemetry_.accepted(connection.info);
  show(&connection);
  try {
    while (serve_batch(connection)) {
      // It is kept, and so is our whole attention: all others wait until this client goes.
    }
  } catch (const std::exception& failure) {
    telemetry_.error(failure.what());
  }
  show(nullptr);
  telemetry_.closed(connection.info);
}

/// Lets stop() see the connection that is being served, or that there is none.
void Server::show(Connection* connection) {
  MutexLock lock(mutex_);
  shown_ = connection;
}

/// Answers what a client has sent. Whatever has to be waited for, the thread waits for here; that
/// is the idea of this server. True: all is answered, and the client may ask again.
bool Server::serve_batch(Connection& connection) {
  Session& session = connection.session;
  for (bool answered = false;;) {
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
        telemetry_.waits(connection.info, WaitFor::answer);
        if (const auto letter = connection.mailbox->take(deadline(connection))) {
          connection.workspace.set_time(std::time(nullptr));
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
      case Step::reset: {
        MutexLock lock(mutex_);  // stop() may be about to shut it down
        connection.socket.close_with_reset();
        return false;
      }
      case Step::close:
        return false;
    }
  }
}

void Server::receive(Connection& connection) {
  Session& session = connection.session;
  // A socket's timeout counts from each call on. A client that sends a byte now and then would gain
  // a whole timeout with each, if we did not set what is left. Most often that is what is set
  // already, since a timer has its full length when it begins.
  const auto left = time_left(deadline(connection));
  // Who has waited for its turn until its time was over may have asked long ago.
  const bool look_at_least = std::exchange(connection.owed_a_look, false);
  if (!left && !look_at_least) return session.expired();
  if (left && std::exchange(connection.receive_timeout, *left) != *left) {
    connection.socket.set_receive_timeout(*left);
  }

  telemetry_.waits(connection.info, WaitFor::input);
  connection.idle = session.idle();
  const auto room = session.read_buffer();
  const Io io = left ? connection.socket.recv(room) : connection.socket.recv_now(room);
  connection.idle = false;
  connection.workspace.set_time(std::time(nullptr));

  switch (io.kind) {
    case Io::bytes:
      session.received(io.n);
      return telemetry_.received(connection.info, io.n, session.request_bytes());
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
  if (std::exchange(connection.send_timeout, *left) != *left) {
    connection.socket.set_send_timeout(*left);
  }

  telemetry_.waits(connection.info, WaitFor::room);
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

/// How long we may wait for this client: as its timers say, and less when the server stops.
Server::Clock::time_point Server::deadline(Connection& connection) const {
  const Session& session = connection.session;
  auto deadline = connection.clock.deadline(session, options_.limits, Clock::now());
  if (session.idle()) deadline = std::min(deadline, idle_until_.load());
  return std::min(deadline, drain_until_.load());
}

bool Server::stop(std::chrono::milliseconds grace) {
  const Clock::time_point now = Clock::now();
  const Clock::time_point end = now + grace;
  {
    MutexLock lock(mutex_);
    idle_until_ = std::min(now + last_moment, end);
    drain_until_ = end;
    common_.draining = true;
    // The kernel would turn away those whom accept() has not taken yet. If there are any, it comes
    // back with one, and needs no other sign.
    if (waiting_for_client_ && listener_->waiting() == 0) listener_->shut_down();
  }
  if (wait_for_end(idle_until_.load())) return true;
  {
    MutexLock lock(mutex_);
    if (shown_ != nullptr && shown_->idle) shown_->socket.shut_down_both();
  }
  if (wait_for_end(end)) return true;
  {
    MutexLock lock(mutex_);
    if (shown_ != nullptr) {
      shown_->socket.shut_down_both();
      shown_->mailbox->close();
    }
  }
  return wait_for_end(Clock::now() + last_moment);
}

bool Server::wait_for_end(Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (!ended_) {
    if (ended_changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return ended_;
}

void Server::replace(Application application) {
  common_.application.replace(std::move(application));
}

void Server::join() {
  if (thread_.joinable()) thread_.join();
  listener_.reset();
}

Server::~Server() {
  stop(0ms);
  join();
}

}  // namespace stagecraft
