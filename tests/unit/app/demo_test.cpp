// The application that shows what a server does.
#include "app/demo.h"

#include <stdexcept>
#include <string>

#include "app/pages.h"
#include "catch.h"
#include "unit/app/asking.h"
#include "unit/base/unit_fixtures.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// The application as a program has it that was started with these options.
struct Demo {
  explicit Demo(ProgramOptions options = {}) : table(demo_routes("00-test", options, metrics)) {
    metrics.name_routes(table.patterns());
  }
  HttpResponse get(std::string_view target, std::string_view fields = {}) const {
    return ask(table.application(), "GET " + std::string(target), fields);
  }

  Metrics metrics;
  Router table;
};

// REQUIRE, but without an allocation.
void expect(Step step, Step expected) {
  if (step != expected) throw std::logic_error("another step was expected");
}

// The number of that name in a JSON object without nesting.
std::int64_t number(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\":");
  INFO(name << " in " << json);
  REQUIRE(at != std::string::npos);
  return std::stoll(json.substr(at + name.size() + 3));
}

}  // namespace

TEST_CASE("The routes with one answer give it") {
  const Demo demo;
  CHECK(demo.get("/plaintext").body == "hello world\n");
  CHECK(demo.get("/health").body == "ok\n");
  CHECK(demo.get("/json").body == "{\"message\":\"hello world\"}\n");
  CHECK(demo.get("/json").field("Content-Type") == "application/json");
  CHECK(demo.get("/testolope").body == "Hello world\r\n");
  CHECK(demo.get("/doc/index.html").body.size() == 173);
  CHECK(demo.get("/doc/index.html").field("Content-Type") == "text/html; charset=utf-8");
  CHECK(demo.get("/nowhere").status == 404);
  CHECK(demo.get("/plaintext/").status == 404);
}

TEST_CASE("Who asks by close=1 gets the last answer of the connection, and only he") {
  const Demo demo;
  for (const char* path : {"/plaintext", "/", "/whoami", "/slow?ms=0", "/chunks?n=1", "/metrics"}) {
    INFO(path);
    const std::string target(path);
    const char* joint = target.find('?') == std::string::npos ? "?" : "&";
    CHECK_FALSE(demo.get(target).lists("Connection", "close"));
    CHECK(demo.get(target + joint + "close=1").lists("Connection", "close"));
    CHECK_FALSE(demo.get(target + joint + "close=0").lists("Connection", "close"));
  }
  CHECK(demo.get("/testolope-nokeepalive").lists("Connection", "close"));
}

TEST_CASE("The page's files are those that were there at build time") {
  const Demo demo;
  REQUIRE_FALSE(pages().empty());
  for (const Page& page : pages()) {
    const HttpResponse answer = demo.get("/page/" + std::string(page.name));
    CHECK(answer.body == page.content);
    CHECK(answer.field("X-Content-Type-Options") == "nosniff");
  }
  CHECK(demo.get("/").body == demo.get("/page/index.html").body);
  CHECK(demo.get("/").field("Content-Type") == "text/html; charset=utf-8");
  CHECK(demo.get("/page/").status == 404);
  CHECK(demo.get("/page/../pages.h").status == 404);
}

TEST_CASE("A request is told who answered it, and when") {
  const Demo demo;
  for (const char* target : {"/whoami", "/block?ms=0", "/slow?ms=1"}) {
    INFO(target);
    const HttpResponse answer = demo.get(target);
    CHECK(answer.status == 200);
    CHECK(answer.field("Access-Control-Allow-Origin") == "*");
    CHECK(answer.field("Timing-Allow-Origin") == "*");
    CHECK(answer.field("Cache-Control") == "no-store");
    CHECK(answer.body.rfind("{\"stage\":\"00-test\",\"thread\":", 0) == 0);
    CHECK(number(answer.body, "connection") == 7);
    CHECK(number(answer.body, "request") == 1);
    CHECK(number(answer.body, "thread") > 0);
    CHECK(number(answer.body, "loop") == 0);
    CHECK(number(answer.body, "accepted_us") == 0);
    CHECK(number(answer.body, "entered_us") > 0);
    CHECK(number(answer.body, "left_us") >= number(answer.body, "entered_us"));
  }
}

TEST_CASE("A handler that blocks stays, one that waits leaves at once") {
  const Demo demo;
  const auto stay_us = [](const HttpResponse& answer) {
    return number(answer.body, "left_us") - number(answer.body, "entered_us");
  };
  CHECK(stay_us(demo.get("/block?ms=20")) >= 20'000);
  CHECK(stay_us(demo.get("/slow?ms=20")) >= 20'000);
  Driver waiting(demo.table.application());
  CHECK((waiting.feed(request("GET /slow?ms=1")).run_until(Step::wait) == Step::wait));
  waiting.postbox().wait_for(1);
  CHECK((waiting.run() == Step::receive));
}

TEST_CASE("A number that is none is refused") {
  const Demo demo;
  for (const char* target : {"/block?ms=x", "/slow?ms=-1", "/silent?ms=", "/chunks?n=1e3"}) {
    INFO(target);
    CHECK(demo.get(target).status == 400);
  }
}

TEST_CASE("Chunks are as many as were asked for") {
  const Demo demo;
  const HttpResponse answer = demo.get("/chunks?n=3");
  CHECK(answer.framing == Framing::chunked);
  CHECK(answer.body == "0\n1\n2\n");
  CHECK(demo.get("/chunks?n=0").body == "0\n");
}

TEST_CASE("A body comes back, but not as a page") {
  const Demo demo;
  const HttpResponse answer =
      ask(demo.table.application(), "POST /echo", "Content-Type: text/html\r\n", "<script>");
  CHECK(answer.body == "<script>");
  CHECK(answer.field("Content-Type") == "application/octet-stream");
  CHECK(answer.field("X-Content-Type-Options") == "nosniff");
}

TEST_CASE("An upload is counted, and bounded") {
  ProgramOptions options;
  options.limits.max_request_size = 1000;
  const Demo demo(options);
  const auto upload = [&](std::size_t size) {
    return ask(demo.table.application(), "POST /upload", "Content-Type: a/\"b\"\r\n",
               std::string(size, 'x'));
  };
  CHECK(upload(1000).body == "{\"bytes\":1000,\"type\":\"a/\\\"b\\\"\"}\n");
  CHECK(upload(1001).status == 413);
  CHECK(ask(demo.table.application(), "POST /upload", "Content-Length: 0\r\n").body ==
        "{\"bytes\":0,\"type\":\"\"}\n");
}

TEST_CASE("Files and gates are there only if a folder was named") {
  CHECK(Demo().get("/files/a.txt").status == 404);
  CHECK(Demo().get("/gate?name=g").status == 404);
  const TemporaryFolder folder;
  folder.file("a.txt", "content");
  ProgramOptions options;
  options.root = folder.path("");
  options.gates = folder.path("");
  const Demo demo(options);
  CHECK(demo.get("/files/a.txt").body == "content");
  CHECK(demo.get("/files").status == 404);
  CHECK(demo.get("/files/none").status == 404);
  CHECK(demo.get("/gate?name=g").status == 404);
  CHECK(demo.get("/gate").status == 404);
}

TEST_CASE("No silent client is promised that cannot be had") {
  // Nobody listens at the address that the connection says it came in by.
  CHECK(Demo().get("/silent?ms=1").status == 503);
}

TEST_CASE("The counts are there to be read") {
  const HttpResponse answer = Demo().get("/metrics");
  CHECK(answer.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(answer.body.find("# TYPE stagecraft_answers_total counter\n") != std::string::npos);
}

TEST_CASE("The page is not sent again to a browser that has it") {
  const Demo demo;
  const HttpResponse page = demo.get("/");
  CHECK(page.has("ETag"));
  CHECK(page.field("ETag") != demo.get("/page/page.js").field("ETag"));
  const std::string known = "If-None-Match: " + page.field("ETag") + "\r\n";
  const HttpResponse same = demo.get("/", known);
  CHECK(same.status == 304);
  CHECK(same.field("Cache-Control") == "no-cache");
  CHECK(demo.get("/page/page.js", known).status == 200);
}

TEST_CASE("The shortest answer allocates nothing") {
  const Demo demo;
  const Limits limits;
  Workspace::Common common(demo.table.application());
  Workspace workspace(limits, common);
  ConnectionInfo connection;
  Session session(limits, workspace, std::make_shared<FakePostbox>(), connection);
  const std::string bytes = request("GET /plaintext");
  const auto serve = [&] {
    expect(session.next(), Step::receive);
    const std::span<char> room = session.read_buffer();
    std::copy(bytes.begin(), bytes.end(), room.begin());
    session.received(bytes.size());
    expect(session.next(), Step::handle);
    run(session.route().handle, session.request(), session.response());
    session.handled();
    expect(session.next(), Step::send);
    std::size_t size = 0;
    for (const iovec& piece : session.output().memory) size += piece.iov_len;
    session.sent(size);
  };
  serve();
  const std::size_t before = allocations();
  for (int i = 0; i < 1000; ++i) serve();
  CHECK(allocations() == before);
}

TEST_CASE("The fields and files of a form are counted") {
  const Demo demo;
  const Application application = demo.table.application();
  CHECK(ask(application, "POST /upload", "Content-Type: application/x-www-form-urlencoded\r\n",
            "a=1&b=2")
            .body == "{\"bytes\":7,\"fields\":2}\n");
  constexpr std::string_view multipart = "Content-Type: multipart/form-data; boundary=b\r\n";
  CHECK(ask(application, "POST /upload", multipart,
            "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
            "--b\r\nContent-Disposition: form-data; name=f; filename=g\r\n\r\n12345\r\n--b--")
            .body == "{\"bytes\":5,\"fields\":1,\"files\":1}\n");
  const HttpResponse unfinished = ask(application, "POST /upload", multipart, "--b\r\n");
  CHECK(unfinished.status == 400);
  CHECK(ask(application, "POST /upload", "Content-Type: multipart/form-data\r\n", "x").status ==
        400);
}
