// RFC 9110, section 9: methods.
#include <string>
#include <vector>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"
#include "support/client.h"

namespace stagecraft::conformance {

using testing::HttpField;
using testing::HttpResponse;

namespace {

// The names of an answer's fields, but for those that may differ between two answers.
std::vector<std::string> field_names(const HttpResponse& answer) {
  std::vector<std::string> names;
  for (const HttpField& field : answer.fields) {
    const bool differs =
        testing::equal_names(field.name, "Date") ||
        testing::equal_names(field.name, "Connection") ||
        // HEAD may leave out what is known only when the content is made.
        (judge() == Judge::rfc && (testing::equal_names(field.name, "Transfer-Encoding") ||
                                   testing::equal_names(field.name, "Content-Length")));
    if (!differs) names.push_back(field.name);
  }
  return names;
}

// The book of a guest who has logged in, and what else is asked of it: see app/guestbook.h.
class Guest {
 public:
  explicit Guest(const testing::Endpoint& book) : book_(book) {
    const std::string form = "name=ann&password=guest";
    const HttpResponse answer =
        send(request("POST", "/login",
                     "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " +
                         std::to_string(form.size()) + "\r\n") +
                 form,
             "POST");
    const std::string cookie = answer.field("Set-Cookie");
    cookie_ = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
  }

  HttpResponse ask(std::string_view method, std::string_view target) const {
    return send(request(method, target, cookie_), method);
  }

 private:
  HttpResponse send(const std::string& bytes, std::string_view method) const {
    testing::Client client(book_);
    client.send(bytes);
    return client.read_response(method);
  }

  testing::Endpoint book_;
  std::string cookie_;
};

}  // namespace

TEST_CASE("GET and HEAD are served", "[rfc9110-9][9110-9.1-1]") {
  check_body(require(get("/"), "200 keep"), "OK");
  check(request("HEAD", "/"), "200 keep");
}

TEST_CASE("Methods are case-sensitive", "[rfc9110-9][9110-9.1-2]") {
  for (const std::string method : {"get", "Get", "gET", "head", "Post", "oPTIONS"}) {
    check(request(method, "/"), "501 any", "the method is compared without case");
  }
}

TEST_CASE("A method that nobody knows is not implemented", "[rfc9110-9][9110-9.1-3]") {
  for (const std::string method :
       {"FOO", "G", "GETS", "GE", "PROPFIND", "BREW", "!#$%&'*+-.^_`|~0"}) {
    check(request(method, "/"), "501 any");
  }
}

TEST_CASE("A method that is known but not allowed gets a 405", "[rfc9110-9][9110-9.1-4]") {
  check(request("TRACE", "/"), "405 any / 200 any");
  check(request("CONNECT", "example.com:443"), "405 any / 400 any or 501 any");
}

TEST_CASE("Every known method is served, with a body and without", "[rfc9110-9][9110-9.1-1]") {
  for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    check(request(method, "/"), "200 keep");
    const std::string with_length = request(method, "/", "Content-Length: 5\r\n") + "hello";
    // Content means nothing to GET, and some refuse it there.
    const std::string outcome = method == "GET" ? "200 keep / refused" : "200 keep";
    const Answers answers = require(with_length, outcome);
    if (answers.last().status == 200) check_body(answers, "hello");
    const std::string chunked =
        request(method, "/", "Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n";
    const Answers again = require(chunked, outcome);
    if (again.last().status == 200) check_body(again, "hello");
  }
  check(request("HEAD", "/", "Content-Length: 5\r\n") + "hello", "200 keep / refused",
        "the body of a HEAD request is read, and none is sent");
}

TEST_CASE("The answer to HEAD has no content", "[rfc9110-9][9110-9.3.2-1]") {
  // A byte of content would stand before the sentinel's answer.
  for (const std::string target : {"/", "/large?n=5000", "/chunked", "/fields"}) {
    check(request("HEAD", target), "200 keep");
  }
  check(request("HEAD", "//nope"), "404 any");
  check(request("HEAD", "/throw"), "500 any");
  check("HEAD / HTTP/1.1\r\n\r\n", "400 close");
  check("HEAD /chunked HTTP/1.0\r\n\r\n", "200 close");
}

TEST_CASE("HEAD has the fields of GET", "[rfc9110-9][9110-9.3.2-2]") {
  for (const std::string target : {"/", "/large?n=5000", "/chunked", "/fields", "/path/x"}) {
    const Answers head = require(request("HEAD", target), "200 keep");
    const Answers whole = require(get(target), "200 keep");
    CHECK(field_names(head.last()) == field_names(whole.last()));
  }
}

TEST_CASE("CONNECT without a valid port is refused", "[rfc9110-9][9110-9.3.6-1]") {
  for (const std::string target :
       {"example.com", "example.com:", "example.com:x", "example.com:99999", "example.com:-1",
        "example.com:80:80", ":80", "/", "*", "http://example.com:80/", "u@example.com:80",
        "example.com:80/", "[::1", "[::1]"}) {
    check(request("CONNECT", target), "400 close");
  }
}

TEST_CASE("A safe method changes nothing", "[rfc9110-9][9110-9.2.1-1]") {
  const auto own = server_with({"--app", "guestbook"});
  const Guest guest(own->endpoint());
  const std::string book = guest.ask("GET", "/").body;
  REQUIRE(book.find("ann") != std::string::npos);
  for (const std::string method : {"GET", "HEAD", "OPTIONS"}) {
    for (const std::string target : {"/entries?text=spam", "/logout", "/login?name=eve"}) {
      INFO(method << " " << target);
      CHECK_FALSE(guest.ask(method, target).has("Set-Cookie"));
      CHECK(guest.ask("GET", "/").body == book);
    }
  }
  own->stop();
}

TEST_CASE("OPTIONS says what is allowed", "[rfc9110-9][9110-9.3.7-1]") {
  for (const std::string target : {"/", "*"}) {
    const HttpResponse answer = require(request("OPTIONS", target), "200 keep").last();
    for (const std::string method : {"GET", "HEAD", "POST", "OPTIONS"}) {
      CHECK(answer.lists("Allow", method));
    }
    CHECK_FALSE(answer.lists("Allow", "TRACE"));
    CHECK(answer.field("Content-Length") == "0");
  }
}

TEST_CASE("TRACE does not give secrets back", "[rfc9110-9][9110-9.3.8-1]") {
  const Answers answers =
      require(request("TRACE", "/", "Cookie: secret=1\r\nAuthorization: Basic c2VjcmV0\r\n"),
              "405 any / 200 any");
  CHECK(answers.last().body.find("secret") == std::string::npos);
  CHECK(answers.last().body.find("c2VjcmV0") == std::string::npos);
}

}  // namespace stagecraft::conformance
