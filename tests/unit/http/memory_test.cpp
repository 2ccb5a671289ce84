// What the session takes from the heap: nothing for a plain request, one block for a deferred
// answer; and what happens when there is no more.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "catch.h"
#include "http/session.h"
#include "unit/http/counted_memory.h"
#include "unit/http/fake_postbox.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view plaintext = "GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view deferred = "GET /deferred HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view upload =
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view chunked =
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n";

// A connection whose other end writes into fixed memory, so that whatever is counted is the
// session's.
class Connection {
 public:
  Connection() : workspace_(own_workspace_) { reopen(); }
  // One of the same thread.
  explicit Connection(Connection& neighbour) : workspace_(neighbour.workspace_) { reopen(); }

  // Goes on until the session wants input, or ends. Says whether it has ended.
  bool advance() {
    for (;;) {
      switch (session_->next()) {
        case Step::receive:
          return false;
        case Step::handle:
          run(session_->route().handle, session_->request(), session_->response());
          session_->handled();
          break;
        case Step::wait:
          session_->answer(*postbox_->take());
          break;
        case Step::send: {
          std::size_t size = 0;
          for (const iovec& piece : session_->output().memory) {
            size += piece.iov_len;
            sent_.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
          }
          session_->sent(size);
          break;
        }
        case Step::shut_down:
          session_->shut_down_done();
          break;
        case Step::close:
        case Step::reset:
          return true;
      }
    }
  }

  // Gives the session BYTES and lets it work. Says whether it has ended.
  bool exchange(std::string_view bytes) {
    sent_.clear();
    if (advance()) return true;
    while (!bytes.empty()) {
      const std::span<char> room = session_->read_buffer();
      const std::size_t size = std::min(room.size(), bytes.size());
      std::copy_n(bytes.begin(), size, room.begin());
      bytes.remove_prefix(size);
      session_->received(size);
      if (advance()) return true;
    }
    return false;
  }

  std::string_view sent() const { return sent_; }
  void reopen() { session_.emplace(limits_, workspace_, postbox_, info_); }

 private:
  static const Route& route(const Request& head) {
    static const Route plain{
        [](const Request&, Response& response) { response.text("hello world\n"); }};
    static const Route echo{
        [](const Request& request, Response& response) { response.text(request.body()); }};
    static const Route later{[](const Request&, Response& response) {
      Responder responder = response.defer();
      Response answer;
      answer.text("later");
      std::move(responder).send(std::move(answer));
    }};
    class Drain : public BodySink {
      Status write(std::span<const char> /*piece*/) override { return Status::ok; }
    };
    static const Route sink{plain.handle, [](const Request&, Response&) {
                              return Intake{MiB, std::make_unique<Drain>()};
                            }};
    if (head.path() == "/sink") return sink;
    if (head.path() == "/echo") return echo;
    return head.path() == "/deferred" ? later : plain;
  }

  Limits limits_;
  Workspace::Common common_{route};
  Workspace own_workspace_{limits_, common_};
  Workspace& workspace_;
  std::shared_ptr<FakePostbox> postbox_ = std::make_shared<FakePostbox>();
  ConnectionInfo info_;
  std::optional<Session> session_;
  std::string sent_ = std::string(1000, '\0');
};

// The allocations of 1,000 exchanges, after a first one has made what is kept.
std::size_t count_allocations(Connection& connection, std::string_view bytes) {
  connection.exchange(bytes);
  const std::size_t before = allocations();
  for (int i = 0; i < 1000; ++i) connection.exchange(bytes);
  return allocations() - before;
}

}  // namespace

TEST_CASE("Operator new is counted") {
  const std::size_t before = allocations();
  // Called by its name: what a new-expression makes for nothing, a compiler may leave out.
  ::operator delete(::operator new(1));
  CHECK(allocations() == before + 1);
}

TEST_CASE("A thousand plain requests take nothing from the heap") {
  Connection connection;
  CHECK(count_allocations(connection, plaintext) == 0);
  CHECK(connection.sent().ends_with("hello world\n"));
}

TEST_CASE("A thousand batches of pipelined requests take nothing from the heap") {
  std::string batch;
  for (int i = 0; i < 4; ++i) batch += plaintext;
  Connection connection;
  CHECK(count_allocations(connection, batch) == 0);
}

TEST_CASE("A thousand small bodies, gathered and given back, take nothing from the heap") {
  Connection connection;
  CHECK(count_allocations(connection, upload) == 0);
  CHECK(connection.sent().ends_with("hello"));
  CHECK(count_allocations(connection, chunked) == 0);
}

TEST_CASE("A megabyte that goes through a sink is not kept") {
  std::string chunks = "POST /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 1000; ++i) chunks += "3e8\r\n" + std::string(1000, 'x') + "\r\n";
  chunks += "0\r\n\r\n";
  Connection connection;
  connection.exchange(plaintext);
  const std::size_t before = allocations();
  connection.exchange(chunks);
  CHECK(allocations() - before == 1);  // the sink
  CHECK(connection.sent().ends_with("hello world\n"));
}

TEST_CASE("A thousand deferred answers take one block each") {
  Connection connection;
  CHECK(count_allocations(connection, deferred) == 1000);
  CHECK(connection.sent().ends_with("later"));
}

TEST_CASE("A promised answer makes its connection hold a few kilobytes") {
  // Nineteen thousand may wait at once, so what each of them holds counts: a block for the request,
  // one for the answer, and the letter. The rest of the exchange was there before.
  Connection connection;
  const std::size_t before = allocated_bytes();
  connection.exchange(deferred);
  CHECK(connection.sent().ends_with("later"));
  CHECK(allocated_bytes() - before < 8 * KiB);
}

TEST_CASE("A thousand connections, one after the other, take nothing from the heap") {
  Connection connection;
  connection.exchange(plaintext);
  const std::size_t before = allocations();
  for (int i = 0; i < 1000; ++i) {
    connection.reopen();
    connection.exchange(plaintext);
  }
  CHECK(allocations() == before);
}

TEST_CASE("Connections that are idle share what one of them needs while it asks") {
  Connection first;
  first.exchange(plaintext);
  Connection second(first);
  const std::size_t before = allocations();
  for (int i = 0; i < 100; ++i) {
    first.exchange(plaintext);
    second.exchange(plaintext);
  }
  CHECK(allocations() == before);
}

TEST_CASE(
    "When memory ends, at whatever moment, a connection answers or ends, and nothing in between") {
  for (const std::string_view bytes :
       {plaintext, deferred, upload, chunked, std::string_view("bad\r\n"),
        std::string_view("GET /../ HTTP/1.1\r\nHost: a\r\n\r\n"),
        std::string_view("GET /%41 HTTP/1.1\r\nHost: a\r\n\r\n")}) {
    CAPTURE(bytes);
    unsigned failures = 0;
    for (std::size_t moment = 1;; ++moment) {
      CAPTURE(moment);
      Connection connection;
      fail_allocation(moment);
      const bool ended = connection.exchange(bytes);
      if (!allocation_failed()) break;
      ++failures;
      const std::string_view sent = connection.sent();
      // A head that was begun is whole, and so is what follows it.
      if (!sent.empty()) {
        CHECK(sent.starts_with("HTTP/1.1 "));
        CHECK(sent.find("\r\n\r\n") != std::string_view::npos);
        CHECK(sent.find("HTTP/1.1 ", 1) == std::string_view::npos);
      } else {
        CHECK(ended);
      }
    }
    CHECK(failures > 0);
  }
}
