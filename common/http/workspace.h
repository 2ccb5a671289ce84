// What the sessions of one thread share.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "http/observer.h"

namespace stagecraft {

struct Exchange;

/// One thread's spare Exchanges and its Date line.
///
/// Only a request in flight needs buffers; an idle connection holds none. The spare ones are used
/// last in, first out, so that a thread which serves a thousand connections one after the other
/// does it all in the same few kilobytes, which its cache then knows. One thread at a time, that of
/// the sessions. Must outlive its sessions.
class Workspace {
 public:
  /// What the workspaces of one server have in common. For any thread.
  struct Common {
    /// Bytes of gathered bodies, counted against Limits::max_buffered.
    std::atomic<std::uint64_t> buffered{0};
    /// Set when the server stops: from then on each answer says that the connection closes. Read
    /// for every answer, so on a cache line that nobody writes meanwhile.
    alignas(64) std::atomic<bool> draining{false};
  };

  /// Without a `common` the workspace has one of its own. Everything is kept by reference.
  explicit Workspace(const Limits& limits, Observer* observer = nullptr, Common* common = nullptr);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// The time for the Date field of the answers to come. The stage owns the clock and calls this
  /// whenever the second may have changed: once per batch of events.
  void set_time(std::time_t now);

 private:
  friend class Session;
  friend class ResponseRenderer;

  Exchange* borrow();  // throws std::bad_alloc
  void give_back(Exchange* exchange) noexcept;
  /// "Server: stagecraft\r\nDate: ...\r\n"
  std::string_view common_fields() const { return {common_fields_.data(), common_fields_size_}; }

  /// A place for bytes that nobody wants.
  std::span<char> scrap() { return scrap_; }

  const Limits& limits_;
  Observer* observer_;
  std::vector<std::unique_ptr<Exchange>> spare_;
  Common own_common_;
  Common& common_;  // that, or one shared with others
  std::time_t time_ = -1;
  std::size_t common_fields_size_ = 0;
  std::array<char, 64> common_fields_;
  std::array<char, 64> scrap_;
};

}  // namespace stagecraft
