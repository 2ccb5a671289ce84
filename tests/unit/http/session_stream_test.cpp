// Answers that are made while they are sent.
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
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

std::string get_path(std::string_view path, std::string_view version = "HTTP/1.1") {
  return "GET " + std::string(path) + " " + std::string(version) + "\r\nHost: a\r\n\r\n";
}

// Gives the pieces of a script, one each time: an empty piece is Flow::later, and the flow of the
// last one ends it.
class ScriptedSource : public BodySource {
 public:
  ScriptedSource(std::vector<std::string> pieces, Flow last, int* destroyed = nullptr)
      : pieces_(std::move(pieces)), last_(last), destroyed_(destroyed) {}
  ~ScriptedSource() override {
    if (destroyed_ != nullptr) ++*destroyed_;
  }
  ScriptedSource(const ScriptedSource&) = delete;
  ScriptedSource& operator=(const ScriptedSource&) = delete;

  Produced produce(std::span<char> room) override {
    if (next_ == pieces_.size()) return {0, last_};
    std::string& piece = pieces_[next_];
    const bool waits = piece.empty();
    const std::size_t size = std::min(piece.size(), room.size());
    std::copy_n(piece.begin(), size, room.begin());
    piece.erase(0, size);
    if (piece.empty()) ++next_;
    if (waits) return {0, Flow::later};
    return {size, next_ == pieces_.size() ? last_ : Flow::more};
  }

 private:
  std::vector<std::string> pieces_;
  Flow last_;
  int* destroyed_;
  std::size_t next_ = 0;
};

std::unique_ptr<BodySource> source(std::vector<std::string> pieces, Flow last = Flow::end) {
  return std::make_unique<ScriptedSource>(std::move(pieces), last);
}

Site streaming_site() {
  Site site = plain_site();
  const auto add = [&site](const std::string& path, std::vector<std::string> pieces, Flow last,
                           std::optional<std::uint64_t> length) {
    site.add(path, [pieces, last, length](const Request&, Response& response) {
      response.stream(source(pieces, last), "text/plain", length);
    });
  };
  add("/abc", {"a", "bc"}, Flow::end, {});
  add("/nothing", {}, Flow::end, {});
  add("/counted", {"a", "bc"}, Flow::end, 3);
  add("/counted-more", {"a", "bc"}, Flow::more, 3);
  add("/counted-nothing", {}, Flow::end, 0);
  add("/too-short", {"a", "bc"}, Flow::end, 4);
  add("/too-long", {"a", "bcdef"}, Flow::end, 3);
  add("/fails", {"a", "bc"}, Flow::failed, {});
  add("/fails-counted", {"a", "bc"}, Flow::failed, 10);
  add("/stuck", {"a"}, Flow::more, {});
  site.add("/large", [](const Request&, Response& response) {
    response.stream(source({std::string(300'000, 'x'), std::string(100'000, 'y')}), "");
  });
  return site;
}

std::string talk(std::string_view input) {
  const Site site = streaming_site();
  return summary(converse(site.application(), input).output);
}

}  // namespace

TEST_CASE("A body of unknown length leaves in chunks") {
  CHECK(talk(get_path("/abc") + std::string(get)) == "200 abc | 200 hello");
  CHECK(talk(get_path("/nothing") + std::string(get)) == "200 | 200 hello");
  const Site site = streaming_site();
  const std::string output = converse(site.application(), get_path("/abc")).output;
  CHECK(
      output.ends_with("Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"));
  CHECK(output.find("Content-Length") == std::string::npos);
}

TEST_CASE("A body of known length leaves as it is") {
  CHECK(talk(get_path("/counted") + std::string(get)) == "200 abc | 200 hello");
  CHECK(talk(get_path("/counted-more") + std::string(get)) == "200 abc | 200 hello");
  CHECK(talk(get_path("/counted-nothing") + std::string(get)) == "200 | 200 hello");
  const Site site = streaming_site();
  const auto answers = read_answers(converse(site.application(), get_path("/counted")).output);
  CHECK(answers[0].field("Content-Length") == "3");
}

TEST_CASE("A source cannot write more than was announced") {
  CHECK(talk(get_path("/too-long") + std::string(get)) == "200 abc | 200 hello");
}

TEST_CASE("To an HTTP/1.0 client the end of the connection is the end of the body") {
  const Site site = streaming_site();
  const std::string keep = "GET /abc HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  const Conversation conversation = converse(site.application(), keep);
  CHECK((conversation.end == End::closed));
  const auto answers = read_answers(conversation.output);
  CHECK(answers[0].body == "abc");
  CHECK(answers[0].framing == Framing::end_of_connection);
  CHECK(answers[0].field("Connection") == "close");
  // With a length the connection can be kept.
  const Conversation counted =
      converse(site.application(), "GET /counted HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK((counted.end == End::kept));
  CHECK(read_answers(counted.output)[0].body == "abc");
}

TEST_CASE("HEAD pulls nothing from a source") {
  int destroyed = 0;
  Site site = plain_site();
  site.add("/s", [&destroyed](const Request&, Response& response) {
    response.stream(
        std::make_unique<ScriptedSource>(std::vector<std::string>{"abc"}, Flow::end, &destroyed),
        "");
  });
  Driver driver(site.application());
  driver.feed("HEAD /s HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(get));
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output, {"HEAD", "GET"}) == "200 | 200 hello");
  CHECK(read_answers(driver.output, {"HEAD", "GET"})[0].field("Transfer-Encoding") == "chunked");
  CHECK(destroyed == 1);

  Driver old(site.application());
  old.feed("HEAD /s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(old.run() == Step::receive);
}

TEST_CASE("A source that fails resets the connection, so that nobody takes the body for whole") {
  const Site site = streaming_site();
  for (const std::string_view path : {"/fails", "/fails-counted", "/too-short", "/stuck"}) {
    CAPTURE(path);
    for (const std::string_view version : {"HTTP/1.1", "HTTP/1.0"}) {
      Driver driver(site.application());
      CHECK(driver.feed(get_path(path, version)).run() == Step::reset);
      CHECK(driver.output.find("0\r\n\r\n") == std::string::npos);
    }
  }
  Site throwing;
  class Throwing : public BodySource {
    Produced produce(std::span<char> /*room*/) override { throw std::runtime_error("no"); }
  };
  throwing.add("/", [](const Request&, Response& response) {
    response.stream(std::make_unique<Throwing>(), "");
  });
  Driver driver(throwing.application());
  CHECK(driver.feed(get).run() == Step::reset);
}

TEST_CASE("A large stream is pulled as it is sent, and not all at once") {
  const Site site = streaming_site();
  Limits limits;
  limits.max_output = 64 * KiB;
  Driver driver(site.application(), limits);
  driver.feed(get_path("/large") + std::string(get));
  std::size_t most = 0;
  while (driver.run_until(Step::send) == Step::send) {
    std::size_t there = 0;
    for (const iovec& piece : driver.session().output().memory) there += piece.iov_len;
    most = std::max(most, there);
    driver.send(10'000);
  }
  const auto answers = read_answers(driver.output);
  REQUIRE(answers.size() == 2);
  CHECK((answers[0].body == std::string(300'000, 'x') + std::string(100'000, 'y')));
  CHECK(most >= 64 * KiB);
  CHECK(most < 96 * KiB);
}

TEST_CASE("A source that has nothing yet is asked again when it says so") {
  std::optional<Resumer> resumer;
  Site site = plain_site();
  site.add("/slow", [&resumer](const Request&, Response& response) {
    resumer = response.resumer();
    response.stream(source({"a", "", "b", "", "c"}), "");
  });
  Driver driver(site.application());
  CHECK(driver.feed(get_path("/slow") + std::string(get)).run() == Step::wait);
  CHECK(driver.output.ends_with("\r\n\r\n1\r\na\r\n"));
  CHECK(driver.run() == Step::wait);
  resumer->resume();
  CHECK(driver.run() == Step::wait);
  CHECK(driver.output.ends_with("1\r\nb\r\n"));
  std::thread([&resumer] { resumer->resume(); }).join();
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 abc | 200 hello");
  resumer->resume();  // long over: harmless
  CHECK_FALSE(driver.deliver());
  CHECK(driver.run() == Step::receive);
}

TEST_CASE("Words that there is more are heard once each, however often they are said") {
  std::optional<Resumer> resumer;
  Site site;
  site.add("/slow", [&resumer](const Request&, Response& response) {
    resumer = response.resumer();
    response.stream(source({"", "b"}), "");
  });
  Driver driver(site.application());
  driver.feed(get_path("/slow")).run();
  for (int i = 0; i < 10; ++i) resumer->resume();
  CHECK(driver.postbox().posted() == 1);
  CHECK(driver.run() == Step::receive);
  CHECK(summary(driver.output) == "200 b");
  resumer->resume();
  CHECK(driver.postbox().posted() == 2);
}

TEST_CASE("Words for another stream are not heard") {
  std::vector<Resumer> resumers;
  Site site;
  site.add("/slow", [&resumers](const Request&, Response& response) {
    resumers.push_back(response.resumer());
    response.stream(source({"", "b"}), "");
  });
  Driver driver(site.application());
  driver.feed(get_path("/slow")).run();
  resumers.at(0).resume();
  driver.run();
  driver.feed(get_path("/slow")).run();
  resumers.at(0).resume();
  CHECK_FALSE(driver.deliver());

  Driver other(site.application());
  other.connection().id = driver.connection().id + 1;
  other.feed(get_path("/slow")).run();
  CHECK(other.feed(get_path("/slow")).run() == Step::wait);
  resumers.at(2).resume();
  CHECK(other.run() == Step::wait);  // the second stream of this connection, as on the first
  resumers.at(3).resume();
  const std::shared_ptr<Deferred> letter = other.postbox().take();
  REQUIRE(letter);
  CHECK_FALSE(driver.session().answer(*letter));
  CHECK(other.session().answer(*letter));
}

TEST_CASE("A source of which nothing is wanted is not asked") {
  class Unwanted : public BodySource {
    Produced produce(std::span<char> /*room*/) override { throw std::runtime_error("asked"); }
  };
  Site site = plain_site();
  site.add("/empty-stream", [](const Request&, Response& response) {
    response.stream(std::make_unique<Unwanted>(), "", 0);
  });
  const Conversation conversation =
      converse(site.application(), get_path("/empty-stream") + std::string(get));
  CHECK(summary(conversation.output) == "200 | 200 hello");
}

TEST_CASE("A deferred answer may be a stream with a resumer of its own") {
  std::optional<Responder> responder;
  Site site = plain_site();
  site.add("/later", [&responder](const Request&, Response& response) {
    responder.emplace(response.defer());
  });
  Driver driver(site.application());
  driver.feed(get_path("/later") + std::string(get)).run();
  Resumer resumer = responder->resumer();
  Response response;
  response.stream(source({"a", "", "b"}), "");
  std::move(*responder).send(std::move(response));
  CHECK(driver.run() == Step::wait);
  SECTION("resumed") {
    resumer.resume();
    CHECK(driver.run() == Step::receive);
    CHECK(summary(driver.output) == "200 ab | 200 hello");
  }
  SECTION("reset by the client") {
    CHECK_FALSE(resumer.abandoned());
    driver.session().reset_by_peer();
    CHECK(resumer.abandoned());
  }
}

TEST_CASE("A stream that nobody reads any more is destroyed, and its resumer told") {
  std::optional<Resumer> resumer;
  int destroyed = 0;
  Site site;
  site.add("/slow", [&](const Request&, Response& response) {
    resumer = response.resumer();
    response.stream(std::make_unique<ScriptedSource>(std::vector<std::string>{"a", "", "b"},
                                                     Flow::end, &destroyed),
                    "");
  });
  Driver driver(site.application());
  driver.feed(get_path("/slow")).run();
  CHECK(destroyed == 0);
  CHECK_FALSE(resumer->abandoned());
  SECTION("reset by the client") { driver.session().reset_by_peer(); }
  SECTION("the source is silent for longer than an answer may take") {
    CHECK(driver.session().timer() == Timer::answer);
    driver.session().expired();
  }
  CHECK(driver.run() == Step::reset);
  CHECK(destroyed == 1);
  CHECK(resumer->abandoned());
}

TEST_CASE("A half-closed client gets the whole stream") {
  const Site site = streaming_site();
  const Conversation conversation =
      converse(site.application(), get_path("/abc"), Client::half_closes);
  CHECK(summary(conversation.output) == "200 abc");
  CHECK((conversation.end == End::closed));
}
