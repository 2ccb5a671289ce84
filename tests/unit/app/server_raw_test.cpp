// Connections that an application has taken over: compiled for each stage, with its "server.h".
#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "catch.h"
#include "running_server.h"
#include "support/client.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// Counts what comes, and says how much it was when there is no more of it.
class Tally : public RawStream {
 public:
  // `ended`: says it only when it is resumed, and here that the end has come.
  explicit Tally(std::promise<void>* ended = nullptr) : ended_(ended) {}

  Status write(std::span<const char> piece) override {
    count_ += piece.size();
    return Status::ok;
  }
  Flow input_ended() override {
    has_ended_ = true;
    if (ended_ == nullptr) return Flow::more;
    ended_->set_value();
    return Flow::later;
  }
  Produced produce(std::span<char> room) override {
    if (!has_ended_) return {0, Flow::later};
    const std::string text = std::to_string(count_);
    std::copy(text.begin(), text.end(), room.begin());
    return {text.size(), Flow::end};
  }

 private:
  std::promise<void>* ended_;
  std::size_t count_ = 0;
  bool has_ended_ = false;
};

void send_hello(Client& client) {
  client.send(get);
  CHECK(client.read_response().status == 101);
  client.send("hello");
  client.finish_sending();
}

}  // namespace

TEST_CASE("A raw stream is told that its client has sent all, and has the last word") {
  Running running([](const Request&, Response& response) {
    response.take_over(Status::switching_protocols, "tally", std::make_unique<Tally>());
  });
  Client client(running.endpoint());
  send_hello(client);
  CHECK(client.read_to_end() == "5");
  CHECK(client.ending() == Ending::end_of_stream);
}

TEST_CASE("A raw stream may take its time for the last word, and say it from any thread") {
  std::promise<void> ended;
  std::optional<Resumer> resumer;
  Running running([&](const Request&, Response& response) {
    resumer = response.resumer();
    response.take_over(Status::switching_protocols, "tally", std::make_unique<Tally>(&ended));
  });
  Client client(running.endpoint());
  send_hello(client);
  ended.get_future().wait();
  resumer->resume();
  CHECK(client.read_to_end() == "5");
  CHECK(client.ending() == Ending::end_of_stream);
}
