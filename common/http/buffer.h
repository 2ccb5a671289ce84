// A row of bytes that grows at the back and is taken from the front: what is read and not yet
// used, or written and not yet sent.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace stagecraft {

/// Bytes in one piece. Not a std::string, because that clears the room which it makes, and a
/// buffer for reading would clear 64 KiB to receive forty bytes; and because taking from the front
/// of a string moves the rest each time.
///
/// Any member that makes room may move the bytes: views end there. Throws std::bad_alloc when there
/// is no memory; the buffer is then as it was.
class Buffer {
 public:
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  std::size_t capacity() const { return capacity_; }
  char* data() { return bytes_.get() + begin_; }
  const char* data() const { return bytes_.get() + begin_; }
  std::string_view view() const { return {data(), size()}; }

  /// The free bytes behind the last one; commit() makes them part of the buffer.
  std::span<char> room() { return {bytes_.get() + end_, capacity_ - end_}; }
  /// Makes room() hold at least `bytes`: by moving everything to the front if that is enough, else
  /// in a new block of at least twice the size, and of 1 KiB.
  void reserve(std::size_t bytes);
  void commit(std::size_t bytes) { end_ += bytes; }

  // Here, so that the copying of a short constant becomes a few stores in its place.
  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    if (capacity_ - end_ < bytes.size()) reserve(bytes.size());
    std::memcpy(bytes_.get() + end_, bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  /// Takes `bytes` from the front. An empty buffer starts again at its block's beginning, at no
  /// cost.
  void consume(std::size_t bytes);
  /// Removes `count` bytes at `offset` from the front; what follows moves down.
  void erase(std::size_t offset, std::size_t count);
  void clear() { begin_ = end_ = 0; }
  /// Gives the block back if it is larger than `bytes`. Only for an empty buffer.
  void shrink(std::size_t bytes);

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t begin_ = 0, end_ = 0, capacity_ = 0;
};

}  // namespace stagecraft
