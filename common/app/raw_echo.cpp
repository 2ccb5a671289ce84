#include "app/raw_echo.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "web/fields.h"

namespace stagecraft {

namespace {

// What has come and has not gone back yet. It is never more than one receive: the session reads on
// only when all of it has been sent.
class Echo : public RawStream {
 public:
  Status write(std::span<const char> piece) override {
    waiting_.append(piece.data(), piece.size());
    return Status::ok;
  }

  Produced produce(std::span<char> room) override {
    const std::size_t size = std::min(waiting_.size() - gone_, room.size());
    std::copy_n(waiting_.data() + gone_, size, room.data());
    gone_ += size;
    if (gone_ < waiting_.size()) return {size, Flow::more};
    waiting_.clear();
    gone_ = 0;
    return {size, Flow::later};
  }

 private:
  std::string waiting_;
  std::size_t gone_ = 0;  // of it
};

}  // namespace

void upgrade_to_echo(const Request& request, Response& response) {
  // An Upgrade from HTTP/1.0 means nothing, and so does one that Connection does not name.
  const bool asked = request.minor_version() > 0 && lists(request, "Connection", "upgrade") &&
                     lists(request, "Upgrade", "echo");
  if (asked) {
    response.take_over(Status::switching_protocols, "echo", std::make_unique<Echo>());
    return;
  }
  error_page(response, Status::upgrade_required, "this resource speaks echo, and no HTTP");
  response.set_field("Upgrade", "echo");
}

}  // namespace stagecraft
