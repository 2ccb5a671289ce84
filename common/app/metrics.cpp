#include "app/metrics.h"

#include <algorithm>

#include "base/thread_number.h"

namespace stagecraft {

namespace {

// A label's value: the format escapes exactly these three.
void append_label(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

void append_help(std::string& out, std::string_view name, std::string_view type,
                 std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void append_sample(std::string& out, std::string_view name, std::uint64_t value) {
  out.append(name).append(" ").append(std::to_string(value)).append("\n");
}

}  // namespace

Metrics::Metrics() { name_routes({}); }

void Metrics::name_routes(std::span<const std::string_view> patterns) {
  patterns_.assign(1, "");
  route_of_pattern_.clear();
  for (const std::string_view pattern : patterns) {
    route_of_pattern_.emplace(pattern.data(), patterns_.size());
    patterns_.emplace_back(pattern);
  }
  for (Shard& shard : shards_) {
    shard.answers = std::make_unique<std::array<Count, status_classes>[]>(patterns_.size());
  }
}

Metrics::Shard& Metrics::shard() noexcept { return shards_[thread_number() % shard_count]; }

void Metrics::count_answer(std::string_view pattern, Status status) noexcept {
  const auto found = route_of_pattern_.find(pattern.data());
  const std::size_t route = found == route_of_pattern_.end() ? 0 : found->second;
  const std::size_t status_class = code(status) / 100 - 1;
  if (status_class >= status_classes) return;
  shard().answers[route][status_class].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t Metrics::sum(Counter counter) const {
  std::uint64_t total = 0;
  for (const Shard& shard : shards_) {
    total += shard.counters[counter].load(std::memory_order_relaxed);
  }
  return total;
}

std::uint64_t Metrics::sum_answers(std::size_t route, std::size_t status_class) const {
  std::uint64_t total = 0;
  for (const Shard& shard : shards_) {
    total += shard.answers[route][status_class].load(std::memory_order_relaxed);
  }
  return total;
}

std::string Metrics::text() const {
  std::string out;
  append_help(out, "stagecraft_answers_total", "counter",
              "Answers given, by the pattern of the route and the class of the status.");
  for (std::size_t route = 0; route < patterns_.size(); ++route) {
    for (std::size_t status_class = 0; status_class < status_classes; ++status_class) {
      const std::uint64_t answers = sum_answers(route, status_class);
      if (answers == 0) continue;
      out += "stagecraft_answers_total{route=\"";
      append_label(out, patterns_[route]);
      out.append("\",status=\"").append(std::to_string(status_class + 1)).append("xx\"} ");
      out.append(std::to_string(answers)).append("\n");
    }
  }

  // The two are not read at the same moment, so a connection may seem to close before it was
  // opened.
  const std::uint64_t opened = sum(connections_opened);
  const std::uint64_t closed = std::min(opened, sum(connections_closed));
  append_help(out, "stagecraft_connections_total", "counter", "Connections accepted.");
  append_sample(out, "stagecraft_connections_total", opened);
  append_help(out, "stagecraft_connections_open", "gauge", "Connections accepted and not closed.");
  append_sample(out, "stagecraft_connections_open", opened - closed);
  append_help(out, "stagecraft_received_bytes_total", "counter", "Bytes received.");
  append_sample(out, "stagecraft_received_bytes_total", sum(bytes_received));
  append_help(out, "stagecraft_sent_bytes_total", "counter", "Bytes sent.");
  append_sample(out, "stagecraft_sent_bytes_total", sum(bytes_sent));
  append_help(out, "stagecraft_timeouts_total", "counter", "Connections whose time was up.");
  append_sample(out, "stagecraft_timeouts_total", sum(requests_timed_out));
  return out;
}

}  // namespace stagecraft
