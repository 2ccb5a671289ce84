#include "web/multipart_ranges.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace stagecraft {

namespace {

std::string random_boundary() {
  std::array<unsigned char, 16> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace

MultipartRanges::MultipartRanges(UniqueFd file, std::uint64_t file_size,
                                 std::vector<ByteRange> ranges, std::string_view type)
    : file_(std::move(file)),
      file_size_(file_size),
      ranges_(std::move(ranges)),
      part_type_(type),
      boundary_(random_boundary()) {
  for (const ByteRange& range : ranges_) length_ += head_of(range).size() + range.length;
  length_ += 2 + 2 + boundary_.size() + 2 + 2;
  begin_part();
}

// The line end before a boundary belongs to the boundary (RFC 2046 section 5.1.1).
std::string MultipartRanges::head_of(const ByteRange& range) const {
  return "\r\n--" + boundary_ + "\r\nContent-Type: " + part_type_ +
         "\r\nContent-Range: " + content_range(range, file_size_) + "\r\n\r\n";
}

void MultipartRanges::begin_part() {
  text_sent_ = 0;
  if (next_ == ranges_.size()) {
    text_ = "\r\n--" + boundary_ + "--\r\n";
    return;
  }
  part_ = ranges_[next_++];
  text_ = head_of(part_);
}

Produced MultipartRanges::produce(std::span<char> room) {
  if (text_sent_ < text_.size()) {
    const std::size_t bytes = std::min(room.size(), text_.size() - text_sent_);
    std::copy_n(text_.data() + text_sent_, bytes, room.data());
    text_sent_ += bytes;
    const bool end = text_sent_ == text_.size() && next_ == ranges_.size() && part_.length == 0;
    return {bytes, end ? Flow::end : Flow::more};
  }
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), part_.length));
  const ssize_t read = ::pread(file_.get(), room.data(), bytes, static_cast<off_t>(part_.offset));
  if (read <= 0) return {0, Flow::failed};  // shorter than it was, or the disk has failed
  part_.offset += static_cast<std::uint64_t>(read);
  part_.length -= static_cast<std::uint64_t>(read);
  if (part_.length == 0) begin_part();
  return {static_cast<std::size_t>(read), Flow::more};
}

}  // namespace stagecraft
