// Whatever a client sends, a session comes to an end with it, and answers the same whether the
// bytes come whole or one by one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "http/session.h"

namespace {

using namespace stagecraft;

class PlainPostbox : public Postbox {
 public:
  void post(std::shared_ptr<Deferred> letter) noexcept override {
    letters_.push(std::move(letter));
  }
  std::shared_ptr<Deferred> take() { return letters_.pop(); }

 private:
  LetterQueue letters_;
};

class ThreePieces : public BodySource {
 public:
  Produced produce(std::span<char> room) override {
    room[0] = 'p';
    return {1, ++asked_ < 3 ? Flow::more : Flow::end};
  }

 private:
  int asked_ = 0;
};

// Refuses a body with an 'R' in it, wherever that stands in its piece.
class PickySink : public BodySink {
 public:
  Status write(std::span<const char> piece) override {
    return std::find(piece.begin(), piece.end(), 'R') == piece.end() ? Status::ok
                                                                     : Status::forbidden;
  }
};

// What is done depends on the path's second byte.
const Route& route(const Request& head) {
  static const Route echo{
      [](const Request& request, Response& response) { response.text(request.body()); }};
  static const Route fields{[](const Request& request, Response& response) {
    std::string text;
    for (std::size_t i = 0; i < request.field_count(); ++i) text += request.field_at(i).value;
    for (std::size_t i = 0; i < request.trailer_count(); ++i) text += request.trailer_at(i).value;
    response.text(text + std::string(request.query()) + std::string(request.authority()));
  }};
  static const Route later{[](const Request&, Response& response) { response.defer(); }};
  static const Route stream{[](const Request&, Response& response) {
    response.stream(std::make_unique<ThreePieces>(), "text/plain");
  }};
  static const Route sink{
      [](const Request&, Response& response) { response.status(Status::no_content); },
      [](const Request&, Response&) -> std::optional<Intake> {
        return Intake{20, std::make_unique<PickySink>()};
      }};
  static const Route throws{[](const Request&, Response&) { throw 1; }};
  const char choice = head.path().size() > 1 ? head.path()[1] : '\0';
  switch (choice) {
    case 'f':
      return fields;
    case 'l':
      return later;
    case 's':
      return stream;
    case 'k':
      return sink;
    case 't':
      return throws;
    default:
      return echo;
  }
}

struct Manner {
  std::size_t receive;
  std::size_t send;
};

std::string hold(std::string_view input, Manner manner) {
  Limits limits;
  limits.max_request_size = 100;
  limits.max_drain = 50;
  limits.max_output = 300;
  Workspace::Common common(route);
  Workspace workspace(limits, common);
  const auto postbox = std::make_shared<PlainPostbox>();
  ConnectionInfo info;
  info.id = 1;
  std::string output;
  {
    Session session(limits, workspace, postbox, info);
    // Far more steps than bytes: a session that needs more turns in circles.
    for (std::size_t left = 10'000 + 100 * input.size();; --left) {
      if (left == 0) std::abort();
      const Step step = session.next();
      if (step != session.next()) std::abort();
      if (step == Step::close || step == Step::reset) break;
      switch (step) {
        case Step::receive: {
          if (input.empty()) {
            session.received_end();
            break;
          }
          const std::span<char> room = session.read_buffer();
          const std::size_t size = std::min({room.size(), input.size(), manner.receive});
          std::copy_n(input.begin(), size, room.begin());
          input.remove_prefix(size);
          session.received(size);
          break;
        }
        case Step::handle:
          run(session.route().handle, session.request(), session.response());
          session.handled();
          break;
        case Step::wait:
          session.answer(*postbox->take());
          break;
        case Step::send: {
          const std::span<const iovec> memory = session.output().memory;
          const std::size_t size = std::min(memory.front().iov_len, manner.send);
          output.append(static_cast<const char*>(memory.front().iov_base), size);
          session.sent(size);
          break;
        }
        default:
          session.shut_down_done();
      }
    }
  }
  while (postbox->take()) {
  }
  return output;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(data, data + size);
  const std::string whole = hold(input, {1'000'000, 1'000'000});
  if (!whole.empty() && !whole.starts_with("HTTP/1.1 ")) std::abort();
  // 100 Continue may be left out when the body has come already.
  const bool interim = input.find("100-") != std::string::npos;
  if (!interim && hold(input, {1, 7}) != whole) std::abort();
  return 0;
}
