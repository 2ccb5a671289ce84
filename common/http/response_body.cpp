// Response, second part: its body as a source, for those who wrap it.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "http/response.h"

namespace stagecraft {
namespace {

// A content that is all there: its own, or one that lives for ever.
class ContentSource : public BodySource {
 public:
  explicit ContentSource(std::string content) : content_(std::move(content)), left_(content_) {}
  explicit ContentSource(std::string_view constant) : left_(constant) {}

  Produced produce(std::span<char> room) override {
    const std::size_t bytes = std::min(room.size(), left_.size());
    std::copy_n(left_.begin(), bytes, room.begin());
    left_.remove_prefix(bytes);
    return {bytes, left_.empty() ? Flow::end : Flow::more};
  }

 private:
  const std::string content_;
  std::string_view left_;
};

// A part of a file. A file that has become shorter makes a body that has failed.
class FileSource : public BodySource {
 public:
  explicit FileSource(FileRange range) : range_(std::move(range)) {}

  Produced produce(std::span<char> room) override {
    if (range_.length == 0) return {0, Flow::end};
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), range_.length));
    ssize_t bytes = 0;
    do {
      bytes = ::pread(range_.file.get(), room.data(), most, static_cast<off_t>(range_.offset));
    } while (bytes < 0 && errno == EINTR);
    if (bytes <= 0) return {0, Flow::failed};
    range_.offset += static_cast<std::uint64_t>(bytes);
    range_.length -= static_cast<std::uint64_t>(bytes);
    return {static_cast<std::size_t>(bytes), range_.length == 0 ? Flow::end : Flow::more};
  }

 private:
  FileRange range_;
};

}  // namespace

std::optional<std::uint64_t> Response::body_size() const {
  switch (body_) {
    case Body::none:
      return 0;
    case Body::text:
      return text_size_;
    case Body::content:
      return content_.size();
    case Body::constant:
      return constant_.size();
    case Body::file:
      return file_.length;
    case Body::stream:
      return length_;
    case Body::raw:
      break;
  }
  return std::nullopt;
}

std::unique_ptr<BodySource> Response::take_body() {
  std::unique_ptr<BodySource> source;
  switch (body_) {
    case Body::none:
    case Body::raw:
      return nullptr;
    case Body::text:
      source = std::make_unique<ContentSource>(std::string(text_view()));
      break;
    case Body::content:
      source = std::make_unique<ContentSource>(std::move(content_));
      break;
    case Body::constant:
      source = std::make_unique<ContentSource>(constant_);
      break;
    case Body::file:
      source = std::make_unique<FileSource>(std::move(file_));
      break;
    case Body::stream:
      source = std::move(source_);
      break;
  }
  drop_body();
  return source;
}

}  // namespace stagecraft
