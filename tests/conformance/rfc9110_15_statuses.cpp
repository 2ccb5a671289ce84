// RFC 9110, section 15, and what every answer owes, whatever its status.
#include <string>

#include "catch.h"
#include "conformance/lint.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/client.h"

namespace stagecraft::conformance {

using testing::HttpResponse;

namespace {

struct Kind {
  std::string request;
  std::string outcome;
};

// One request for every status that this server has, so that none escapes the linter.
std::vector<Kind> every_kind() {
  const std::string too_many_fields = [] {
    std::string fields;
    for (int i = 0; i < 5'000; ++i) fields += "X: y\r\n";
    return fields;
  }();
  std::vector<Kind> kinds{{get("/"), "200 keep"},
                          {post("hello"), "200 keep"},
                          {request("OPTIONS", "*"), "200 keep"},
                          {get("/chunked"), "200 keep"},
                          {get("/nocontent"), "204 keep"},
                          {get("/notmodified"), "304 keep"},
                          {get("/", "bad line\r\n"), "400 close"},
                          {get("//nope"), "404 any"},
                          {request("TRACE", "/"), "405 any"},
                          {request("POST", "/", "Content-Length: 10000000\r\n"), "413 close"},
                          {get("/" + std::string(20'000, 'a')), "414 close"},
                          {post("hello", "Expect: foo\r\n"), "417 any"},
                          {get("https://a/"), "421 any or 400 close"},
                          {get("/", too_many_fields), "431 close"},
                          {get("/throw"), "500 any"},
                          {request("FOO", "/"), "501 any"},
                          {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505 close"}};
  // Here it counts what an answer looks like; other cases judge which one it is.
  for (Kind& kind : kinds) kind.outcome += " / xxx any or xxx, xxx any";
  return kinds;
}

}  // namespace

TEST_CASE("Answers of every status obey the grammar and the rules for senders",
          "[rfc9110-15][9112-2.2-4][9112-2.2-7][9112-4-1][9112-5.2-1][9110-2.2-1][9110-5.3-1]"
          "[9110-5.6.1-1][9110-5.6.3-2][9110-5.6.7-2][9110-6.6.1-1][9110-7.6.1-1]") {
  // The strict reader and the linter do the work; here it is made sure that they see everything.
  for (const Kind& kind : every_kind()) {
    const Answers answers = check(kind.request, kind.outcome);
    const HttpResponse& answer = answers.last();
    if (judge() == Judge::rfc) continue;  // the linter has blamed what is missing by its own id
    CHECK(is_imf_fixdate(answer.field("Date")));
    CHECK(answer.count("Date") == 1);
    CHECK(answer.count("Server") == 1);
    CHECK(answer.count("Content-Length") + answer.count("Transfer-Encoding") <= 1);
  }
}

TEST_CASE("A 304 describes nothing but the validators", "[rfc9110-15][9110-15.4.5-2]") {
  const HttpResponse answer = require(get("/notmodified"), "304 keep").last();
  CHECK_FALSE(answer.has("Content-Type"));
  CHECK_FALSE(answer.has("Content-Encoding"));
  CHECK_FALSE(answer.has("Transfer-Encoding"));
}

TEST_CASE("An error explains itself, except to HEAD", "[rfc9110-15][9110-15.5-1]") {
  for (const Kind& kind : every_kind()) {
    const Answers answers = check(kind.request, kind.outcome);
    if (answers.last().status >= 400) CHECK_FALSE(answers.last().body.empty());
  }
  check(request("HEAD", "//nope"), "404 any");
  check(request("HEAD", "/", "bad line\r\n"), "400 close / xxx any");
}

TEST_CASE("An error page repeats nothing unescaped", "[rfc9110-15][9110-15.5-1]") {
  const std::string script = "%3Cscript%3Ealert(1)%3C/script%3E";
  for (const std::string& bytes : {get("//" + script), get("//<script>alert(1)</script>"),
                                   get("/", "<script>: y\r\n"), request("<script>", "/")}) {
    const Answers answers = check(bytes, "404 any or 400 any or 501 any / 200 any");
    CHECK(answers.last().body.find("<script>") == std::string::npos);
  }
}

TEST_CASE("Another major version gets a 505 that says why", "[rfc9110-15][9110-15.6.6-1]") {
  for (const std::string version : {"HTTP/0.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.9", "HTTP/0.0"}) {
    const Answers answers = require("GET / " + version + "\r\nHost: a\r\n\r\n", "505 close");
    CHECK_FALSE(answers.last().body.empty());
  }
}

TEST_CASE("A type that is not taken is not blamed on a coding", "[rfc9110-15][9110-12.5.3-2]") {
  const auto own = server_with({"--app", "demo"});
  testing::Client client(own->endpoint());
  client.send(request("POST", "/upload",
                      "Content-Type: application/x-www-form-urlencoded; charset=utf-16\r\n"
                      "Content-Length: 3\r\n") +
              "a=b");
  const HttpResponse answer = client.read_response("POST");
  check_lint(answer, "POST");
  CHECK(answer.status == 415);
  CHECK_FALSE(answer.has("Accept-Encoding"));
  own->stop();
}

TEST_CASE("A handler that throws is answered 500, and the server lives",
          "[rfc9110-15][9110-15.5-1]") {
  check(get("/throw"), "500 any");
  check(get("/") + get("/throw"), "200, 500 any", "the one before is answered all the same");
  check(get("/"), "200 keep");
}

}  // namespace stagecraft::conformance
