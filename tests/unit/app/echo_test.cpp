// The application that answers everything.
#include "app/echo.h"

#include <string>

#include "catch.h"
#include "unit/app/asking.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

HttpResponse ask_echo(std::string_view method_and_target, std::string_view fields = {},
                      std::string_view body = {}) {
  const Router table = echo_routes();
  return ask(table.application(), method_and_target, fields, body);
}

}  // namespace

TEST_CASE("Any path answers OK") {
  for (const char* target : {"GET /", "GET /any/path?query", "GET /files/a"}) {
    const HttpResponse answer = ask_echo(target);
    CHECK(answer.status == 200);
    CHECK(answer.body == "OK");
    CHECK(answer.field("Content-Type") == "text/plain; charset=utf-8");
  }
  CHECK(ask_echo("HEAD /").field("Content-Length") == "2");
}

TEST_CASE("A body comes back, with every method that may have one") {
  for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    INFO(method);
    const HttpResponse answer = ask_echo(method + " /a", {}, "body");
    CHECK(answer.status == 200);
    CHECK(answer.body == "body");
    CHECK(answer.field("Content-Type") == "application/octet-stream");
    CHECK(answer.framing == Framing::content_length);
  }
}

TEST_CASE("Where there is no body none comes back") {
  for (const std::string method : {"POST", "PUT", "PATCH", "DELETE"}) {
    INFO(method);
    const HttpResponse answer = ask_echo(method + " /", "Content-Length: 0\r\n");
    CHECK(answer.status == 200);
    CHECK(answer.field("Content-Length") == "0");
  }
}

TEST_CASE("OPTIONS tells the methods, also of the whole server") {
  for (const char* target : {"OPTIONS /a", "OPTIONS *"}) {
    const HttpResponse answer = ask_echo(target);
    CHECK(answer.status == 200);
    CHECK(answer.field("Content-Length") == "0");
    for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
      CHECK(answer.lists("Allow", method));
    }
  }
}

TEST_CASE("A path with an empty segment is none") {
  CHECK(ask_echo("GET //").status == 404);
  CHECK(ask_echo("GET /a//b").status == 404);
  CHECK(ask_echo("GET /a?b=//").status == 200);
}

TEST_CASE("Cookies are told one by one") {
  CHECK(ask_echo("GET /cookie", "Cookie: a=1; b=x=y\r\nCookie: c=\r\n").body == "a=1\nb=x=y\nc=\n");
  CHECK(ask_echo("GET /cookie").body.empty());
}

TEST_CASE("Fields are told as they came, and trailers behind them") {
  CHECK(ask_echo("GET /fields", "X-a:  1 \r\nx-A: 2\r\n").body ==
        "Host: localhost\nX-a: 1\nx-A: 2\n");
  const Router table = echo_routes();
  const HttpResponse answer =
      ask_raw(table.application(),
              "POST /fields HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
              "1\r\nx\r\n0\r\nX-End: here\r\n\r\n");
  CHECK(answer.body == "Host: a\nTransfer-Encoding: chunked\ntrailer X-End: here\n");
}

TEST_CASE("What the server has understood of the target is told") {
  CHECK(ask_echo("GET http://example.org:81/authority").body == "example.org:81");
  CHECK(ask_echo("GET /authority").body == "localhost");
  CHECK(ask_echo("GET /path/a%20b/./c?d=%20e").body == "/path/a b/c\nd=%20e\n");
}

TEST_CASE("There are answers of every kind") {
  const HttpResponse chunked = ask_echo("GET /chunked");
  CHECK(chunked.framing == Framing::chunked);
  CHECK(chunked.body == "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  CHECK(ask_echo("GET /nocontent").status == 204);
  CHECK(ask_echo("GET /notmodified").status == 304);
  CHECK(ask_echo("GET /throw").status == 500);
  CHECK(ask_echo("GET /large?n=100000").body == std::string(100'000, 'x'));
  CHECK(ask_echo("GET /large?n=").status == 400);
}

TEST_CASE("A stream of bytes comes back after an upgrade") {
  const Router table = echo_routes();
  Driver driver(table.application());
  driver.feed(request("GET /raw", "Connection: keep-alive, Upgrade\r\nUpgrade: x/1, Echo\r\n"));
  driver.feed("first").run();
  const std::size_t head = driver.output.find("\r\n\r\n");
  REQUIRE(head != std::string::npos);
  CHECK(driver.output.rfind("HTTP/1.1 101 ", 0) == 0);
  CHECK(driver.output.substr(head + 4) == "first");
  const std::string more(100'000, 'm');
  driver.feed(more).run();
  CHECK(driver.output.substr(head + 4) == "first" + more);
  CHECK((driver.end_input().run() == Step::close));
}

TEST_CASE("No upgrade happens that was not asked for") {
  for (const char* fields : {"", "Connection: upgrade\r\n", "Upgrade: echo\r\n",
                             "Connection: upgrade\r\nUpgrade: echoes\r\n",
                             "Connection: upgraded\r\nUpgrade: echo\r\n"}) {
    INFO(fields);
    const HttpResponse answer = ask_echo("GET /raw", fields);
    CHECK(answer.status == 426);
    CHECK(answer.field("Upgrade") == "echo");
    CHECK(answer.lists("Connection", "upgrade"));
  }
  const Router table = echo_routes();
  CHECK(ask_raw(table.application(),
                "GET /raw HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
            .status == 426);
}
