// Which application a request has when another takes its place.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "catch.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// An application that does this, and whether it is still there.
struct Watched {
  explicit Watched(Handler handler) {
    auto owned = std::make_shared<int>();
    there = owned;
    application = Application(
        [owned = std::move(owned), handler = std::move(handler)](
            const Request& request, Response& response) { handler(request, response); });
  }
  explicit Watched(std::string text)
      : Watched([text = std::move(text)](const Request&, Response& response) {
          response.text(text);
        }) {}

  Application application;
  std::weak_ptr<int> there;
};

// A stream of three bytes that waits before each, also as a connection that is taken over.
class Drops : public RawStream {
 public:
  Produced produce(std::span<char> room) override {
    waiting_ = !waiting_;
    if (waiting_) return {0, Flow::later};
    room[0] = 'x';
    return {1, --left_ == 0 ? Flow::end : Flow::more};
  }
  Status write(std::span<const char> /*piece*/) override { return Status::ok; }

 private:
  bool waiting_ = false;
  int left_ = 3;
};

}  // namespace

TEST_CASE("A request is served by the application that held when it began") {
  Watched old("old");
  Driver driver(std::move(old.application));
  driver.feed(get).run_until(Step::handle);
  driver.common().application.replace(Watched("new").application);
  CHECK_FALSE(old.there.expired());
  CHECK(driver.run() == Step::receive);
  CHECK(old.there.expired());
  CHECK(driver.feed(get).run() == Step::receive);
  CHECK(summary(driver.output) == "200 old | 200 new");
}

TEST_CASE("Requests of several applications are under way at once, and each goes with its last") {
  Watched first("first");
  Watched second("second");
  Driver driver(std::move(first.application));
  Limits limits;
  ConnectionInfo info;
  const auto postbox = std::make_shared<FakePostbox>();
  const auto begin = [](Session& session) {
    REQUIRE(session.next() == Step::receive);
    const std::span<char> room = session.read_buffer();
    std::copy(get.begin(), get.end(), room.begin());
    session.received(get.size());
    REQUIRE(session.next() == Step::handle);
  };
  Session a(limits, driver.workspace(), postbox, info);
  Session b(limits, driver.workspace(), postbox, info);
  Session c(limits, driver.workspace(), postbox, info);
  begin(a);
  begin(b);
  driver.common().application.replace(std::move(second.application));
  begin(c);
  driver.common().application.replace(Watched("third").application);
  driver.workspace().drop_replaced();
  a.handled();
  CHECK_FALSE(first.there.expired());
  b.handled();
  CHECK(first.there.expired());
  CHECK_FALSE(second.there.expired());
  c.handled();
  CHECK(second.there.expired());
  CHECK(driver.feed(get).run() == Step::receive);
  CHECK(summary(driver.output) == "200 third");
}

TEST_CASE("A thread at rest lets go of an application when it is told to") {
  Watched old("old");
  Driver driver(std::move(old.application));
  driver.feed(get).run();
  driver.workspace().drop_replaced();
  CHECK_FALSE(old.there.expired());
  driver.common().application.replace(Watched("new").application);
  CHECK_FALSE(old.there.expired());
  driver.workspace().drop_replaced();
  CHECK(old.there.expired());
}

TEST_CASE("An application is there as long as what it sends") {
  std::optional<Resumer> resumer;
  const bool raw = GENERATE(true, false);
  Watched old([&](const Request&, Response& response) {
    resumer = response.resumer();
    if (raw) {
      response.take_over(Status::switching_protocols, "drops", std::make_unique<Drops>());
    } else {
      response.stream(std::make_unique<Drops>(), "");
    }
  });
  Driver driver(std::move(old.application));
  driver.feed(get).run();
  driver.common().application.replace(Watched("new").application);
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(old.there.expired());
    resumer->resume();
    driver.run();
  }
  driver.end_input().run();
  CHECK(std::count(driver.output.begin(), driver.output.end(), 'x') >= 3);
  CHECK(old.there.expired());
}

TEST_CASE("A connection that ends in the middle of a request ends with its application") {
  Watched old("old");
  Driver driver(std::move(old.application));
  driver.feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe").run();
  driver.common().application.replace(Watched("new").application);
  CHECK_FALSE(old.there.expired());
  driver.session().reset_by_peer();
  CHECK(old.there.expired());
}
