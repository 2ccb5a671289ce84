// An answer as a value: its fields, its body, and what it refuses.
#include "http/response.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "catch.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;
using namespace std::string_view_literals;

namespace {

// What a client gets of a Response that FILL has filled.
HttpResponse sent(const std::function<void(Response&)>& fill) {
  Site site;
  site.add("/", [&fill](const Request&, Response& response) { fill(response); });
  Driver driver(site.application());
  driver.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n").run();
  auto answers = read_answers(driver.output);
  REQUIRE(answers.size() == 1);
  return answers[0];
}

std::string value(std::size_t size, char c = 'v') { return std::string(size, c); }

}  // namespace

TEST_CASE("A new answer is 200 and empty") {
  const HttpResponse answer = sent([](Response&) {});
  CHECK(answer.status == 200);
  CHECK(answer.reason == "OK");
  CHECK(answer.field("Content-Length") == "0");
  CHECK_FALSE(answer.has("Content-Type"));
  CHECK(answer.field("Server") == "stagecraft");
}

TEST_CASE("Fields are set, replaced and added") {
  Response response;
  CHECK_FALSE(response.field("X-A").has_value());
  response.set_field("X-A", "1");
  response.set_field("X-B", "");
  CHECK(response.field("x-a") == "1");
  CHECK(response.field("X-B") == "");
  response.add_field("X-A", "2");
  CHECK(response.field("X-A") == "1");
  response.set_field("x-A", "3");
  CHECK(response.field("X-A") == "3");
  CHECK_FALSE(response.field("X-").has_value());
  CHECK_FALSE(response.field("X-AB").has_value());

  const HttpResponse answer = sent([](Response& r) {
    r.add_field("Set-Cookie", "a=1");
    r.set_field("X", "first");
    r.add_field("Set-Cookie", "b=2; Path=/");
    r.set_field("X", "second");
  });
  CHECK(answer.count("Set-Cookie") == 2);
  CHECK(answer.field("X") == "second");
}

TEST_CASE("What could write fields through us is refused, and changes nothing") {
  Response response;
  response.set_field("X", "kept");
  for (const std::string_view bad : {"a\r\nSet-Cookie: b"sv, "a\nb"sv, "a\rb"sv, "a\0b"sv, "\x01"sv,
                                     "\x7f"sv, "a\r\n"sv, "\x1b[0m"sv}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(response.set_field("X", bad), std::invalid_argument);
    CHECK_THROWS_AS(response.add_field("X", bad), std::invalid_argument);
    CHECK_THROWS_AS(response.text("text", bad), std::invalid_argument);
    CHECK_THROWS_AS(response.body("body", bad), std::invalid_argument);
    CHECK_THROWS_AS(response.body_forever("body", bad), std::invalid_argument);
  }
  for (const std::string_view bad :
       {""sv, "a b"sv, "a:"sv, "a\r\nb"sv, "\xc3\xa9"sv, "a\0"sv, "(a)"sv}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(response.set_field(bad, "x"), std::invalid_argument);
    CHECK_THROWS_AS(response.add_field(bad, "x"), std::invalid_argument);
  }
  CHECK(response.field("X") == "kept");
}

TEST_CASE("The fields that the session writes cannot be set") {
  Response response;
  for (const std::string_view name : {"Connection", "content-length", "DATE", "Keep-Alive",
                                      "Server", "Trailer", "Transfer-Encoding"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(response.set_field(name, "x"), std::invalid_argument);
    CHECK_THROWS_AS(response.add_field(name, "x"), std::invalid_argument);
  }
}

TEST_CASE("Values may hold tabs and bytes from 0x80 on") {
  const HttpResponse answer = sent([](Response& r) { r.set_field("X", "a\tb \xc3\xa9"); });
  CHECK(answer.field("X") == "a\tb \xc3\xa9");
}

TEST_CASE("The last body counts, and its type with it") {
  const HttpResponse answer = sent([](Response& r) {
    r.body_forever("forever", "a/1");
    r.body(std::string("string"), "a/2");
    r.text(value(2000), "a/3");
    r.text("text", "a/4");
  });
  CHECK(answer.body == "text");
  CHECK(answer.field("Content-Type") == "a/4");
  const HttpResponse untyped = sent([](Response& r) {
    r.text("text");
    r.text("again", "");
  });
  CHECK_FALSE(untyped.has("Content-Type"));
}

TEST_CASE("Texts and fields of every size around the block arrive whole") {
  for (std::size_t text = 0; text < 700; text += 7) {
    for (std::size_t field = 0; field < 700; field += 13) {
      CAPTURE(text, field);
      Response response;
      response.set_field("X-First", "first");
      response.text(value(text, 't'), "a/b");
      response.set_field("X", value(field));
      response.set_field("X-Last", "last");
      const Response moved = std::move(response);
      REQUIRE(moved.field("X-First") == "first");
      REQUIRE(moved.field("Content-Type") == "a/b");
      REQUIRE(moved.field("X") == value(field));
      REQUIRE(moved.field("X-Last") == "last");
    }
  }
  for (const std::size_t text : {0U, 1U, 400U, 480U, 500U, 511U, 512U, 513U, 600U, 20'000U}) {
    for (const std::size_t field : {0U, 1U, 400U, 480U, 500U, 511U, 512U, 513U, 600U, 20'000U}) {
      CAPTURE(text, field);
      const HttpResponse answer = sent([text, field](Response& r) {
        r.text(value(text, 't'));
        r.set_field("X", value(field));
      });
      REQUIRE((answer.body == value(text, 't')));
      REQUIRE((answer.field("X") == value(field)));
      const HttpResponse other = sent([text, field](Response& r) {
        r.set_field("X", value(field));
        r.text(value(text, 't'));
      });
      REQUIRE((other.body == answer.body));
      REQUIRE((other.field("X") == value(field)));
    }
  }
}

TEST_CASE("Fields can be replaced after they have moved to the heap") {
  Response response;
  for (int i = 0; i < 40; ++i) response.set_field("X-" + std::to_string(i), value(50));
  for (int i = 0; i < 40; i += 2) response.set_field("x-" + std::to_string(i), "short");
  for (int i = 0; i < 40; ++i) {
    CHECK(response.field("X-" + std::to_string(i)) == (i % 2 == 0 ? "short" : value(50)));
  }
  response.text("still here");
  CHECK(response.field("Content-Type") == "text/plain; charset=utf-8");
}

TEST_CASE("Moving keeps everything and leaves an answer like new") {
  Response from;
  from.status(Status::created);
  from.set_field("X", "1");
  from.text("text");
  from.close_after();
  Response to;
  to.set_field("Y", "2");
  to.body(value(20'000), "a/b");
  to = std::move(from);
  CHECK(to.status() == Status::created);
  CHECK(to.field("X") == "1");
  CHECK_FALSE(to.field("Y").has_value());
  // NOLINTNEXTLINE(bugprone-use-after-move): that it is like new is what is tested.
  CHECK(from.status() == Status::ok);
  CHECK_FALSE(from.field("X").has_value());

  const HttpResponse answer = sent([&to](Response& r) { r = std::move(to); });
  CHECK(answer.status == 201);
  CHECK(answer.field("X") == "1");
  CHECK(answer.body == "text");
  CHECK(answer.field("Connection") == "close");

  Response& same = to;
  to.text("self");
  to = std::move(same);
  CHECK(to.field("Content-Type").has_value());
}

TEST_CASE("reset() makes an answer new") {
  const HttpResponse answer = sent([](Response& r) {
    r.status(Status::not_found);
    r.set_field("X", value(1000));
    r.set_field("Upgrade", "a");
    r.text("text");
    r.close_after();
    r.reset();
  });
  CHECK(answer.status == 200);
  CHECK(answer.body.empty());
  CHECK(answer.fields.size() == 3);  // Server, Date, Content-Length
}

TEST_CASE("An answer that names an upgrade lists it in Connection") {
  const HttpResponse answer = sent([](Response& r) {
    r.status(Status::upgrade_required);
    r.set_field("Upgrade", "h2c");
    r.text("upgrade");
  });
  CHECK(answer.field("Connection") == "upgrade");
  const HttpResponse last = sent([](Response& r) {
    r.set_field("Upgrade", "h2c");
    r.close_after();
  });
  CHECK(last.lists("Connection", "upgrade"));
  CHECK(last.lists("Connection", "close"));
}

TEST_CASE("Statuses have their reason phrases") {
  CHECK(reason_phrase(Status::ok) == "OK");
  CHECK(reason_phrase(Status::content_too_large) == "Content Too Large");
  CHECK(reason_phrase(Status::http_version_not_supported) == "HTTP Version Not Supported");
  CHECK(reason_phrase(static_cast<Status>(299)).empty());
  CHECK(reason_phrase(static_cast<Status>(999)).empty());
  const HttpResponse answer = sent([](Response& r) { r.status(static_cast<Status>(299)); });
  CHECK(answer.status == 299);
  CHECK(answer.reason.empty());
}

TEST_CASE("An error page escapes what it says") {
  const HttpResponse answer =
      sent([](Response& r) { error_page(r, Status::not_found, "<script>alert('&\"')</script>"); });
  CHECK(answer.status == 404);
  CHECK(answer.body.find("404 Not Found") != std::string::npos);
  CHECK(answer.body.find("<script>") == std::string::npos);
  CHECK(answer.body.find("&lt;script&gt;") != std::string::npos);
}
