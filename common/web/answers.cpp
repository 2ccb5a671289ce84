#include "web/answers.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace stagecraft {

namespace {

class Pieces : public BodySource {
 public:
  explicit Pieces(std::function<Flow(std::string&)> next) : next_(std::move(next)) {}

  Produced produce(std::span<char> room) override {
    if (sent_ == piece_.size()) {
      piece_.clear();
      sent_ = 0;
      if (flow_ == Flow::more || flow_ == Flow::later) flow_ = next_(piece_);
      if (flow_ == Flow::failed) return {0, Flow::failed};
    }
    const std::size_t bytes = std::min(room.size(), piece_.size() - sent_);
    std::copy_n(piece_.data() + sent_, bytes, room.data());
    sent_ += bytes;
    // What is left of this piece comes first, whatever follows it.
    return {bytes, sent_ < piece_.size() ? Flow::more : flow_};
  }

 private:
  std::function<Flow(std::string&)> next_;
  std::string piece_;
  std::size_t sent_ = 0;  // of piece_
  Flow flow_ = Flow::more;
};

}  // namespace

void html(Response& response, std::string page) {
  response.body(std::move(page), "text/html; charset=utf-8");
}

void json(Response& response, std::string text) {
  response.body(std::move(text), "application/json");
}

bool is_local_path(std::string_view text) {
  if (!text.starts_with('/')) return false;
  // Browsers leave out tabs and line ends, take '\' for '/', and what begins with two is a host.
  const bool visible = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f && c != '\\';
  });
  return visible && !text.starts_with("//");
}

void redirect(Response& response, std::string_view location, Status status) {
  if (!is_local_path(location)) throw std::invalid_argument("a redirect to no path of this server");
  redirect_anywhere(response, location, status);
}

void redirect_anywhere(Response& response, std::string_view location, Status status) {
  using enum Status;
  const auto redirects = {moved_permanently, found, see_other, temporary_redirect,
                          permanent_redirect};
  if (std::find(redirects.begin(), redirects.end(), status) == redirects.end()) {
    throw std::invalid_argument("a redirect by a status that does not redirect");
  }
  if (location.empty()) throw std::invalid_argument("a redirect to nowhere");
  response.set_field("Location", location);
  response.status(status);
  response.text("", {});
}

void stream_pieces(Response& response, std::function<Flow(std::string& piece)> next,
                   std::string_view type) {
  response.stream(std::make_unique<Pieces>(std::move(next)), type);
}

}  // namespace stagecraft
