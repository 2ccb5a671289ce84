// Bytes that end at a page which may not be touched.
#pragma once

#include <cstddef>
#include <string_view>

namespace stagecraft::exercise {

/// A copy of some bytes at whose end the memory ends: whoever reads one byte too many crashes, in
/// every build and not only under a sanitizer. Throws std::bad_alloc.
class ProtectedBytes {
 public:
  explicit ProtectedBytes(std::string_view bytes);
  ~ProtectedBytes();
  ProtectedBytes(const ProtectedBytes&) = delete;
  ProtectedBytes& operator=(const ProtectedBytes&) = delete;

  /// Valid as long as this lives.
  std::string_view view() const { return view_; }

 private:
  void* pages_ = nullptr;
  std::size_t mapped_ = 0;
  std::string_view view_;
};

}  // namespace stagecraft::exercise
