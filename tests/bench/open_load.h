// When the requests of a load with a fixed rate are to leave, and how long each was waited for. No
// sockets and no clock: the time is an argument, so a test can let a server stall.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft::bench {

using Time = std::chrono::nanoseconds;  ///< since the load began

struct OpenLoadSettings {
  double rate_per_s = 1000;
  std::size_t connections = 64;
  Time warm_up{0};  ///< requests meant to leave before this are sent, but not recorded
  Time duration{std::chrono::seconds(1)};  ///< from the beginning, with the warm-up
};

/// Users who do not wait for each other: request number k is meant to leave at k / rate, over
/// connection k modulo n, whatever the server does. If the connection still waits for an answer,
/// the request leaves when that has come, *but its latency counts from the time at which it was
/// meant to leave*. A closed loop, which asks when it has been answered, forgets just the requests
/// that a stalled server kept from being sent ("coordinated omission", Gil Tene) and so shows a
/// stall of a second as one slow request.
class OpenLoad {
 public:
  explicit OpenLoad(const OpenLoadSettings& settings)
      : settings_(settings), users_(settings.connections) {}

  /// When request NUMBER is meant to leave.
  Time intended(std::uint64_t number) const {
    return Time(
        static_cast<std::int64_t>(static_cast<double>(number) * 1e9 / settings_.rate_per_s));
  }

  /// A connection over which a request is to leave now; call it until there is none. Those that are
  /// due, but whose connection is busy, stay behind and are answered()'s to report.
  std::optional<std::size_t> due(Time now) {
    while (intended(released_) <= now && !all_released()) {
      const std::size_t connection = released_++ % users_.size();
      User& user = users_[connection];
      if (user.busy) continue;
      user.busy = true;
      return connection;
    }
    return std::nullopt;
  }

  /// The time to call due() again, or nothing when the last request has been released.
  std::optional<Time> next_due() const {
    if (all_released()) return std::nullopt;
    return intended(released_);
  }

  enum class Next { rest, send };

  /// The answer on CONNECTION is whole. Next::send: its next request is overdue and leaves now.
  Next answered(std::size_t connection, Time now) {
    User& user = users_[connection];
    record(number_of(connection), now, user.answered);
    if (now >= settings_.warm_up && now < settings_.duration) ++arrived_;
    ++user.turn;
    user.busy = number_of(connection) < released_;
    return user.busy ? Next::send : Next::rest;
  }

  /// Whether nothing more is to be sent or waited for.
  bool finished() const {
    return all_released() &&
           std::none_of(users_.begin(), users_.end(), [](const User& user) { return user.busy; });
  }

  struct Result {
    std::uint64_t asked = 0;       ///< requests meant to leave after the warm-up
    std::uint64_t unanswered = 0;  ///< of these; with the time that they were waited for so far
    std::uint64_t arrived = 0;     ///< answers that came after the warm-up, and before the end
    std::vector<Time> latencies;   ///< of all that were asked, sorted
    std::vector<std::uint64_t> answers;  ///< for each connection
  };

  /// Ends the load. What was never answered is part of the latencies, with the time that it was
  /// waited for until NOW: less than the truth, but leaving it out would be a lie.
  Result finish(Time now) {
    Result result;
    for (std::size_t connection = 0; connection < users_.size(); ++connection) {
      User& user = users_[connection];
      result.answers.push_back(user.answered);
      for (; number_of(connection) < released_; ++user.turn) {
        record(number_of(connection), now, result.unanswered);
      }
    }
    result.asked = latencies_.size();
    result.arrived = arrived_;
    result.latencies = std::move(latencies_);
    std::sort(result.latencies.begin(), result.latencies.end());
    return result;
  }

 private:
  struct User {
    std::uint64_t turn = 0;  ///< requests of this connection that are done with
    std::uint64_t answered = 0;
    bool busy = false;  ///< waits for an answer
  };

  std::uint64_t number_of(std::size_t connection) const {
    return users_[connection].turn * users_.size() + connection;
  }
  bool all_released() const { return intended(released_) >= settings_.duration; }

  void record(std::uint64_t number, Time now, std::uint64_t& count) {
    if (intended(number) < settings_.warm_up) return;
    latencies_.push_back(now - intended(number));
    ++count;
  }

  OpenLoadSettings settings_;
  std::vector<User> users_;
  std::uint64_t released_ = 0;
  std::uint64_t arrived_ = 0;
  std::vector<Time> latencies_;
};

/// The value below which a SHARE (0 to 1) of sorted latencies lies; 0 of none.
inline Time percentile(const std::vector<Time>& sorted, double share) {
  if (sorted.empty()) return Time(0);
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(rank, sorted.size() - 1)];
}

}  // namespace stagecraft::bench
