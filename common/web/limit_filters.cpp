#include "web/limit_filters.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "http/client_address.h"

namespace stagecraft {

namespace {

void retry_later(Response& response, Status status, std::string_view detail,
                 std::uint64_t seconds) {
  error_page(response, status, detail);
  response.set_field("Retry-After", std::to_string(std::max<std::uint64_t>(seconds, 1)));
}

// Token buckets, each as the one moment at which it would be full again: a request moves that on by
// what one token costs, and is refused if it would lie further in the future than a whole bucket
// lasts. So a bucket is one number, and one compare-and-swap takes a token.
//
//     cell:  | 24 bits of the address's hash | 40 bits: when full again, in ms since the start |
class Buckets {
 public:
  Buckets(const RateLimit& limit, Milliseconds now)
      : token_ms_(std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(limit.per.count()) / std::max(1u, limit.requests))),
        bucket_ms_(token_ms_ * std::max(1u, limit.burst)),
        now_(std::move(now)),
        start_(now_()),
        cells_(std::bit_ceil(std::max<std::size_t>(limit.clients, ways))) {
    if (::sodium_init() < 0) throw std::runtime_error("the cryptography library cannot be used");
    ::randombytes_buf(secret_.data(), secret_.size());
  }

  // Takes a token. Returns 0, or in how many milliseconds there will be one.
  std::uint64_t take(std::string_view address) {
    const std::uint64_t now = now_() - start_ + 1;  // so that 0 is a cell that was never used
    const std::uint64_t hash = hash_of(address);
    std::atomic<std::uint64_t>* const row = &cells_[(hash & (cells_.size() - 1)) & ~(ways - 1)];
    for (;;) {
      std::atomic<std::uint64_t>& cell = cell_for(row, hash & tag_mask);
      std::uint64_t seen = cell.load(std::memory_order_relaxed);
      const bool mine = (seen & tag_mask) == (hash & tag_mask);
      const std::uint64_t full_at = mine ? std::max(seen & time_mask, now) : now;
      if (full_at + token_ms_ > now + bucket_ms_) return full_at + token_ms_ - now - bucket_ms_;
      const std::uint64_t next = (hash & tag_mask) | ((full_at + token_ms_) & time_mask);
      // Relaxed: the number is all that is shared.
      if (cell.compare_exchange_weak(seen, next, std::memory_order_relaxed)) return 0;
    }
  }

 private:
  static constexpr std::size_t ways = 8;  // cells that are looked through for one client
  static constexpr std::uint64_t time_mask = (std::uint64_t{1} << 40) - 1;
  static constexpr std::uint64_t tag_mask = ~time_mask;

  std::uint64_t hash_of(std::string_view text) const {
    std::array<unsigned char, crypto_shorthash_BYTES> bytes{};
    ::crypto_shorthash(bytes.data(),
                       static_cast<const unsigned char*>(static_cast<const void*>(text.data())),
                       text.size(), secret_.data());
    return std::bit_cast<std::uint64_t>(bytes);
  }

  // The client's own, or the one that is nearest to a full bucket, which is as good as new.
  static std::atomic<std::uint64_t>& cell_for(std::atomic<std::uint64_t>* row, std::uint64_t tag) {
    std::size_t best = 0;
    std::uint64_t best_time = time_mask;
    for (std::size_t i = 0; i < ways; ++i) {
      const std::uint64_t seen = row[i].load(std::memory_order_relaxed);
      if (seen != 0 && (seen & tag_mask) == tag) return row[i];
      if ((seen & time_mask) >= best_time) continue;
      best = i;
      best_time = seen & time_mask;
    }
    return row[best];
  }

  const std::uint64_t token_ms_;
  const std::uint64_t bucket_ms_;
  const Milliseconds now_;
  const std::uint64_t start_;
  std::vector<std::atomic<std::uint64_t>> cells_;
  std::array<unsigned char, crypto_shorthash_KEYBYTES> secret_{};
};

// How many requests run. Each has an attribute that is given back when it is over, however it ends.
struct Running {
  std::atomic<std::uint32_t> count = 0;
  const AttributeKey<Running> key{"one of the requests at once"};

  static void give_back(void* running) {
    static_cast<Running*>(running)->count.fetch_sub(1, std::memory_order_relaxed);
  }
};

}  // namespace

Filter size_limit(std::uint64_t max_bytes) {
  return wrap_intake([max_bytes](const Request&, Intake& intake) {
    intake.max_bytes = std::min(intake.max_bytes, max_bytes);
  });
}

std::uint64_t monotonic_ms() {
  using std::chrono::duration_cast;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(duration_cast<std::chrono::milliseconds>(now).count());
}

Filter rate_limit(const RateLimit& limit, Milliseconds now) {
  const auto buckets = std::make_shared<Buckets>(limit, std::move(now));
  return before([buckets](const Request& request, Response& response) {
    const std::uint64_t wait_ms = buckets->take(client_address(request));
    if (wait_ms == 0) return Pass::on;
    retry_later(response, Status::too_many_requests, "not so often, please",
                (wait_ms + 999) / 1000);
    return Pass::answered;
  });
}

Filter concurrency_limit(std::uint32_t max_requests, std::chrono::seconds retry_after) {
  const auto running = std::make_shared<Running>();
  const auto seconds = static_cast<std::uint64_t>(retry_after.count());
  return before([running, max_requests, seconds](const Request& request, Response& response) {
    if (running->count.fetch_add(1, std::memory_order_relaxed) < max_requests) {
      try {
        request.attributes().refer(running->key, *running, Running::give_back);
      } catch (...) {
        Running::give_back(running.get());
        throw;
      }
      return Pass::on;
    }
    Running::give_back(running.get());
    retry_later(response, Status::service_unavailable, "too many are here just now", seconds);
    return Pass::answered;
  });
}

}  // namespace stagecraft
