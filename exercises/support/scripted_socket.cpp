#include "scripted_socket.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "exercise.h"
#include "support/printable.h"

namespace stagecraft::exercise {
namespace {

constexpr std::size_t most_shown = 60;

std::string shown(std::string_view bytes) {
  return std::to_string(bytes.size()) + " bytes  \"" + testing::printable(bytes, most_shown) + "\"";
}

int failure(int error) {
  errno = error;
  return -1;
}

}  // namespace

ScriptedSocket::ScriptedSocket(Script script) : script_(std::move(script)) {
  for (const std::string& piece : script_.pieces)
    if (!piece.empty()) pieces_.push_back(piece);
}

std::size_t ScriptedSocket::read_before_first_write() const {
  std::size_t all = bytes_read_;
  for (const std::string& piece : pieces_) all += piece.size();
  return std::min(all, read_before_first_write_);
}

// One after the other: a call that is repeated gets through.
bool ScriptedSocket::interrupted(const char* call) {
  if (!script_.interrupts) return false;
  if (!std::exchange(interrupt_is_due_, !interrupt_is_due_)) return false;
  note(std::string(call) + " -> EINTR: a signal came");
  return true;
}

bool ScriptedSocket::client_has_ended() const {
  return pieces_.empty() && (script_.ends == Script::ClientEnds::after_its_pieces ||
                             was_shut_down_ || written_.size() >= script_.gone_after_bytes);
}

ssize_t ScriptedSocket::received(void* to, std::size_t most, int flags) {
  if (is_closed()) {
    note("read -> EBADF: it was closed before");
    return failure(EBADF);
  }
  if (interrupted("read")) return failure(EINTR);
  if (most == 0) return 0;
  if (pieces_.empty()) {
    if (client_has_ended()) {
      note("read -> 0: the client sends no more");
      return 0;
    }
    if ((flags & MSG_DONTWAIT) != 0) return failure(EAGAIN);
    note("read waits, and the client waits as well");
    throw Stuck{
        "read() waits for bytes, and the client, which has sent all it had, for the answer"};
  }
  std::string& piece = pieces_.front();
  const std::size_t size = std::min(most, piece.size());
  std::copy_n(piece.begin(), size, static_cast<char*>(to));
  note("read  -> " + shown(piece.substr(0, size)));
  if ((flags & MSG_PEEK) != 0) return static_cast<ssize_t>(size);
  bytes_read_ += size;
  piece.erase(0, size);
  if (piece.empty()) pieces_.pop_front();
  return static_cast<ssize_t>(size);
}

ssize_t ScriptedSocket::sent(const void* from, std::size_t size, int /*flags*/) {
  if (is_closed()) {
    note("write -> EBADF: it was closed before");
    return failure(EBADF);
  }
  if (interrupted("write")) return failure(EINTR);
  if (was_shut_down_ || written_.size() >= script_.gone_after_bytes) {
    note(was_shut_down_ ? "write -> EPIPE: after shutdown" : "write -> EPIPE: the client has gone");
    return failure(EPIPE);
  }
  const std::size_t taken = std::min(size, script_.most_per_write);
  const std::string bytes(static_cast<const char*>(from), taken);
  if (written_.empty() && taken > 0) read_before_first_write_ = bytes_read_;
  written_ += bytes;
  note("write -> " + shown(bytes) + (taken < size ? " of " + std::to_string(size) : ""));
  return static_cast<ssize_t>(taken);
}

int ScriptedSocket::shut_down(int how) {
  if (is_closed()) return failure(EBADF);
  if (how == SHUT_WR || how == SHUT_RDWR) was_shut_down_ = true;
  note(how == SHUT_RD ? "shutdown of the reading side" : "shutdown: the client sees the end");
  return 0;
}

int ScriptedSocket::closed() {
  if (++closes_ > 1) {
    note("close -> EBADF: it was closed before, and the number may be somebody else's by now");
    return failure(EBADF);
  }
  was_reset_ = !pieces_.empty();
  note(was_reset_ ? "close with bytes unread: the kernel resets the connection" : "close");
  return 0;
}

short ScriptedSocket::ready(short events) {
  short now = 0;
  if (!pieces_.empty() || client_has_ended()) now = POLLIN;
  return static_cast<short>((now | POLLOUT) & events);
}

}  // namespace stagecraft::exercise
