// How many clients of one address are served at once.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "hooked_mutex.h"

/// A client that has connected: from where, and the number of the connection.
struct Visitor {
  std::string address;
  int number = 0;
};

/// Where threads come from.
class Threads {
 public:
  /// Has `body` run by a new thread. Throws std::system_error if there is none to be had.
  virtual void start(std::function<void()> body) = 0;

 protected:
  ~Threads() = default;
};

/// Gives visitors threads, so many to each address and no more; further ones of that address wait,
/// without a thread.
class Door {
 public:
  /// Limits for one address.
  struct Most {
    std::size_t inside = 2;   ///< are served at once, each by a thread
    std::size_t waiting = 8;  ///< wait for one of these to leave
  };
  /// Serves one visitor, on its thread, and may throw whatever it likes.
  using Serve = std::function<void(const Visitor&)>;

  /// `threads` is kept by reference. The door must live until all threads that it started have
  /// ended.
  Door(Most most, Threads& threads, Serve serve);

  enum class Arrived { has_a_thread, waits, refused };

  /// On the thread that accepts, always the same one; never waits for a visitor. Gives the visitor
  /// a thread if its address has less than `inside` of them; otherwise it waits, if there is room
  /// for that. Refused is also a visitor for whom there is no thread to be had.
  ///
  /// Those who wait are served in the order in which they came, each as soon as one of their
  /// address has left, also if it has left by an exception.
  Arrived arrive(Visitor visitor);

  /// Addresses of which something is remembered: those of which somebody is inside or waits, and no
  /// others, or a stranger with many addresses could fill our memory. Any thread.
  std::size_t addresses_known() const;

 private:
  struct Address {
    std::size_t inside = 0;
    std::deque<Visitor> waiting = {};
  };

  /// For you, on a visitor's thread.
  void run(Visitor visitor);

  const Most most_;
  Threads& threads_;
  const Serve serve_;
  mutable stagecraft::exercise::Mutex mutex_;
  // Read and written only by who holds mutex_.
  std::map<std::string, Address> addresses_;
};
