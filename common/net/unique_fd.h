// A file descriptor with an owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace stagecraft {

/// Owns one file descriptor and closes it: the smallest useful class of a network program. A
/// descriptor that is closed twice closes somebody else's connection; one that is never closed is
/// lost until the program ends. An owner that can be moved but not copied makes both impossible.
///
/// Like an int it is not synchronized: one thread at a time.
class UniqueFd {
 public:
  UniqueFd() noexcept = default;
  /// Takes ownership of FD; -1 for none.
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  ~UniqueFd() { reset(); }

  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());  // to itself as well: it owns nothing when reset() looks
    return *this;
  }

  /// The descriptor, still owned; -1 if there is none.
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

  /// Gives the descriptor up without closing it.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

  /// Closes the descriptor, if there is one, and owns FD instead.
  ///
  /// The result of close() is ignored on purpose. On Linux the descriptor is gone whatever it says,
  /// EINTR included, so that trying again could close a descriptor that another thread has opened
  /// meanwhile (man 2 close). EIO and ENOSPC concern files that were written, of which a server has
  /// none.
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace stagecraft
