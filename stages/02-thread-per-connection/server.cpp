#include "server.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "app/session_clock.h"
#include "app/unix_time.h"
#include "base/http_date.h"
#include "http/session.h"
#include "mailbox.h"

namespace stagecraft {

using namespace std::chrono_literals;

namespace {

// What a client between two requests gets when the server stops: enough for a request that is on
// its way already.
constexpr auto last_moment = 1s;

// The pause after a failed accept(): descriptors come back when others close them, not by asking.
constexpr auto descriptor_pause = 100ms;

// Of the clients that were refused, how many are kept half-closed. See refuse().
constexpr std::size_t max_refused = 64;

constexpr std::string_view busy = "The server is busy.\n";

// What a client is told for whom there is no place.
std::string refusal() {
  const HttpDate date = http_date(std::time(nullptr));
  std::string answer = "HTTP/1.1 503 Service Unavailable\r\nServer: stagecraft\r\nDate: ";
  answer.append(date.data(), date.size()).append("\r\nConnection: close\r\nRetry-After: 1\r\n");
  answer.append("Content-Type: text/plain\r\nContent-Length: " + std::to_string(busy.size()));
  return answer.append("\r\n\r\n").append(busy);
}

// The time until `deadline` as a socket takes it, where 0 is without end. Nothing: it is over.
// Rounded up, or the last wait would end just before its time and the next be none.
std::optional<std::chrono::milliseconds> time_left(SessionClock::Clock::time_point deadline) {
  if (deadline == SessionClock::never) return 0ms;
  const auto left = deadline - SessionClock::Clock::now();
  if (left <= 0ms) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(left);
}

}  // namespace

/// One client: its socket, its HTTP, the clock beside them, and its thread.
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

  Connections::iterator self;  // its place in the list
  Socket socket;
  ConnectionInfo info;
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  Workspace workspace;
  Session session;
  SessionClock clock{Clock::now()};
  std::chrono::milliseconds receive_timeout{0}, send_timeout{0};  // as set on the socket
  std::atomic<bool> idle = false;  // waits for a request, so that stop() may end it
  bool owed_a_look = true;         // for input, even if the time for it is over
  Thread thread;
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
      if (client) admit(*client);
    } catch (const std::exception& failure) {
      // No memory for a connection, for instance. It costs us this client and nobody else.
      telemetry_.error(failure.what());
    }
  }
  wait_for_connections();
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
        refused_.clear();
        std::this_thread::sleep_for(descriptor_pause);
        break;
      case Accepted::would_block:
      case Accepted::closed:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Begins to serve a client, or says that it cannot.
void Server::admit(Accepted& client) {
  Connections newcomer;
  Connection& connection = newcomer.emplace_back(client, ++last_connection_, *this);
  connection.self = newcomer.begin();
  telemetry_.accepted(connection.info);
  if (!start_serving(newcomer)) refuse(connection);
}

/// Gives a client a thread of its own. False: there is none, by our limit or by the system's.
bool Server::start_serving(Connections& newcomer) {
  Connection& connection = newcomer.front();
  MutexLock lock(mutex_);
  if (connections_.size() >= options_.max_connections) return false;
  try {
    // It cannot leave before it has its place in the list: for that it needs our mutex.
    connection.thread = Thread(options_.stack_size, [this, &connection] { serve(connection); });
  } catch (const std::exception& failure) {
    if (!std::exchange(out_of_threads_, true)) telemetry_.error(failure.what());
    return false;
  }
  out_of_threads_ = false;
  connections_.splice(connections_.end(), newcomer);
  return true;
}

/// Tells a client that there is no place for it, and waits for nothing: a new socket takes these
/// few bytes at once. The request may still be on its way, and closing before it comes would make
/// the kernel answer it with a reset; so the socket stays half-closed until others are refused.
void Server::refuse(Connection& connection) {
  std::string answer = refusal();
  const iovec piece{answer.data(), answer.size()};
  const Io io = connection.socket.send({.memory = {&piece, 1}});
  telemetry_.sent(connection.info, io.n);
  telemetry_.answered(connection.info, nullptr, {}, Status::service_unavailable, busy.size());
  connection.socket.shut_down_write();
  telemetry_.closed(connection.info);
  refused_.push_back(std::move(connection.socket));
  if (refused_.size() > max_refused) refused_.pop_front();
}

void Server::wait_for_connections() {
  Thread last;
  {
    MutexLock lock(mutex_);
    while (!connections_.empty()) connections_changed_.wait(mutex_);
    last = std::move(last_to_leave_);
  }
  if (last.joinable()) last.join();
}

void Server::serve(Connection& connection) {
  try {
    while (serve_batch(connection)) {
      // It is kept: this thread has nothing else to do.
    }
  } catch (const std::exception& failure) {
    telemetry_.error(failure.what());
  }
  telemetry_.closed(connection.info);
  leave(connection);
}

/// The last that a client's thread does. It joins the one that has left before it, so at any time
/// there is at most one that has ended and is not yet joined, and joining that one waits for all.
void Server::leave(Connection& connection) {
  Connections gone;
  Thread before;
  {
    MutexLock lock(mutex_);
    gone.splice(gone.end(), connections_, connection.self);
    before = std::exchange(last_to_leave_, std::move(connection.thread));
    connections_changed_.notify_all();
  }
  gone.clear();  // and so the connection is closed
  if (before.joinable()) before.join();
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
    for (Connection& connection : connections_) {
      if (connection.idle) connection.socket.shut_down_both();
    }
  }
  if (wait_for_end(end)) return true;
  {
    MutexLock lock(mutex_);
    for (Connection& connection : connections_) {
      connection.socket.shut_down_both();
      connection.mailbox->close();
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
