// How much, how often and how many at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "web/filter.h"

namespace stagecraft {

/// Bodies of up to so many bytes for these routes, more than Limits::max_request_size or less;
/// beyond it 413. A route that has a lower limit of its own keeps it.
Filter size_limit(std::uint64_t max_bytes);

/// Milliseconds since any moment, never going back.
using Milliseconds = std::function<std::uint64_t()>;

/// The system's monotonic clock.
std::uint64_t monotonic_ms();

struct RateLimit {
  std::uint32_t requests = 60;            ///< on average so many ...
  std::chrono::milliseconds per{60'000};  ///< ... in so long a time
  std::uint32_t burst = 20;               ///< at once after a pause; at least 1
  std::size_t clients = 4096;             ///< as many are remembered
};

/// A token bucket for each client's address; behind a proxy of ours, see forwarded_by(). A client
/// whose bucket is empty gets 429, and in Retry-After when there will be a token (RFC 6585 section
/// 4).
///
/// The table has a fixed size, one word for each client, and no lock. When it is full, the one who
/// is nearest to a full bucket is forgotten: who floods a server from many addresses makes it
/// forget others, but never makes it refuse them. Two clients whose addresses have one hash, which
/// depends on a secret, share a bucket. An IPv6 client that has many addresses has as many buckets.
Filter rate_limit(const RateLimit& limit, Milliseconds now = monotonic_ms);

/// At most so many requests of these routes at once, from their head until their answer has been
/// made, deferred ones and those whose client has gone included; others get 503 and Retry-After.
Filter concurrency_limit(std::uint32_t max_requests,
                         std::chrono::seconds retry_after = std::chrono::seconds(1));

}  // namespace stagecraft
