#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>

#include "base/escape.h"
#include "base/http_date.h"
#include "base/thread_number.h"
#include "base/without_port.h"

namespace stagecraft {
namespace {

/// 0, or the errno that kept some of TEXT from being written.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void append_number(std::string& out, std::integral auto number) {
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

/// NUMBER with leading zeros to WIDTH digits.
void append_padded(std::string& out, std::int64_t number, std::size_t width) {
  const std::size_t start = out.size();
  append_number(out, number);
  const std::size_t size = out.size() - start;
  if (size < width) out.insert(start, width - size, '0');
}

std::int64_t now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

/// 2026-11-30T12:00:00.000001Z
void append_timestamp(std::string& out, std::int64_t time_us) {
  const CivilTime time = civil_time(time_us / 1'000'000);
  append_padded(out, time.year, 4);
  append_padded(out += '-', time.month, 2);
  append_padded(out += '-', time.day, 2);
  append_padded(out += 'T', time.hour, 2);
  append_padded(out += ':', time.minute, 2);
  append_padded(out += ':', time.second, 2);
  append_padded(out += '.', time_us % 1'000'000, 6);
  out += 'Z';
}

/// [30/Nov/2026:12:00:00 +0000]
void append_common_log_time(std::string& out, std::int64_t time_us) {
  const CivilTime time = civil_time(time_us / 1'000'000);
  append_padded(out += '[', time.day, 2);
  out.append("/").append(month_name(time.month));
  append_padded(out += '/', time.year, 4);
  append_padded(out += ':', time.hour, 2);
  append_padded(out += ':', time.minute, 2);
  append_padded(out += ':', time.second, 2);
  out += " +0000]";
}

enum class Escape : std::uint8_t { log, json };

void append_value(std::string& out, const LogField& field, Escape escape) {
  switch (field.kind) {
    case LogField::unsigned_value:
      append_number(out, field.number);
      break;
    case LogField::signed_value:
      append_number(out, static_cast<std::int64_t>(field.number));
      break;
    case LogField::text_value:
      out += '"';
      if (escape == Escape::json) {
        append_json_escaped(out, field.text);
      } else {
        append_log_escaped(out, field.text);
      }
      out += '"';
  }
}

void append_debug_line(std::string& out, const LogEvent& event, std::int64_t time_us) {
  append_timestamp(out += "time=", time_us);
  append_number(out += " thread=", thread_number());
  out.append(" event=").append(event.name());
  for (const LogField& field : event.fields()) {
    out.append(" ").append(field.name);
    append_value(out += '=', field, Escape::log);
  }
  out += '\n';
}

void append_trace_line(std::string& out, const LogEvent& event, std::int64_t time_us) {
  append_number(out += R"({"time_us":)", time_us);
  append_number(out += R"(,"thread":)", thread_number());
  out.append(R"(,"event":")").append(event.name()).append(R"(")");
  for (const LogField& field : event.fields()) {
    out.append(R"(,")").append(field.name);
    append_value(out += R"(":)", field, Escape::json);
  }
  out += "}\n";
}

}  // namespace

Logger::Logger(LogLevel level, int descriptor)
    : level_(level), descriptor_(descriptor), wants_events_(level >= LogLevel::debug) {}

Logger::~Logger() {
  if (trace_descriptor_ >= 0) ::close(trace_descriptor_);
}

void Logger::trace_to(const std::string& path) {
  int opened = -1;
  do {
    opened = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  } while (opened < 0 && errno == EINTR);
  if (opened < 0) throw std::system_error(errno, std::generic_category(), "open " + path);
  const MutexLock lock(mutex_);
  if (trace_descriptor_ >= 0) ::close(trace_descriptor_);
  trace_descriptor_ = opened;
  wants_events_ = true;
}

// Why the functions below swallow bad_alloc: without memory a line of the log is lost, and
// nothing that the server does for its clients may fail for that.

void Logger::error(std::string_view message) noexcept try {
  const MutexLock lock(mutex_);
  line_ = "error: ";
  append_log_escaped(line_, message);
  line_ += '\n';
  write_all(descriptor_, line_);
} catch (const std::bad_alloc&) {
}

void Logger::write_access(const AccessRecord& record) noexcept try {
  const MutexLock lock(mutex_);
  line_ = record.remote_address.empty() ? "-" : without_port(record.remote_address);
  append_common_log_time(line_ += " - - ", now_us());
  append_log_escaped(line_ += " \"", record.request_line);
  append_number(line_ += "\" ", record.status);
  append_number(line_ += ' ', record.body_bytes);
  line_ += '\n';
  write_all(descriptor_, line_);
} catch (const std::bad_alloc&) {
}

void Logger::head(std::string_view mark, std::string_view lines) noexcept try {
  if (!wants_heads()) return;
  const MutexLock lock(mutex_);
  line_.clear();
  while (!lines.empty()) {
    const std::size_t size = std::min(lines.find("\r\n"), lines.size());
    append_log_escaped(line_ += mark, lines.substr(0, size));
    line_ += '\n';
    lines.remove_prefix(std::min(size + 2, lines.size()));
  }
  write_all(descriptor_, line_);
} catch (const std::bad_alloc&) {
}

void Logger::write_event(const LogEvent& event) noexcept try {
  const MutexLock lock(mutex_);
  const std::int64_t time_us = now_us();  // under the lock: lines stand in the order of their times
  if (level_ >= LogLevel::debug) {
    line_.clear();
    append_debug_line(line_, event, time_us);
    write_all(descriptor_, line_);
  }
  if (trace_descriptor_ >= 0) {
    line_.clear();
    append_trace_line(line_, event, time_us);
    if (const int failure = write_all(trace_descriptor_, line_); failure != 0) end_trace(failure);
  }
} catch (const std::bad_alloc&) {
}

void Logger::end_trace(int failure) {
  ::close(trace_descriptor_);
  trace_descriptor_ = -1;
  wants_events_ = level_ >= LogLevel::debug;
  line_ = "error: the trace has ended: " + std::generic_category().message(failure) + '\n';
  write_all(descriptor_, line_);
}

}  // namespace stagecraft
