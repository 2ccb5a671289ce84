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
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/replaceable.h"
#include "http/application.h"
#include "http/observer.h"

namespace stagecraft {

struct Exchange;

/// The application as one thread has it. A request keeps it alive by a count that only this thread
/// knows: the count of a shared_ptr would be written by all of them, and memory that several
/// threads write to at each request costs more than parsing one.
struct Snapshot {
  std::shared_ptr<const Application> application;
  std::size_t requests = 0;  ///< that began with it and are not over
};

/// One thread's spare Exchanges, its Date line, and the application as it knows it.
///
/// Only a request in flight needs buffers; an idle connection holds none. The spare ones are used
/// last in, first out, so that a thread which serves a thousand connections one after the other
/// does it all in the same few kilobytes, which its cache then knows. One thread at a time, that of
/// the sessions. Must outlive its sessions.
class Workspace {
 public:
  /// What the workspaces of one server have in common. For any thread.
  struct Common {
    explicit Common(Application first) : application(std::move(first)) {}

    /// Bytes of bodies in memory, gathered or in a sink, counted against Limits::max_buffered.
    std::atomic<std::uint64_t> buffered{0};
    /// Set when the server stops: from then on each answer says that the connection closes. Read
    /// for every answer, so on a cache line that nobody writes meanwhile.
    alignas(64) std::atomic<bool> draining{false};
    /// What is served. Who replaces it changes nothing for the requests that have begun.
    Replaceable<Application> application;
  };

  /// Everything is kept by reference.
  Workspace(const Limits& limits, Common& common, Observer* observer = nullptr);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// The time for the Date field of the answers to come. The stage owns the clock and calls this
  /// whenever the second may have changed: once per batch of events.
  void set_time(std::time_t now);

  /// Lets go of an application that has been replaced, unless requests are under way that began
  /// with it: then the last of them does. It happens by itself when the next request begins, so
  /// this is for a thread that has nothing to do. The application may be destroyed here.
  void drop_replaced() noexcept;

 private:
  friend class Session;
  friend class ResponseRenderer;

  Exchange* borrow();  // throws std::bad_alloc
  void give_back(Exchange* exchange) noexcept;

  /// For a request that begins now: the application that holds. Throws std::bad_alloc.
  Snapshot& enter_application();
  /// The request is over.
  void leave_application(Snapshot& snapshot) noexcept;
  bool replaced() const { return common_.application.generation() != generation_; }
  void take_current();
  /// "Server: stagecraft\r\nDate: ...\r\n"
  std::string_view common_fields() const { return {common_fields_.data(), common_fields_size_}; }

  /// A place for bytes that nobody wants.
  std::span<char> scrap() { return scrap_; }

  const Limits& limits_;
  Observer* observer_;
  std::vector<std::unique_ptr<Exchange>> spare_;
  Common& common_;
  std::unique_ptr<Snapshot> current_;  // what this thread took for current when it last looked
  std::uint64_t generation_ = 0;       // of `current_`
  std::vector<std::unique_ptr<Snapshot>> replaced_;  // and still in use
  std::time_t time_ = -1;
  std::size_t common_fields_size_ = 0;
  std::array<char, 64> common_fields_;
  std::array<char, 64> scrap_;
};

}  // namespace stagecraft
