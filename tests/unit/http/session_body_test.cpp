// Request bodies: gathered, given to a sink, refused, thrown away.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.h"
#include "http/session.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

std::string post(std::string_view path, std::string_view body, std::string_view fields = "") {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string post_chunked(std::string_view path, std::string_view chunks) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(chunks);
}

Conversation talk(std::string_view input, const Limits& limits = {}) {
  return converse(plain_site().application(), input, Client::keeps_open, limits);
}

// What became of the sinks that it made.
struct SinkLog {
  std::string written;
  int pieces = 0;
  int destroyed = 0;
};

// Refuses with `refusal` once more than `limit` bytes have come; throws if it is Status::none.
class LoggingSink : public BodySink {
 public:
  LoggingSink(SinkLog& log, std::size_t limit, Status refusal)
      : log_(log), limit_(limit), refusal_(refusal) {}
  ~LoggingSink() override { ++log_.destroyed; }
  LoggingSink(const LoggingSink&) = delete;
  LoggingSink& operator=(const LoggingSink&) = delete;

  Status write(std::span<const char> piece) override {
    taken_ += piece.size();
    ++log_.pieces;
    log_.written.append(piece.data(), piece.size());
    if (taken_ <= limit_) return Status::ok;
    if (refusal_ == Status::none) throw std::runtime_error("full");
    return refusal_;
  }

 private:
  SinkLog& log_;
  std::size_t limit_;
  Status refusal_;
  std::size_t taken_ = 0;
};

// A site whose `/sink` takes bodies by a LoggingSink, and then says how many bytes it took.
Site sink_site(SinkLog& log, std::size_t limit = all, Status refusal = Status::none,
               std::uint64_t max_bytes = 1000) {
  Site site = plain_site();
  site.add(
      "/sink",
      [&log](const Request& request, Response& response) {
        const bool good = request.sink() != nullptr && request.body().empty();
        response.text(good ? std::to_string(log.written.size()) : "no sink");
      },
      [&log, limit, refusal, max_bytes](const Request&, Response&) {
        log.written.clear();
        return Intake{max_bytes, std::make_unique<LoggingSink>(log, limit, refusal)};
      });
  return site;
}

}  // namespace

TEST_CASE("A body is gathered and followed by the next request") {
  CHECK(summary(talk(post("/echo", "hello") + post("/echo", "") + std::string(get)).output) ==
        "200 hello | 200 | 200 hello");
  CHECK(summary(talk(post_chunked("/echo", "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n") +
                     post_chunked("/echo", "0\r\n\r\n") + std::string(get))
                    .output) == "200 hello | 200 | 200 hello");
  CHECK(summary(talk("GET /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc").output) ==
        "200 abc");
}

TEST_CASE("A large body is gathered whatever its pieces, and the next request is found behind it") {
  std::string body;
  for (int i = 0; body.size() < 100'000; ++i) body += std::to_string(i) + ' ';
  const std::string input = post("/echo", body) + std::string(get);
  for (const std::size_t receive : {std::size_t{1}, std::size_t{999}, std::size_t{20'000}, all}) {
    for (const std::size_t first : {std::size_t{10}, std::size_t{100}, std::size_t{50'000}, all}) {
      Driver driver(plain_site().application(), {}, {receive, first, all});
      CHECK(driver.feed(input).run() == Step::receive);
      const auto answers = read_answers(driver.output);
      REQUIRE(answers.size() == 2);
      CHECK((answers[0].body == body));
    }
  }
}

TEST_CASE("Trailers are kept apart from fields, and each request has its own") {
  Site site;
  site.add("/", [](const Request& request, Response& response) {
    std::string text = std::string(request.body()) + " of " + std::to_string(request.field_count());
    for (std::size_t i = 0; i < request.trailer_count(); ++i) {
      text += ' ' + std::string(request.trailer_at(i).name) + '=';
      text += request.trailer_at(i).value;
    }
    response.text(text + (request.field("X-Sum") ? " leaked" : ""));
  });
  const std::string input = post_chunked("/", "2\r\nab\r\n0\r\nX-Sum: 1\r\nHost: evil\r\n\r\n") +
                            post("/", "c") + post_chunked("/", "1\r\nd\r\n0\r\n\r\n");
  const Conversation conversation = converse(site.application(), input);
  CHECK(summary(conversation.output) == "200 ab of 2 X-Sum=1 Host=evil | 200 c of 2 | 200 d of 2");
}

TEST_CASE("Before the body is there, a request shows neither body nor trailers") {
  Site site = plain_site();
  std::vector<std::string> seen;
  site.add(
      "/", [](const Request&, Response& response) { response.text("done"); },
      [&seen](const Request& head, Response&) {
        seen.push_back(std::to_string(head.trailer_count()) + std::string(head.body()));
        return Intake{1000, nullptr};
      });
  const std::string input = post_chunked("/", "1\r\na\r\n0\r\nX: a longer value than that\r\n\r\n");
  Driver driver(site.application());
  driver.feed(input + input).run();
  CHECK(read_answers(driver.output).size() == 2);
  CHECK(seen == std::vector<std::string>{"0", "0"});
}

TEST_CASE("A body of exactly the limit is taken, a longer one is refused by its length") {
  Limits limits;
  limits.max_request_size = 5;
  CHECK(summary(talk(post("/echo", "hello"), limits).output) == "200 hello");
  CHECK(summary(talk(post_chunked("/echo", "5\r\nhello\r\n0\r\n\r\n"), limits).output) ==
        "200 hello");
  const Conversation refused = talk(post("/echo", "hello!") + std::string(get), limits);
  CHECK(summary(refused.output) == "413 | 200 hello");  // six bytes are soon thrown away
  CHECK((refused.end == End::kept));
}

TEST_CASE("A chunked body beyond the limit is refused and ends the connection") {
  Limits limits;
  limits.max_request_size = 5;
  for (const std::string_view chunks :
       {"6\r\nhello!\r\n0\r\n\r\n", "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"}) {
    const Conversation refused = talk(post_chunked("/echo", chunks) + std::string(get), limits);
    const auto answers = read_answers(refused.output);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].status == 413);
    CHECK(answers[0].field("Connection") == "close");
    CHECK((refused.end == End::closed));
    CHECK(refused.lingers);
  }
}

TEST_CASE("A malformed chunked body is refused and ends the connection") {
  const Conversation refused =
      talk(post_chunked("/echo", "5\r\nhello\n0\r\n\r\n") + std::string(get));
  CHECK(summary(refused.output) == "400");
  CHECK((refused.end == End::closed));
  Limits limits;
  limits.max_chunk_overhead = 20;
  CHECK(summary(talk(post_chunked("/echo", "5;" + std::string(50, 'x') + "\r\n"), limits).output) ==
        "413");
  limits.max_trailer_size = 20;
  CHECK(summary(talk(post_chunked("/echo", "0\r\nX: " + std::string(50, 'x')), limits).output) ==
        "431");
}

TEST_CASE("An unwanted body of up to the bound is thrown away, a longer one ends the connection") {
  Limits limits;
  limits.max_drain = 10;
  const Conversation kept = talk(post("/none", "0123456789") + std::string(get), limits);
  CHECK(summary(kept.output) == "404 | 200 hello");
  CHECK((kept.end == End::kept));
  const Conversation closed = talk(post("/none", "0123456789a") + std::string(get), limits);
  CHECK(summary(closed.output) == "404");
  CHECK(read_answers(closed.output)[0].field("Connection") == "close");
  CHECK((closed.end == End::closed));
  CHECK(closed.lingers);
  // Nobody can tell the length of a chunked one beforehand.
  const Conversation chunked =
      talk(post_chunked("/none", "1\r\na\r\n0\r\n\r\n") + std::string(get), limits);
  CHECK(summary(chunked.output) == "404");
  CHECK((chunked.end == End::closed));
}

TEST_CASE("An unwanted body is answered before it has come") {
  Driver driver(plain_site().application());
  driver.feed("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "404");
  CHECK(driver.feed("hel").run() == Step::receive);
  CHECK(driver.feed("lo" + std::string(get)).run() == Step::receive);
  CHECK(summary(driver.output) == "404 | 200 hello");
}

TEST_CASE("100 Continue is said when the body is wanted and has not begun") {
  const std::string head = "PUT /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n";
  Driver driver(plain_site().application());
  driver.feed(head + "Content-Length: 5\r\n\r\n");
  CHECK(driver.run() == Step::receive);
  CHECK(driver.output == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(driver.feed("hello" + std::string(get)).run() == Step::receive);
  CHECK(summary(driver.output) == "100 | 200 hello | 200 hello");

  Driver chunked(plain_site().application());
  chunked.feed(head + "Transfer-Encoding: chunked\r\n\r\n").run();
  CHECK(chunked.output == "HTTP/1.1 100 Continue\r\n\r\n");

  Driver at_once(plain_site().application());
  at_once.feed(head + "Content-Length: 5\r\n\r\nhello").run();
  CHECK(summary(at_once.output) == "200 hello");

  Driver no_body(plain_site().application());
  no_body.feed(head + "\r\n").run();
  CHECK(summary(no_body.output) == "200");

  Driver old(plain_site().application());
  old.feed("PUT /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  CHECK(old.run() == Step::receive);
  CHECK(old.output.empty());
}

TEST_CASE("100 Continue follows the answers before it") {
  Driver driver(plain_site().application());
  driver.feed(std::string(get) +
              "PUT /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 hello | 100");
  CHECK(driver.count(Step::send) == 1);
}

TEST_CASE("Who expects 100 Continue and is refused gets the refusal alone") {
  const std::string fields = "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  Driver driver(plain_site().application());
  driver.feed("PUT /none HTTP/1.1\r\nHost: a\r\n" + fields);
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "404");
  // The body may come or not: what follows could be read in two ways, so nothing is.
  CHECK(read_answers(driver.output)[0].field("Connection") == "close");
  CHECK(driver.shut_down);

  Limits limits;
  limits.max_request_size = 4;
  Driver too_large(plain_site().application(), limits);
  too_large.feed("PUT /echo HTTP/1.1\r\nHost: a\r\n" + fields).run();
  CHECK(summary(too_large.output) == "413");
}

TEST_CASE("An unknown expectation is answered 417") {
  const Conversation conversation =
      talk(post("/echo", "hello", "Expect: magic\r\n") +
           "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, magic\r\n\r\n" + std::string(get));
  CHECK(summary(conversation.output) == "417 | 417 | 200 hello");
}

TEST_CASE("A sink gets the body in pieces, and the handler runs once, at the end") {
  SinkLog log;
  const Site site = sink_site(log);
  for (const std::string& input :
       {post("/sink", "hello"), post_chunked("/sink", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")}) {
    log = {};
    Driver driver(site.application(), {}, {1, 1, all});
    CHECK(driver.feed(input + std::string(get)).run() == Step::receive);
    CHECK(summary(driver.output) == "200 5 | 200 hello");
    CHECK(log.written == "hello");
    CHECK(log.pieces == 5);
    CHECK(log.destroyed == 1);
    CHECK(driver.count(Step::handle) == 2);
  }
}

TEST_CASE("A sink is destroyed early when its request fails half-way") {
  SinkLog log;
  const Site site = sink_site(log);
  const std::string half = post("/sink", "hello").substr(0, post("/sink", "").size() + 2);
  {
    Driver driver(site.application());
    driver.feed(half).run();
    CHECK(log.destroyed == 0);
    driver.session().reset_by_peer();
    CHECK(driver.step() == Step::reset);
    CHECK(log.destroyed == 1);
  }
  {
    Driver driver(site.application());
    driver.feed(half).end_input();
    CHECK(driver.run() == Step::close);
    CHECK(summary(driver.output) == "400");
    CHECK(log.destroyed == 2);
  }
  {
    Driver driver(site.application());
    driver.feed(half).run();
  }
  CHECK(log.destroyed == 3);
}

TEST_CASE("A sink that refuses answers with its status, and what it did not take is thrown away") {
  SinkLog log;
  const Site site = sink_site(log, 2, Status::unsupported_media_type);
  const Conversation kept = converse(site.application(), post("/sink", "hello") + std::string(get));
  CHECK(summary(kept.output) == "415 | 200 hello");
  const Conversation closed = converse(
      site.application(), post_chunked("/sink", "5\r\nhello\r\n0\r\n\r\n") + std::string(get));
  CHECK(summary(closed.output) == "415");
  const Site throwing = sink_site(log, 2, Status::none);
  CHECK(summary(converse(throwing.application(), post("/sink", "hello")).output) == "500");
}

TEST_CASE("A sink that refused is gone while the rest of the body is thrown away") {
  SinkLog log;
  const Site site = sink_site(log, 2, Status::unsupported_media_type);
  Driver driver(site.application());
  driver.feed(post("/sink", "hello").substr(0, post("/sink", "hello").size() - 1));
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "415");
  CHECK(log.destroyed == 1);
}

TEST_CASE("A sink's limit is that of its route") {
  SinkLog log;
  const Site site = sink_site(log, all, Status::none, 5);
  Limits limits;
  limits.max_request_size = 1;  // concerns routes without a limit of their own
  const auto talk_to_site = [&](const std::string& input) {
    return summary(converse(site.application(), input, Client::keeps_open, limits).output);
  };
  CHECK(talk_to_site(post("/sink", "hello")) == "200 5");
  CHECK(talk_to_site(post("/sink", "hello!")) == "413");
  CHECK(talk_to_site(post_chunked("/sink", "5\r\nhello\r\n0\r\n\r\n")) == "200 5");
  CHECK(talk_to_site(post_chunked("/sink", "6\r\nhello!\r\n0\r\n\r\n")) == "413");
}
