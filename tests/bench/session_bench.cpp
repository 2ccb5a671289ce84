// Nanoseconds for one request from its bytes to its answer's bytes: all that a server does but for
// the system calls.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "bench/sample_requests.h"
#include "http/session.h"

namespace {

using namespace stagecraft;

// For one thread.
class PlainPostbox : public Postbox {
 public:
  void post(std::shared_ptr<Deferred> letter) noexcept override {
    letters_.push(std::move(letter));
  }
  std::shared_ptr<Deferred> take() { return letters_.pop(); }

 private:
  LetterQueue letters_;
};

// One connection whose socket is free of cost: what is received is copied, as the kernel would, and
// what is sent is dropped.
class Connection {
 public:
  explicit Connection(Handler handler) : route_{std::move(handler)} {}

  void exchange(std::string_view bytes) {
    advance();
    const std::span<char> room = session_.read_buffer();
    std::copy(bytes.begin(), bytes.end(), room.begin());
    session_.received(bytes.size());
    advance();
  }

 private:
  // Until the session wants to receive.
  void advance() {
    for (;;) {
      switch (session_.next()) {
        case Step::receive:
          return;
        case Step::handle:
          run(session_.route().handle, session_.request(), session_.response());
          session_.handled();
          break;
        case Step::wait:
          session_.answer(*postbox_->take());
          break;
        case Step::send: {
          std::size_t size = 0;
          for (const iovec& piece : session_.output().memory) size += piece.iov_len;
          session_.sent(size);
          break;
        }
        default:
          std::abort();
      }
    }
  }

  const Limits limits_;
  const Route route_;
  Workspace::Common common_{[this](const Request&) -> const Route& { return route_; }};
  Workspace workspace_{limits_, common_};
  const std::shared_ptr<PlainPostbox> postbox_ = std::make_shared<PlainPostbox>();
  ConnectionInfo info_;
  Session session_{limits_, workspace_, postbox_, info_};
};

void say_hello(const Request& /*request*/, Response& response) { response.text("hello world\n"); }

void say_hello_later(const Request& /*request*/, Response& response) {
  Responder responder = response.defer();
  Response answer;
  answer.text("hello world\n");
  std::move(responder).send(std::move(answer));
}

void echo(const Request& request, Response& response) { response.text(request.body()); }

// `state.range(0)` requests arrive at once. Items are requests.
void answer(benchmark::State& state, Handler handler, std::string_view request) {
  Connection connection(std::move(handler));
  std::string batch;
  for (std::int64_t i = 0; i < state.range(0); ++i) batch += request;
  for (auto step : state) connection.exchange(batch);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

constexpr std::string_view small_upload =
    "POST /echo HTTP/1.1\r\n"
    "Host: localhost:8080\r\n"
    "Content-Length: 12\r\n"
    "\r\n"
    "hello world\n";

BENCHMARK_CAPTURE(answer, minimal, say_hello, bench::minimal_request)->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(answer, browser, say_hello, bench::browser_request)->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(answer, deferred, say_hello_later, bench::minimal_request)->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(answer, small_upload, echo, small_upload)->Arg(1)->Arg(16);

}  // namespace
