// Answers in one line, and handlers that need no writing.
#include "web/answers.h"

#include <stdexcept>
#include <string>

#include "catch.h"
#include "unit/app/asking.h"
#include "web/canned.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

HttpResponse answer_of(Handler handler, std::string_view target = "GET /") {
  const Route route{std::move(handler)};
  return ask([&route](const Request&) -> const Route& { return route; }, target);
}

}  // namespace

TEST_CASE("Pages and JSON have their types") {
  const HttpResponse page =
      answer_of([](const Request&, Response& response) { html(response, "<p>"); });
  CHECK(page.field("Content-Type") == "text/html; charset=utf-8");
  CHECK(page.body == "<p>");
  const HttpResponse data =
      answer_of([](const Request&, Response& response) { json(response, "{}"); });
  CHECK(data.field("Content-Type") == "application/json");
}

TEST_CASE("A redirect leads to this server only") {
  for (const char* path : {"/", "/a?b=c#d", "/a//b", "/%5C"}) {
    CAPTURE(path);
    CHECK(is_local_path(path));
  }
  for (const char* path : {"", "a", "//host", "/\\host", "/\t/host", "/\n/host", "http://host/",
                           "javascript:x", " /", "/a b", "\\/host", "/a\\b"}) {
    CAPTURE(path);
    CHECK_FALSE(is_local_path(path));
    Response response;
    CHECK_THROWS_AS(redirect(response, path), std::invalid_argument);
  }
}

TEST_CASE("A redirect has a status that redirects, and no body") {
  Response response;
  CHECK_THROWS_AS(redirect(response, "/", Status::ok), std::invalid_argument);
  CHECK_THROWS_AS(redirect_anywhere(response, "http://a/\r\nX: y"), std::invalid_argument);
  const HttpResponse answer =
      answer_of([](const Request&, Response& out) { redirect(out, "/there"); });
  CHECK(answer.status == 303);
  CHECK(answer.field("Location") == "/there");
  CHECK(answer.field("Content-Length") == "0");
}

TEST_CASE("A canned redirect keeps the query") {
  CHECK(answer_of(redirect_to("/new"), "GET /old?a=1").field("Location") == "/new?a=1");
  CHECK(answer_of(redirect_to("/new?b"), "GET /old?a=1").field("Location") == "/new?b&a=1");
  const HttpResponse answer = answer_of(redirect_to("https://example.org/"));
  CHECK(answer.status == 308);
  CHECK(answer.field("Location") == "https://example.org/");
  CHECK_THROWS_AS(redirect_to(""), std::invalid_argument);
  CHECK_THROWS_AS(redirect_to("/a", Status::not_modified), std::invalid_argument);
}

TEST_CASE("A handler can be chosen by a predicate") {
  const Handler chosen =
      choose([](const Request& request) { return request.query() == "a"; },
             answer_with(Status::im_a_teapot, "short and stout"), constant("other", "text/plain"));
  const HttpResponse teapot = answer_of(chosen, "GET /?a");
  CHECK(teapot.status == 418);
  CHECK(teapot.body == "short and stout");
  CHECK(answer_of(chosen).body == "other");
}

TEST_CASE("Pieces of any size make one body") {
  const HttpResponse answer = answer_of([](const Request&, Response& response) {
    stream_pieces(
        response,
        [n = 0](std::string& piece) mutable {
          piece.assign(n == 2 ? 40'000 : 1, static_cast<char>('a' + n));
          return ++n == 4 ? Flow::end : Flow::more;
        },
        "text/plain");
  });
  CHECK(answer.body == "ab" + std::string(40'000, 'c') + "d");
  const HttpResponse last = answer_of([](const Request&, Response& response) {
    stream_pieces(
        response,
        [](std::string& piece) {
          piece.assign(40'000, 'x');
          return Flow::end;
        },
        "text/plain");
  });
  CHECK(last.body.size() == 40'000);
}
