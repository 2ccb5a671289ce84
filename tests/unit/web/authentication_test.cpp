// Who may come in.
#include "web/authentication.h"

#include <stdexcept>
#include <string>

#include "catch.h"
#include "unit/app/asking.h"
#include "unit/web/with_request.h"
#include "web/base64.h"
#include "web/observing_filters.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// Answers with the user's name.
Route user_route(Filter filter) {
  return filter({[](const Request& request, Response& response) {
    const std::string* const user = request.attributes().find(authenticated_user);
    response.text(user == nullptr ? "nobody" : *user);
  }});
}

HttpResponse answer_of(const Route& route, const std::string& fields = {},
                       std::string_view target = "GET /") {
  return ask([&route](const Request&) -> const Route& { return route; }, target, fields);
}

std::string basic(const std::string& text) {
  return "Authorization: Basic " + to_base64(text, Base64::standard) + "\r\n";
}

}  // namespace

TEST_CASE("Who brings the right password comes in, and his name with him") {
  const Route route =
      user_route(basic_authentication("the shop", {{"zo\xc3\xab", "se:cret"}, {"nobody", ""}}));
  CHECK(answer_of(route, basic("zo\xc3\xab:se:cret")).body == "zo\xc3\xab");
  CHECK(answer_of(route, basic("nobody:")).status == 200);
  const HttpResponse refused = answer_of(route);
  CHECK(refused.status == 401);
  CHECK(refused.field("WWW-Authenticate") == "Basic realm=\"the shop\", charset=\"UTF-8\"");
  for (const std::string& fields :
       {basic("zo\xc3\xab:secret"), basic("zo\xc3\xab:"), basic("other:nobody's"),
        basic("zo\xc3\xab"), basic("zo\xe4:x"), std::string("Authorization: Bearer x\r\n"),
        std::string("Authorization: Basic\r\n"), std::string("Authorization: Basic ?\r\n")}) {
    CAPTURE(fields);
    CHECK(answer_of(route, fields).status == 401);
  }
}

TEST_CASE("The scheme may be in any case, and so may spaces") {
  with_request("GET /", "Authorization: bAsIc   YTpi\r\n", {}, [](const Request& request) {
    const auto credentials = basic_credentials(request);
    REQUIRE(credentials);
    CHECK(credentials->user == "a");
    CHECK(credentials->password == "b");
  });
}

TEST_CASE("A 401 comes before the body is sent") {
  const Route route = user_route(basic_authentication("x", {{"a", "b"}}));
  CHECK(answer_of(route, "Expect: 100-continue\r\nContent-Length: 5\r\n", "POST /").status == 401);
}

TEST_CASE("A verdict may be success, another try, or no") {
  const Route route = user_route(authenticate("Custom", [](const Request& request) -> Verdict {
    if (request.query() == "in") return {Verdict::Kind::success, "me"};
    if (request.query() == "out") return {Verdict::Kind::failure};
    return {};
  }));
  CHECK(answer_of(route, {}, "GET /?in").body == "me");
  CHECK(answer_of(route, {}, "GET /?out").status == 403);
  CHECK(answer_of(route, {}, "GET /").field("WWW-Authenticate") == "Custom");
}

TEST_CASE("A realm is a text that can stand in quotes") {
  for (const char* realm : {"a\"b", "a\\b", "a\r\nb"}) {
    CHECK_THROWS_AS(basic_authentication(realm, {{"a", "b"}}), std::invalid_argument);
  }
}

TEST_CASE("An access log is told of each answer") {
  std::string log;
  const Route route = access_log([&log](const AccessRecord& record) {
    log += std::string(record.request_line) + ' ' + std::to_string(record.status) + ' ' +
           std::to_string(record.body_bytes) + '\n';
  })({[](const Request& request, Response& response) {
    if (request.query() == "fail") throw std::runtime_error("broken");
    response.text("12345");
  }});
  answer_of(route, {}, "GET /a?b");
  answer_of(route, {}, "GET /?fail");
  CHECK_THAT(log, Catch::StartsWith("GET /a?b HTTP/1.1 200 5\nGET /?fail HTTP/1.1 500 "));
}

TEST_CASE("Security headers are there unless the answer has its own") {
  const Route route = security_headers()({[](const Request& request, Response& response) {
    if (request.query() == "own") response.set_field("Content-Security-Policy", "none");
    response.text("x");
  }});
  const HttpResponse answer = answer_of(route);
  CHECK(answer.field("X-Content-Type-Options") == "nosniff");
  CHECK_THAT(answer.field("Content-Security-Policy"), Catch::StartsWith("default-src 'self'"));
  CHECK(answer.field("Referrer-Policy") == "same-origin");
  CHECK(answer.field("Cross-Origin-Opener-Policy") == "same-origin");
  CHECK_FALSE(answer.has("Strict-Transport-Security"));
  CHECK(answer_of(route, {}, "GET /?own").field("Content-Security-Policy") == "none");
  SecurityHeaders wrong;
  wrong.referrer_policy = "a\r\nb";
  CHECK_THROWS_AS(security_headers(wrong), std::invalid_argument);
}
