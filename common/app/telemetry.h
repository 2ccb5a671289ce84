// What becomes of the moments in a connection's life: log lines, trace lines and counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "app/metrics.h"
#include "base/log.h"
#include "http/observer.h"

namespace stagecraft {

/// What a thread waits for that waits for one client.
enum class WaitFor : std::uint8_t {
  input,   ///< bytes from the client
  room,    ///< the kernel takes what is to be sent, as fast as the client reads
  answer,  ///< somebody else has promised the answer
};

/// The one place to which a server tells what happens. The session tells the moments of HTTP
/// (Observer), the stage those of its sockets and threads; here it is decided who wants to know:
/// the access log, the events of --log debug and --trace, the counts of /metrics. The events and
/// their fields have the names that microhttp gives them, and where it has none, names of ours;
/// docs/tracing.md lists them all.
///
/// Any thread may call any method. What nobody wants costs one comparison.
class Telemetry final : public Observer {
 public:
  /// Both must outlive this object.
  Telemetry(Logger& logger, Metrics& metrics)
      : Observer(logger.wants_heads() ? Heads::wanted : Heads::unwanted,
                 logger.wants_events() ? Events::all : Events::timeouts),
        logger_(logger),
        metrics_(metrics) {}

  /// Tells nobody of anything but errors, which go to stderr.
  Telemetry();

  // --- Of the session ---------------------------------------------------------------------------

  void event(SessionEvent event, const ConnectionInfo& connection,
             std::uint64_t bytes) noexcept override;
  void answered(const ConnectionInfo& connection, const Request* request, std::string_view pattern,
                Status status, std::uint64_t body_bytes) noexcept override;
  /// Credentials are not shown: a log is read by more people than a request.
  void head(const Request* request, std::string_view answer_head) noexcept override;

  // --- Of the stage: a connection ---------------------------------------------------------------

  void accepted(const ConnectionInfo& connection) noexcept;
  /// `request_bytes` are what Session says after that.
  void received(const ConnectionInfo& connection, std::size_t bytes,
                std::uint64_t request_bytes) noexcept;
  /// The client has sent its last byte.
  void received_end(const ConnectionInfo& connection) noexcept;
  void receive_failed(const ConnectionInfo& connection, int error_number) noexcept;
  void sent(const ConnectionInfo& connection, std::size_t bytes) noexcept;
  void send_failed(const ConnectionInfo& connection, int error_number) noexcept;
  void closed(const ConnectionInfo& connection) noexcept;
  /// This thread waits for one client from now until the next event that it tells: for its bytes,
  /// for room to send, or for its promised answer. It may find at once what it waits for.
  void waits(const ConnectionInfo& connection, WaitFor what) noexcept;

  // --- Of who runs handlers ---------------------------------------------------------------------

  /// A handler begins with a request on this thread, and is done with it: its answer is made, or
  /// promised. See trace_handlers().
  void entered(const Request& request, std::string_view pattern) noexcept;
  void left(const Request& request) noexcept;

  // --- Of the stage: as a whole -----------------------------------------------------------------

  /// From now on each of so many event loops counts for itself. Before the server starts; without
  /// it all threads count together.
  void count_by_loop(std::size_t loops) { metrics_.count_by_loop(loops); }
  /// This thread waits for whoever comes first, from now until the next event that it tells: in
  /// accept(2) for a new client, or as an event loop for any of its clients.
  void waits() noexcept;
  /// An event loop has waited, and goes to work.
  void woke_up(std::uint32_t loop) noexcept;
  /// accept(2) has failed for want of descriptors or memory.
  void cannot_accept(int error_number) noexcept;
  /// A new client could not be taken in, and was closed.
  void accept_failed(std::string_view message) noexcept;
  /// The thread that accepts, or an event loop, ends. Number 0 is the one that accepts.
  void loop_ended(std::uint32_t loop) noexcept;
  /// The server has lost an event loop and cannot go on: an error, and what on_failure() has asked
  /// for.
  void failed(std::string_view message) noexcept;
  /// What to do then: end the program, say. Called on the thread that failed, and must not throw.
  /// Set before the server starts.
  void on_failure(std::function<void()> react) { react_ = std::move(react); }
  /// Something that whoever runs the server should know, at every log level.
  void error(std::string_view message) noexcept;

 private:
  void count(const ConnectionInfo& connection, Metrics::Counter counter,
             std::uint64_t amount = 1) noexcept {
    metrics_.count(connection.loop, counter, amount);
  }
  void log(std::string_view name, const ConnectionInfo& connection) noexcept;
  void log(std::string_view name, const ConnectionInfo& connection, LogField field) noexcept;

  struct Own {
    Logger logger;
    Metrics metrics;
  };

  std::unique_ptr<Own> own_;  // of who was given none
  Logger& logger_;
  Metrics& metrics_;
  std::function<void()> react_;
};

}  // namespace stagecraft
