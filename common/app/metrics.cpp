#include "app/metrics.h"

#include <algorithm>
#include <bit>
#include <cstdint>

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

void append_sample(std::string& out, std::string_view name, std::string_view labels,
                   std::uint64_t value) {
  out.append(name);
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(std::to_string(value)).append("\n");
}

}  // namespace

Metrics::Metrics() { name_routes({}); }

void Metrics::name_routes(std::span<const std::string_view> patterns) {
  patterns_.assign(1, "");
  known_.assign(std::bit_ceil(2 * patterns.size() + 1), {});
  for (const std::string_view pattern : patterns) {
    Known& known = known_[place_of(pattern.data())];
    if (known.text == nullptr) known = {pattern.data(), patterns_.size()};
    patterns_.emplace_back(pattern);
  }
  make_shards(by_loop_ ? shards_.size() : shard_count);
}

void Metrics::count_by_loop(std::size_t loops) {
  by_loop_ = true;
  make_shards(loops);
}

void Metrics::make_shards(std::size_t count) {
  shards_ = std::vector<Shard>(count);
  for (Shard& shard : shards_) shard.of_route = std::vector<Answers>(patterns_.size());
}

Metrics::Shard& Metrics::shard(std::uint32_t loop) noexcept {
  return shards_[by_loop_ ? loop : thread_number() % shard_count];
}

void Metrics::count_answer(std::uint32_t loop, std::string_view pattern, Status status) noexcept {
  const std::size_t route = route_of(pattern);
  const std::size_t status_class = code(status) / 100 - 1;
  if (status_class >= status_classes) return;
  raise(shard(loop).of_route[route].of_class[status_class], 1);
}

// Where a text of that address is in the table, or would be.
std::size_t Metrics::place_of(const char* text) const noexcept {
  const std::size_t last = known_.size() - 1;  // the size is a power of two
  // Addresses of texts are alike in most of their bits. Multiplied by an odd number without a
  // pattern (2 to the 64th by the golden ratio), all of them count for the upper ones.
  const auto address = reinterpret_cast<std::uintptr_t>(text);
  std::size_t place = (address * 0x9e3779b97f4a7c15u >> 32) & last;
  while (known_[place].text != nullptr && known_[place].text != text) place = (place + 1) & last;
  return place;
}

std::size_t Metrics::route_of(std::string_view pattern) const noexcept {
  const Known& known = known_[place_of(pattern.data())];
  if (known.text != nullptr && patterns_[known.route] == pattern) return known.route;
  // Of an application that took the place of the first: another text, perhaps of the same words.
  const auto same = std::find(patterns_.begin(), patterns_.end(), pattern);
  return same == patterns_.end() ? 0 : static_cast<std::size_t>(same - patterns_.begin());
}

std::vector<Metrics::Group> Metrics::groups() const {
  std::vector<Group> groups;
  if (!by_loop_) groups.push_back({shards_, ""});
  for (std::size_t loop = 0; by_loop_ && loop < shards_.size(); ++loop) {
    groups.push_back({{&shards_[loop], 1}, "loop=\"" + std::to_string(loop) + "\""});
  }
  return groups;
}

std::uint64_t Metrics::sum(const Group& group, Counter counter) {
  std::uint64_t total = 0;
  for (const Shard& shard : group.shards) {
    total += shard.counters[counter].load(std::memory_order_relaxed);
  }
  return total;
}

void Metrics::append_all(std::string& out, const std::vector<Group>& groups, std::string_view name,
                         std::string_view help, Counter counter) {
  append_help(out, name, "counter", help);
  for (const Group& group : groups) append_sample(out, name, group.label, sum(group, counter));
}

void Metrics::append_answers(std::string& out, const Group& group) const {
  for (std::size_t route = 0; route < patterns_.size(); ++route) {
    for (std::size_t status_class = 0; status_class < status_classes; ++status_class) {
      std::uint64_t answers = 0;
      for (const Shard& shard : group.shards) {
        answers += shard.of_route[route].of_class[status_class].load(std::memory_order_relaxed);
      }
      if (answers == 0) continue;
      std::string labels = group.label.empty() ? "" : group.label + ",";
      labels += "route=\"";
      append_label(labels, patterns_[route]);
      labels.append("\",status=\"").append(std::to_string(status_class + 1)).append("xx\"");
      append_sample(out, "stagecraft_answers_total", labels, answers);
    }
  }
}

std::string Metrics::text() const {
  const std::vector<Group> all = groups();
  std::string out;
  append_help(out, "stagecraft_answers_total", "counter",
              "Answers given, by the pattern of the route and the class of the status.");
  for (const Group& group : all) append_answers(out, group);
  append_all(out, all, "stagecraft_connections_total", "Connections accepted.", connections_opened);
  append_help(out, "stagecraft_connections_open", "gauge", "Connections accepted and not closed.");
  for (const Group& group : all) {
    // The two are not read at the same moment, so a connection may seem to close before it was
    // opened.
    const std::uint64_t closed = sum(group, connections_closed);
    const std::uint64_t opened = std::max(closed, sum(group, connections_opened));
    append_sample(out, "stagecraft_connections_open", group.label, opened - closed);
  }
  append_all(out, all, "stagecraft_received_bytes_total", "Bytes received.", bytes_received);
  append_all(out, all, "stagecraft_sent_bytes_total", "Bytes sent.", bytes_sent);
  append_all(out, all, "stagecraft_timeouts_total", "Connections whose time was up.",
             requests_timed_out);
  if (by_loop_) {
    append_all(out, all, "stagecraft_loop_turns_total", "Times that the loop has woken up.", turns);
  }
  return out;
}

}  // namespace stagecraft
