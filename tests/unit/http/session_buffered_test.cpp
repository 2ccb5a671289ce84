// What all sessions together hold of bodies in memory.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "catch.h"
#include "http/session.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

std::string post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

}  // namespace

TEST_CASE("The bodies of all sessions together are bounded, and counted down again") {
  Limits limits;
  limits.max_buffered = 50'000;
  limits.max_request_size = 1'000'000;
  Driver driver(plain_site().application(), limits);
  for (int i = 0; i < 5; ++i) driver.feed(post("/echo", std::string(40'000, 'x')));
  CHECK(driver.run() == Step::receive);
  CHECK(read_answers(driver.output).size() == 5);

  Driver greedy(plain_site().application(), limits, {1000, 1000, all});
  greedy.feed(post("/echo", std::string(100'000, 'x'))).run();
  CHECK(summary(greedy.output) == "503");
  CHECK(greedy.shut_down);
}

TEST_CASE("What a sink has in memory counts, and no longer when it has let it go") {
  // Keeps what it gets until it has more than 600 bytes; then it puts all away.
  class Keeping : public BodySink {
   public:
    Status write(std::span<const char> piece) override {
      kept_ = kept_ + piece.size() > 600 ? 0 : kept_ + piece.size();
      return Status::ok;
    }
    std::uint64_t bytes_in_memory() const override { return kept_; }

   private:
    std::uint64_t kept_ = 0;
  };
  Site site;
  site.add(
      "/keep", [](const Request&, Response& response) { response.text("kept"); },
      [](const Request&, Response&) {
        return Intake{10'000, std::make_unique<Keeping>()};
      });
  Limits limits;
  const auto talk = [&](std::size_t bytes, std::size_t times) {
    Driver driver(site.application(), limits, {100, 100, all});
    for (std::size_t i = 0; i < times; ++i) driver.feed(post("/keep", std::string(bytes, 'x')));
    driver.run();
    return summary(driver.output);
  };
  limits.max_buffered = 600;
  CHECK(talk(550, 2) == "200 kept | 200 kept");  // what is over counts no more
  CHECK(talk(5'000, 1) == "200 kept");
  limits.max_buffered = 500;
  CHECK(talk(450, 2) == "200 kept | 200 kept");
  CHECK(talk(550, 1) == "503");
}

TEST_CASE("One session's buffered body counts against another's, also in another workspace") {
  Limits limits;
  limits.max_buffered = 1000;
  Workspace::Common common(plain_site().application());
  Workspace workspace(limits, common);
  Workspace other_workspace(limits, common);
  const bool shared = GENERATE(true, false);
  const auto postbox = std::make_shared<FakePostbox>();
  ConnectionInfo first_info;
  ConnectionInfo second_info;
  const auto give = [](Session& session, std::string_view bytes) {
    REQUIRE(session.next() == Step::receive);
    const std::span<char> room = session.read_buffer();
    std::copy(bytes.begin(), bytes.end(), room.begin());
    session.received(bytes.size());
    return session.next();
  };
  const std::string half = post("/echo", std::string(2000, 'x')).substr(0, 700);
  Session second(limits, shared ? workspace : other_workspace, postbox, second_info);
  {
    Session first(limits, workspace, postbox, first_info);
    CHECK(give(first, half) == Step::receive);
    CHECK(give(second, half) == Step::send);  // 503
  }
  Session third(limits, workspace, postbox, first_info);
  CHECK(give(third, half) == Step::receive);
  CHECK(common.buffered > 0);
}
