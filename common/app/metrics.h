// What the server has counted, for /metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/status.h"

namespace stagecraft {

/// Counters that many threads raise and one, now and then, adds up.
///
/// A counter shared by two threads travels between their processors' caches at each count, which
/// costs more than parsing a request does. So there are several copies of all counters, each thread
/// raises those of one copy, and the sum is made only when somebody asks for it.
///
/// Any thread may call any method, but name_routes() comes before all others.
class Metrics {
 public:
  /// The counts that belong to no route.
  enum Counter : std::size_t {
    connections_opened,
    connections_closed,
    bytes_received,
    bytes_sent,
    requests_timed_out,
    counter_count  ///< how many there are
  };

  Metrics();

  /// The patterns by which answers will be counted. Those given to count_answer() must be the very
  /// same: they are told apart by their addresses.
  void name_routes(std::span<const std::string_view> patterns);

  void count(Counter counter, std::uint64_t amount = 1) noexcept {
    shard().counters[counter].fetch_add(amount, std::memory_order_relaxed);
  }

  /// An answer of that status, on the route of that pattern; an unknown pattern, or none, counts as
  /// no route's.
  void count_answer(std::string_view pattern, Status status) noexcept;

  /// All of it, in the text format of Prometheus
  /// (https://prometheus.io/docs/instrumenting/exposition_formats/).
  std::string text() const;

 private:
  static constexpr std::size_t shard_count = 8;
  static constexpr std::size_t status_classes = 5;  // 1xx to 5xx
  using Count = std::atomic<std::uint64_t>;

  // On cache lines of its own: 64 bytes each on x86, and fetched in pairs.
  struct alignas(128) Shard {
    std::array<Count, counter_count> counters{};
    std::unique_ptr<std::array<Count, status_classes>[]> answers;  // by route
  };

  Shard& shard() noexcept;
  std::uint64_t sum(Counter counter) const;
  std::uint64_t sum_answers(std::size_t route, std::size_t status_class) const;

  std::array<Shard, shard_count> shards_;
  std::vector<std::string> patterns_;                              // the first is that of no route
  std::unordered_map<const char*, std::size_t> route_of_pattern_;  // by address
};

}  // namespace stagecraft
