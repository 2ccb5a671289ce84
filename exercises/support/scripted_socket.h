// A connection whose client, and whose kernel, follow a script.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "fake_socket.h"

namespace stagecraft::exercise {

/// What comes, and how the kernel behaves.
struct Script {
  /// What the client sends: one read gives at most one of them, and less if less was asked for.
  std::vector<std::string> pieces = {};
  enum class ClientEnds {
    after_its_pieces,  ///< it sends no more, and says so at once
    after_the_answer,  ///< only when the server has said that it sends no more
  };
  ClientEnds ends = ClientEnds::after_the_answer;
  /// How many bytes one write takes at most.
  std::size_t most_per_write = std::numeric_limits<std::size_t>::max();
  /// Of the client, after so many bytes: it has gone, and writing fails with EPIPE.
  std::size_t gone_after_bytes = std::numeric_limits<std::size_t>::max();
  /// Every read and write fails with EINTR, once, before it is answered.
  bool interrupts = false;
};

/// Plays a script for one thread, and notes every call in the transcript.
class ScriptedSocket : public FakeSocket {
 public:
  explicit ScriptedSocket(Script script);

  /// All bytes that the code under test has written.
  const std::string& written() const { return written_; }
  /// Read so far, of what the client sends.
  std::size_t bytes_read() const { return bytes_read_; }
  /// How many bytes had been read when the first one was written; if none was, all the client
  /// sends.
  std::size_t read_before_first_write() const;

  bool is_closed() const { return closes_ > 0; }
  int closes() const { return closes_; }
  /// Whether it was closed with bytes unread: then the kernel sends a reset, and the client may
  /// never see what it has not read yet.
  bool was_reset() const { return was_reset_; }
  /// Whether the server has said that it sends no more, before it closed.
  bool was_shut_down() const { return was_shut_down_; }

  ssize_t received(void* to, std::size_t most, int flags) override;
  ssize_t sent(const void* from, std::size_t size, int flags) override;
  int shut_down(int how) override;
  int closed() override;
  short ready(short events) override;

 private:
  bool interrupted(const char* call);
  bool client_has_ended() const;

  Script script_;
  std::deque<std::string> pieces_;  ///< not read yet
  std::string written_;
  std::size_t bytes_read_ = 0;
  std::size_t read_before_first_write_ = std::numeric_limits<std::size_t>::max();
  int closes_ = 0;
  bool was_shut_down_ = false;
  bool was_reset_ = false;
  bool interrupt_is_due_ = true;
};

}  // namespace stagecraft::exercise
