// Bytes next to memory that may not be read.
#pragma once

#include <cstddef>
#include <string_view>

namespace stagecraft::testing {

/// A block of memory between two pages that may not be touched. Bytes held at its end make a parser
/// that reads one byte too many crash, where on the heap it would find something and go unnoticed.
class GuardedBytes {
 public:
  /// Room for at least CAPACITY bytes. Throws std::system_error.
  explicit GuardedBytes(std::size_t capacity);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  std::size_t capacity() const { return capacity_; }

  /// Copies BYTES so that they end at the block's end; what was held before is overwritten, so that
  /// nobody can go on using the old place. The view is valid until the next call.
  std::string_view hold(std::string_view bytes);
  /// The same, but they begin at the block's beginning.
  std::string_view hold_at_front(std::string_view bytes);

 private:
  std::string_view put(char* place, std::string_view bytes);

  std::size_t capacity_ = 0;
  char* begin_ = nullptr;
  std::string_view held_;
};

}  // namespace stagecraft::testing
