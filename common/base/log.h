// What the server says about itself: errors, an access log, and events for people (--log debug) and
// for programs (--trace). Nothing is formatted and nothing allocated for what nobody reads.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/thread_annotations.h"

namespace stagecraft {

/// One named value of an event. Refers to its text. A plain struct with a tag rather than a
/// variant: it is built for every event, wanted or not, and should cost a few stores.
struct LogField {
  enum Kind : std::uint8_t { text_value, unsigned_value, signed_value };

  constexpr LogField(std::string_view field_name, std::string_view value)
      : name(field_name), text(value) {}
  constexpr LogField(std::string_view field_name, std::unsigned_integral auto value)
      : name(field_name), number(value), kind(unsigned_value) {}
  constexpr LogField(std::string_view field_name, std::signed_integral auto value)
      : name(field_name), number(static_cast<std::uint64_t>(value)), kind(signed_value) {}

  std::string_view name;
  std::string_view text;
  std::uint64_t number = 0;  ///< of a signed value the two's complement
  Kind kind = text_value;
};

/// Something that happened, with a few fields, built on the stack of whoever reports it:
///
///     logger.log({"read_bytes", {{"id", id}, {"read_bytes", n}, {"request_bytes", total}}});
///
/// Refers to its fields, which live to the end of the statement that it is made in: pass it on at
/// once.
class LogEvent {
 public:
  LogEvent(std::string_view name, std::initializer_list<LogField> fields = {})
      : name_(name), fields_(fields) {}

  std::string_view name() const { return name_; }
  std::initializer_list<LogField> fields() const { return fields_; }

 private:
  std::string_view name_;
  std::initializer_list<LogField> fields_;
};

/// One answered request, for the access log. Refers to its texts.
struct AccessRecord {
  std::string_view remote_address;  ///< with or without port, which is left out of the log
  std::string_view request_line;    ///< as received; escaped by the logger
  unsigned status = 0;
  std::uint64_t body_bytes = 0;  ///< of the answer, without its head
};

enum class LogLevel : std::uint8_t {
  off,      ///< errors only
  access,   ///< and a line for each answered request
  verbose,  ///< and before it the fields of the request and of its answer
  debug,    ///< errors, accesses, and a line for each event
};

/// Writes whole lines, each with one write(2), so that those of several threads never mix.
///
/// Any thread may call any method. Threads that log should block SIGPIPE, as all threads of a
/// server do: a reader of the log or of the trace who goes away is no reason to end.
class Logger {
 public:
  /// Logs to DESCRIPTOR, which stays the caller's.
  explicit Logger(LogLevel level = LogLevel::off, int descriptor = 2);
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  /// From now on each event is also written to the file or FIFO at PATH as one line of JSON:
  /// {"time_us":N,"thread":N,"event":"name", and the event's fields}, where time_us is in
  /// microseconds since the Unix epoch. The lines stand in the order of their times. Call it before
  /// other threads log. Throws std::system_error if the file cannot be opened.
  ///
  /// Opening a FIFO waits until somebody opens it for reading, as a shell's `> fifo` does, and
  /// writing to a full one waits for its reader: a trace has no gaps, at the price that a reader
  /// who stops reading stops the server. When the reader closes it, tracing ends and the server
  /// goes on. Since opening may wait, do it before SIGINT and SIGTERM are blocked.
  void trace_to(const std::string& path) EXCLUDES(mutex_);

  /// Whether log() and access() do anything: ask before working out a field that costs something.
  bool wants_events() const { return wants_events_.load(std::memory_order_relaxed); }
  bool wants_accesses() const { return level_ >= LogLevel::access; }
  bool wants_heads() const { return level_ == LogLevel::verbose; }

  /// A line for people with --log debug (`time=2026-11-30T12:00:00.000001Z thread=1 event=accept
  /// remote_address="127.0.0.1:54321" id=1`), a line of JSON with --trace, otherwise nothing. On a
  /// path where nanoseconds count ask wants_events() first: then not even the event is built.
  void log(const LogEvent& event) noexcept EXCLUDES(mutex_) {
    if (wants_events()) write_event(event);
  }

  /// A line in Common Log Format, in UTC, from --log access on:
  /// `127.0.0.1 - - [30/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 12`
  void access(const AccessRecord& record) noexcept EXCLUDES(mutex_) {
    if (wants_accesses()) write_access(record);
  }

  /// The lines of a head, as they are on the wire, with CRLF between them: each behind MARK, "> "
  /// for what came and "< " for what goes, escaped, all with one write. With --log verbose.
  void head(std::string_view mark, std::string_view lines) noexcept EXCLUDES(mutex_);

  /// `error: MESSAGE`, escaped, at every level.
  void error(std::string_view message) noexcept EXCLUDES(mutex_);

 private:
  void write_event(const LogEvent& event) noexcept EXCLUDES(mutex_);
  void write_access(const AccessRecord& record) noexcept EXCLUDES(mutex_);
  void end_trace(int failure) REQUIRES(mutex_);

  const LogLevel level_;
  const int descriptor_;
  std::atomic<bool> wants_events_;  ///< at debug level, or while there is a trace

  Mutex mutex_;
  std::string line_
      GUARDED_BY(mutex_);  ///< the line being made: kept, so that its memory is reused
  int trace_descriptor_ GUARDED_BY(mutex_) = -1;
};

}  // namespace stagecraft
