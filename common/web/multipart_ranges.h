// Several parts of a file as one body (multipart/byteranges, RFC 9110 section 14.6).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/response.h"
#include "net/unique_fd.h"
#include "web/byte_ranges.h"

namespace stagecraft {

/// Reads the parts of a file one after the other, each behind a head of its own. By pread(2) and
/// not by sendfile(2), since a Response has one file range; it is asked for rarely.
class MultipartRanges : public BodySource {
 public:
  /// `type` is that of the file. The boundary is 32 random hexadecimal digits, so that no content
  /// can be made to contain it.
  MultipartRanges(UniqueFd file, std::uint64_t file_size, std::vector<ByteRange> ranges,
                  std::string_view type);

  /// Flow::failed if the file has become shorter than it was.
  Produced produce(std::span<char> room) override;

  /// Of the whole body.
  std::uint64_t length() const { return length_; }
  /// "multipart/byteranges; boundary=..."
  std::string type() const { return "multipart/byteranges; boundary=" + boundary_; }

 private:
  std::string head_of(const ByteRange& range) const;
  /// Makes the head of the next part what is sent, or the last boundary.
  void begin_part();

  UniqueFd file_;
  std::uint64_t file_size_;
  std::vector<ByteRange> ranges_;
  std::string part_type_;
  std::string boundary_;
  std::uint64_t length_ = 0;

  std::size_t next_ = 0;       // of ranges_: the one whose head comes next
  std::string text_;           // a part's head, or the end
  std::size_t text_sent_ = 0;  // of it
  ByteRange part_;             // what is left of the part that is being sent
};

}  // namespace stagecraft
