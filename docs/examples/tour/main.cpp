// What a program can do with Stagecraft as a library, one thing after the other. docs/library.md
// explains each; its code is this code.
#include <stagecraft/app/signals.h>
#include <stagecraft/server.h>
#include <stagecraft/web/router.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "http/request.h"

using namespace stagecraft;

namespace {

// An answer that comes later, from another thread.
void answer_later(const Request& request, Response& response) {
  std::string path(request.path());  // a view, gone when this handler returns
  std::thread([path = std::move(path), responder = response.defer()]() mutable {
    if (responder.abandoned()) return;  // nobody waits any more
    Response answer;
    answer.text(path + " comes later\n");
    std::move(responder).send(std::move(answer));
  }).detach();
}

// A body that is made while it is sent: as many lines as asked for, however many.
class Lines : public BodySource {
 public:
  explicit Lines(int count) : left_(count) {}

  Produced produce(std::span<char> room) override {
    constexpr std::string_view line = "one more line\n";
    std::size_t used = 0;
    for (; left_ > 0 && room.size() - used >= line.size(); --left_) {
      std::copy(line.begin(), line.end(), room.begin() + static_cast<std::ptrdiff_t>(used));
      used += line.size();
    }
    return {used, left_ > 0 ? Flow::more : Flow::end};
  }

 private:
  int left_;
};

void stream_lines(const Request&, Response& response) {
  response.stream(std::make_unique<Lines>(100'000), "text/plain");
}

// An upload of any size that is never in memory as a whole: here its bytes are only counted.
class Counter : public BodySink {
 public:
  Status write(std::span<const char> piece) override {
    bytes_ += piece.size();
    return Status::ok;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

Route upload() {
  Route route;
  route.admit = [](const Request& head, Response& response) -> std::optional<Intake> {
    if (!head.field("Content-Type")) {
      error_page(response, Status::unsupported_media_type, "say what it is");
      return std::nullopt;  // before the client has sent any of it
    }
    return Intake{.max_bytes = 1024 * MiB, .sink = std::make_unique<Counter>()};
  };
  route.handle = [](const Request& request, Response& response) {
    const auto* counter = dynamic_cast<const Counter*>(request.sink());
    response.text(std::to_string(counter == nullptr ? 0 : counter->bytes()) + " bytes\n");
  };
  return route;
}

// A connection without HTTP: what comes is given back.
class Echo : public RawStream {
 public:
  Status write(std::span<const char> piece) override {
    waiting_.append(piece.data(), piece.size());
    return Status::ok;
  }
  Produced produce(std::span<char> room) override {
    const std::size_t size = std::min(waiting_.size(), room.size());
    std::copy_n(waiting_.begin(), size, room.begin());
    waiting_.erase(0, size);
    return {size, waiting_.empty() ? Flow::later : Flow::more};
  }

 private:
  std::string waiting_;
};

void upgrade_to_echo(const Request& request, Response& response) {
  if (request.field("Upgrade") != "echo") {
    error_page(response, Status::upgrade_required, "this resource speaks echo");
    response.set_field("Upgrade", "echo");
    return;
  }
  response.take_over(Status::switching_protocols, "echo", std::make_unique<Echo>());
}

Router routes(std::string greeting) {
  Router router;
  router.add(
      "/hello/{name}", {Method::get},
      [greeting = std::move(greeting)](const Request&, Response& response, PathParameters path) {
        response.text(greeting + ' ' + std::string(path["name"]) + '\n');
      });
  router.add("/later", {Method::get}, answer_later);
  router.add("/lines", {Method::get}, stream_lines);
  router.add("/upload", {Method::post}, upload());
  router.add("/echo", {Method::get}, upgrade_to_echo);
  return router;
}

}  // namespace

int main() {
  Termination termination;
  Options options;
  options.port = 0;  // any that is free
  options.concurrency = 2;
  options.limits.idle_timeout = std::chrono::seconds(10);

  Server server(options, routes("hello"));
  server.start();
  std::cout << "listening on http://" << server.address() << std::endl;

  std::string line;
  while (std::getline(std::cin, line)) {
    server.replace(routes(line));
    std::cout << "it says " << line << " now" << std::endl;
  }
  termination.wait();
  const bool all_done = server.stop(std::chrono::seconds(5));
  if (!all_done) std::cerr << "a handler still runs\n";  // and join() waits for it
  server.join();
}
