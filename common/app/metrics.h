// What the server has counted, for /metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/status.h"

namespace stagecraft {

/// Counters that many threads raise and one, now and then, adds up.
///
/// A counter shared by two threads travels between their processors' caches at each count, which
/// costs more than parsing a request does. So there are several copies of all counters: each event
/// loop has one for itself, which is told under its number; where there are no loops each thread
/// raises those of one copy, and the sum is made only when somebody asks for it. A copy that only
/// one thread writes needs no locked instruction either.
///
/// Any thread may call any method, but name_routes() and count_by_loop() come before all others;
/// and once loops count, only the thread of a loop may count under its number.
class Metrics {
 public:
  /// The counts that belong to no route.
  enum Counter : std::size_t {
    connections_opened,
    connections_closed,
    bytes_received,
    bytes_sent,
    requests_timed_out,
    turns,         ///< of an event loop
    counter_count  ///< how many there are
  };

  Metrics();

  /// The patterns by which answers will be counted. Found fastest if those given to count_answer()
  /// are the very same texts.
  void name_routes(std::span<const std::string_view> patterns);

  /// So many event loops count. Not called: threads do, whatever number their loop is said to have.
  void count_by_loop(std::size_t loops);

  void count(std::uint32_t loop, Counter counter, std::uint64_t amount = 1) noexcept {
    raise(shard(loop).counters[counter], amount);
  }

  /// An answer of that status, on the route of that pattern; an unknown pattern, or none, counts as
  /// no route's.
  void count_answer(std::uint32_t loop, std::string_view pattern, Status status) noexcept;

  /// All of it, in the text format of Prometheus
  /// (https://prometheus.io/docs/instrumenting/exposition_formats/).
  std::string text() const;

 private:
  static constexpr std::size_t shard_count = 8;
  static constexpr std::size_t status_classes = 5;  // 1xx to 5xx
  using Count = std::atomic<std::uint64_t>;

  // Each copy is on cache lines of its own: 64 bytes each on x86, and fetched in pairs.
  struct alignas(128) Answers {
    std::array<Count, status_classes> of_class{};
  };
  struct alignas(128) Shard {
    std::array<Count, counter_count> counters{};
    std::vector<Answers> of_route;
  };
  // What is told as one: a shard, or all of them. And the label for it: `loop="0"`, or nothing.
  struct Group {
    std::span<const Shard> shards;
    std::string label;
  };

  Shard& shard(std::uint32_t loop) noexcept;
  void make_shards(std::size_t count);
  std::vector<Group> groups() const;
  std::size_t route_of(std::string_view pattern) const noexcept;
  std::size_t place_of(const char* text) const noexcept;
  // Where each copy has one thread that writes it, nothing can come between the two steps.
  void raise(Count& count, std::uint64_t amount) noexcept {
    if (by_loop_) {
      count.store(count.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    } else {
      count.fetch_add(amount, std::memory_order_relaxed);
    }
  }
  static std::uint64_t sum(const Group& group, Counter counter);
  static void append_all(std::string& out, const std::vector<Group>& groups, std::string_view name,
                         std::string_view help, Counter counter);
  void append_answers(std::string& out, const Group& group) const;

  std::vector<Shard> shards_;
  bool by_loop_ = false;
  std::vector<std::string> patterns_;  // the first is that of no route
  // Where each of them was given, and its place above. A hash table by address, at most half full:
  // an answer is counted by comparing one pointer, nearly always.
  struct Known {
    const char* text = nullptr;
    std::size_t route = 0;
  };
  std::vector<Known> known_;
};

}  // namespace stagecraft
