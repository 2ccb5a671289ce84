// Bodies that are sent from where they are, and connections that stop being HTTP.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "catch.h"
#include "http/session.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

std::string get_path(std::string_view path, std::string_view fields = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

std::string numbers(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i) + ' ';
  text.resize(size);
  return text;
}

// A file that has no name.
UniqueFd file_with(std::string_view content) {
  UniqueFd file(::memfd_create("test", 0));
  REQUIRE(::write(file.get(), content.data(), content.size()) ==
          static_cast<ssize_t>(content.size()));
  return file;
}

const std::string large = numbers(100'000);

Site payload_site() {
  Site site = plain_site();
  site.add("/content", [](const Request&, Response& response) { response.body(large, "a/b"); });
  site.add("/forever",
           [](const Request&, Response& response) { response.body_forever(large, "a/b"); });
  site.add("/small", [](const Request&, Response& response) { response.body("small", "a/b"); });
  site.add("/file", [](const Request&, Response& response) {
    response.file({file_with(large), 10, 50'000}, "a/b");
  });
  site.add("/no-file", [](const Request&, Response& response) {
    response.file({file_with(""), 0, 0}, "a/b");
  });
  return site;
}

// Gives back what it gets, in capitals, until `quit`.
class Shouter : public RawStream {
 public:
  explicit Shouter(int* destroyed) : destroyed_(destroyed) {}
  ~Shouter() override { ++*destroyed_; }
  Shouter(const Shouter&) = delete;
  Shouter& operator=(const Shouter&) = delete;

  Status write(std::span<const char> piece) override {
    for (const char c : piece) {
      waiting_ += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    taken_.append(piece.data(), piece.size());
    return taken_.ends_with("refuse") ? Status::bad_request : Status::ok;
  }
  Produced produce(std::span<char> room) override {
    if (waiting_.empty()) return {0, Flow::later};
    const std::size_t size = std::min(waiting_.size(), room.size());
    std::copy_n(waiting_.begin(), size, room.begin());
    waiting_.erase(0, size);
    if (!waiting_.empty()) return {size, Flow::more};
    return {size, taken_.ends_with("quit") ? Flow::end : Flow::later};
  }

 private:
  std::string taken_;
  std::string waiting_;
  int* destroyed_;
};

Site shouting_site(int& destroyed, std::optional<Resumer>* resumer = nullptr) {
  Site site = plain_site();
  site.add("/shout", [&destroyed, resumer](const Request&, Response& response) {
    if (resumer != nullptr) *resumer = response.resumer();
    response.take_over(Status::switching_protocols, "shout", std::make_unique<Shouter>(&destroyed));
  });
  return site;
}

}  // namespace

TEST_CASE("Large bodies and files arrive whole, in their place, however they are sent") {
  const Site site = payload_site();
  for (const std::size_t send : {std::size_t{999}, std::size_t{16'384}, all}) {
    Driver driver(site.application(), {}, {all, all, send});
    driver.feed(std::string(get));
    for (const char* path : {"/content", "/forever", "/file", "/small", "/no-file", "/content"}) {
      driver.feed(get_path(path) + std::string(get));
    }
    CHECK(driver.run() == Step::receive);
    const auto answers = read_answers(driver.output);
    REQUIRE(answers.size() == 13);
    CHECK((answers[1].body == large));
    CHECK((answers[3].body == large));
    CHECK((answers[5].body == large.substr(10, 50'000)));
    CHECK(answers[7].body == "small");
    CHECK(answers[9].body.empty());
    CHECK((answers[11].body == large));
    for (std::size_t i = 0; i < 13; i += 2) CHECK(answers[i].body == "hello");
    for (std::size_t i = 1; i < 13; i += 2) CHECK(answers[i].field("Content-Type") == "a/b");
  }
}

TEST_CASE("A large body is not copied") {
  const Site site = payload_site();
  Driver driver(site.application());
  REQUIRE(driver.feed(get_path("/forever")).run_until(Step::send) == Step::send);
  const Output output = driver.session().output();
  REQUIRE(output.memory.size() == 2);
  CHECK(output.memory[1].iov_base == large.data());
  CHECK(output.memory[1].iov_len == large.size());
}

TEST_CASE("A large body leaves before the next answer is made") {
  const Site site = payload_site();
  Driver driver(site.application());
  driver.feed(std::string(get) + get_path("/content") + std::string(get));
  REQUIRE(driver.run_until(Step::send) == Step::send);
  CHECK(driver.count(Step::handle) == 2);
  driver.run();
  CHECK(driver.count(Step::handle) == 3);
}

TEST_CASE("HEAD for large bodies and files has their length and no byte of them") {
  const Site site = payload_site();
  Driver driver(site.application());
  for (const char* path : {"/content", "/forever", "/file"}) {
    driver.feed("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  CHECK(driver.run() == Step::receive);
  const auto answers = read_answers(driver.output, {"HEAD", "HEAD", "HEAD"});
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].field("Content-Length") == "100000");
  CHECK(answers[1].field("Content-Length") == "100000");
  CHECK(answers[2].field("Content-Length") == "50000");
}

TEST_CASE("A reset in the middle of a large body or a file") {
  const Site site = payload_site();
  for (const char* path : {"/content", "/file"}) {
    Driver driver(site.application());
    REQUIRE(driver.feed(get_path(path)).run_until(Step::send) == Step::send);
    driver.send(5'000);
    driver.session().reset_by_peer();
    CHECK(driver.run() == Step::reset);
  }
}

TEST_CASE("After take_over() bytes go in and out as they are") {
  int destroyed = 0;
  const Site site = shouting_site(destroyed);
  for (const Manner manner : {Manner{}, Manner{1, 1, 1}, Manner{7, 3, 2}}) {
    destroyed = 0;
    Driver driver(site.application(), {}, manner);
    driver.feed(std::string(get) + get_path("/shout", "Connection: upgrade\r\nUpgrade: shout\r\n") +
                "early ");
    CHECK(driver.run() == Step::receive);
    driver.feed("late");
    CHECK(driver.run() == Step::receive);
    const std::size_t head = driver.output.find("HTTP/1.1 101");
    REQUIRE(head != std::string::npos);
    CHECK(driver.output.substr(driver.output.find("\r\n\r\n", head) + 4) == "EARLY LATE");
    CHECK(driver.output.find("Upgrade: shout\r\nConnection: upgrade\r\n", head) !=
          std::string::npos);
    CHECK(driver.output.find("Content-Length", head) == std::string::npos);
    CHECK(driver.output.find("Transfer-Encoding", head) == std::string::npos);
    CHECK(destroyed == 0);
    driver.feed("quit");
    CHECK(driver.run() == Step::receive);
    CHECK(driver.shut_down);  // the client may still be sending
    CHECK(driver.output.ends_with("EARLY LATEQUIT"));
    CHECK(driver.end_input().run() == Step::close);
    CHECK(destroyed == 1);
  }
}

TEST_CASE("A raw stream ends when its sink refuses, its client half-closes or nothing moves") {
  int destroyed = 0;
  const Site site = shouting_site(destroyed);
  Driver driver(site.application());
  REQUIRE(driver.feed(get_path("/shout")).run() == Step::receive);
  SECTION("its sink refuses") {
    driver.feed("refuse").end_input();
    CHECK(driver.run() == Step::close);
    CHECK(driver.output.ends_with("\r\n\r\n"));
  }
  SECTION("its client half-closes") {
    driver.feed("last words").end_input();
    CHECK(driver.run() == Step::close);
    CHECK(driver.output.ends_with("LAST WORDS"));
  }
  SECTION("nothing moves") {
    CHECK(driver.session().timer() == Timer::idle);
    driver.session().expired();
    CHECK(driver.run() == Step::close);
  }
  SECTION("its client resets") {
    driver.session().reset_by_peer();
    CHECK(driver.run() == Step::reset);
  }
  CHECK(destroyed == 1);
}

TEST_CASE("A raw stream has its idle time anew with all that it gets") {
  class Listener : public RawStream {
    Status write(std::span<const char> /*piece*/) override { return Status::ok; }
    Produced produce(std::span<char> /*room*/) override { return {0, Flow::later}; }
  };
  Site site;
  site.add("/", [](const Request&, Response& response) {
    response.take_over(Status::ok, "", std::make_unique<Listener>());
  });
  Driver driver(site.application());
  driver.feed(get).run();
  const std::uint32_t restarts = driver.session().restarts();
  driver.feed("x").run();
  CHECK(driver.session().timer() == Timer::idle);
  CHECK(driver.session().restarts() > restarts);
}

TEST_CASE("A raw stream may speak first, when its resumer says so") {
  int destroyed = 0;
  std::optional<Resumer> resumer;
  class Clock : public RawStream {
   public:
    Status write(std::span<const char> /*piece*/) override { return Status::ok; }
    Produced produce(std::span<char> room) override {
      if (++asked_ != 2) return {0, Flow::later};
      std::copy_n("tick", 4, room.begin());
      return {4, Flow::later};
    }

   private:
    int asked_ = 0;
  };
  Site site = shouting_site(destroyed, &resumer);
  site.add("/clock", [&resumer](const Request&, Response& response) {
    resumer = response.resumer();
    response.take_over(Status::switching_protocols, "clock", std::make_unique<Clock>());
  });
  Driver driver(site.application());
  CHECK(driver.feed(get_path("/clock")).run() == Step::receive);
  CHECK_FALSE(driver.output.ends_with("tick"));
  resumer->resume();
  CHECK(driver.run() == Step::receive);
  CHECK(driver.output.ends_with("\r\n\r\ntick"));
}
