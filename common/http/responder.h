// Answers that come later: who waits for them, and how they travel to its thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "http/response.h"

namespace stagecraft {

/// Names one request for ever: connections and requests are numbered, never reused.
struct Ticket {
  std::uint64_t connection = 0;
  std::uint32_t request = 0;
};

class Postbox;

/// A letter to the thread of a connection: a deferred answer, or the word that a source has more.
/// Made by Response::defer() (the one allocation of a deferred answer) or Response::resumer().
/// Whoever holds the postbox's lock may touch `next`; all else but the two atomics is set before
/// the post, and read after it by the connection's thread.
struct Deferred {
  enum class Kind : std::uint8_t { answer, resume };

  Ticket ticket;
  Kind kind = Kind::answer;
  std::shared_ptr<Postbox> postbox;
  Response response;
  std::atomic<bool> abandoned = false;  ///< nobody waits any more: reset, timed out or stopped
  bool early = false;                ///< came before its handler had returned; the session's alone
  std::atomic<bool> posted = false;  ///< under way; a second `resume` meanwhile says nothing new
  std::shared_ptr<Deferred> resume;  ///< the letter of the answer's Resumer, if it has one
  std::shared_ptr<Deferred> next;    ///< the postbox's queue runs through its letters
};

/// Where letters for a connection's thread are put: one per loop, or one per connection where the
/// connection has a thread of its own. Held by shared_ptr, since a Responder may outlive the
/// server; a letter holds its postbox, so one that nobody empties any more must drop what is
/// posted, or both would live for ever.
class Postbox {
 public:
  virtual ~Postbox() = default;
  /// From any thread. Cannot fail and does not allocate: the letter is its own queue node.
  virtual void post(std::shared_ptr<Deferred> letter) noexcept = 0;
};

/// A plain first-in-first-out queue of letters, linked through them. Not synchronized: a Postbox
/// guards one by its mutex.
class LetterQueue {
 public:
  void push(std::shared_ptr<Deferred> letter) noexcept;
  /// The oldest, or nullptr.
  std::shared_ptr<Deferred> pop() noexcept;
  bool empty() const { return first_ == nullptr; }
  ~LetterQueue();

  LetterQueue() = default;
  LetterQueue(const LetterQueue&) = delete;
  LetterQueue& operator=(const LetterQueue&) = delete;

 private:
  std::shared_ptr<Deferred> first_;
  Deferred* last_ = nullptr;
};

/// Who asks: what a Response needs in order to make a Deferred. The session's.
struct Deferral {
  Ticket ticket;
  const std::shared_ptr<Postbox>* postbox = nullptr;  // not a copy: most requests never need it
};

/// Says that a BodySource has more. Copyable, usable from any thread; harmless when the answer is
/// long over.
class Resumer {
 public:
  explicit Resumer(std::shared_ptr<Deferred> letter) : letter_(std::move(letter)) {}
  void resume() noexcept;
  bool abandoned() const noexcept { return letter_->abandoned.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<Deferred> letter_;
};

/// The right to answer one request, once, from any thread. Dropped unused it answers 500, so that
/// no client waits for ever; an answer that comes too late is dropped.
class Responder {
 public:
  explicit Responder(std::shared_ptr<Deferred> deferred) : deferred_(std::move(deferred)) {}
  Responder(Responder&&) noexcept = default;
  Responder& operator=(Responder&& other) noexcept;
  ~Responder();

  void send(Response response) && noexcept;
  /// For a streamed answer made from this Responder: take it before send(). Throws std::bad_alloc.
  Resumer resumer() const;
  /// Nobody waits any more: the client reset the connection, the time was up, or the server stops.
  bool abandoned() const noexcept { return deferred_->abandoned.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<Deferred> deferred_;
};

}  // namespace stagecraft
