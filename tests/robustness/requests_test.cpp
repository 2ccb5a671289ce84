// Requests that are malformed, end in a failure, or try to make an answer say something else.
#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "catch.h"
#include "robustness/support.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

namespace {

// An HTTP date as seconds of the epoch.
std::time_t seconds_of(const std::string& date) {
  std::tm time{};
  REQUIRE(strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &time) != nullptr);
  return timegm(&time);
}

}  // namespace

TEST_CASE("A malformed request behind a good one in the same packet", "[requests]") {
  const TestServer server;
  for (const std::string broken : {"BROKEN\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"}) {
    Client client(server.endpoint());
    client.send(get("/plaintext") + get("/health") + broken + get("/plaintext"));
    CHECK(client.read_response().body == "hello world\n");
    CHECK(client.read_response().body == "ok\n");
    const HttpResponse refusal = client.read_response();
    CHECK(refusal.status == 400);
    CHECK(refusal.lists("Connection", "close"));
    CHECK(client.read_to_end().empty());
  }
  check_serves(server);
}

TEST_CASE("A handler that throws, first and among others", "[requests]") {
  const TestServer server(echo());
  Client client(server.endpoint());
  CHECK(ask(client, "/throw").status == 500);
  CHECK(ask(client, "/").status == 200);
  client.send(get("/") + get("/throw") + get("/throw") + get("/path/last"));
  CHECK(client.read_response().status == 200);
  CHECK(client.read_response().status == 500);
  CHECK(client.read_response().status == 500);
  CHECK(client.read_response().body == "/path/last\n\n");
}

TEST_CASE("HEAD is answered without a body, whatever the route", "[requests]") {
  const TestServer server;
  server.folder().write("files/a.txt", "the text");
  Client client(server.endpoint());
  for (const std::string target : {"/", "/plaintext", "/json", "/whoami", "/files/a.txt",
                                   "/files/none", "/nothing", "/chunks?n=5", "/metrics", "/echo"}) {
    INFO(target);
    client.send(request("HEAD", target) + get("/health"));
    CHECK(client.read_response("HEAD").body.empty());
    // A body would be taken for the head of this.
    CHECK(client.read_response().body == "ok\n");
  }
}

TEST_CASE("Connection: close is obeyed in HTTP/1.1", "[requests]") {
  const TestServer server;
  for (const std::string close : {"close", "Close", "foo, close", "close, keep-alive"}) {
    INFO(close);
    Client client(server.endpoint());
    client.send(get("/plaintext", "Connection: " + close + "\r\n") + get("/plaintext"));
    const HttpResponse answer = client.read_response();
    CHECK(answer.status == 200);
    CHECK(answer.lists("Connection", "close"));
    CHECK(client.read_to_end().empty());
  }
}

TEST_CASE("Trailers do not run into the next request", "[requests]") {
  const TestServer server(echo());
  const std::string bytes =
      request("POST", "/", "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n") +
      "5\r\nhello\r\n0\r\nX-Sum: 1\r\nGET /x HTTP/1.1: 2\r\n\r\n" + get("/path/next");
  // That trailer has no field's name: then it must not be taken for a request either.
  const std::string fine =
      request("POST", "/", "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n") +
      "5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-Other: GET /x HTTP/1.1\r\n\r\n" + get("/path/next");
  {
    Client client(server.endpoint());
    client.send(bytes);
    CHECK(client.read_response("POST").status == 400);
    CHECK(client.read_to_end().empty());
  }
  for (std::size_t cut = 1; cut < fine.size(); ++cut) {
    Client client(server.endpoint());
    client.send_cut(fine, {cut});
    INFO("cut at " << cut);
    REQUIRE(client.read_response("POST").body == "hello");
    REQUIRE(client.read_response().body == "/path/next\n\n");
  }
}

TEST_CASE("No request can put a field into an answer", "[requests]") {
  const std::vector<std::string> attacks{"/%0d%0aX-Injected:%20yes",
                                         "/files/%0d%0aX-Injected:%20yes",
                                         "/?a=%0d%0aX-Injected:%20yes",
                                         "/whoami?x=%0D%0AX-Injected:%20yes",
                                         "/gate?name=%0aX-Injected:+yes",
                                         "/path/%0d%0aX-Injected:%20yes",
                                         "/path/%E5%98%8A%E5%98%8DX-Injected:%20yes"};
  for (const auto& options : {std::vector<std::string>{}, echo()}) {
    const TestServer server(options);
    for (const std::string& attack : attacks) {
      INFO(attack);
      Client client(server.endpoint());
      client.send(get(attack, "Connection: close\r\nX-Other: a\r\n"));
      // Read strictly: a stray line would be malformed.
      CHECK_FALSE(client.read_response().has("X-Injected"));
      CHECK(client.read_to_end().empty());
    }
  }
}

TEST_CASE("What a client sends is harmless in pages and in the log", "[requests]") {
  TestServer server({"--log", "access"});
  const std::vector<std::string> targets{"/%3Cscript%3Ealert(1)%3C/script%3E",
                                         "/<script>alert(1)</script>",
                                         "/a?<script>",
                                         "/a%22b",
                                         "/files/%3Cimg%20src=x%3E",
                                         "/gate?name=%3Cscript%3E",
                                         "/gate?name=<script>alert(1)</script>"};
  for (const std::string& target : targets) {
    Client client(server.endpoint());
    client.send(get(target, "Connection: close\r\n"));
    const std::string page = client.read_response().body;
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("<img") == std::string::npos);
    client.read_to_end();
  }
  const std::string log = server.control().errors();
  CHECK(std::count(log.begin(), log.end(), '\n') == static_cast<int>(targets.size()));
}

TEST_CASE("A path is matched by whole segments", "[requests]") {
  const TestServer server;
  server.folder().write("files/a.txt", "the text");
  Client client(server.endpoint());
  for (const std::string target : {"/plaintexts", "/plaintext/", "/plaintext/a", "/filesa.txt",
                                   "/files", "/plain", "/whoamI", "/files/a.txt/"}) {
    INFO(target);
    CHECK(ask(client, target).status == 404);
  }
}

TEST_CASE("A long path finds no end of a small stack", "[requests]") {
  const TestServer server({"--max-request-line", "60KiB", "--max-head-size", "63KiB"});
  Client client(server.endpoint());
  std::string segments;
  for (int i = 0; i < 20'000; ++i) segments += "/a";
  std::string dots;
  for (int i = 0; i < 20'000; ++i) dots += "/.";
  CHECK(ask(client, segments).status == 404);
  CHECK(ask(client, dots).status == 200);  // all of which leads to /
  CHECK(ask(client, "/files/" + std::string(40'000, 'a')).status == 404);
}

TEST_CASE("A thousand ranges do not multiply a file", "[requests]") {
  const TestServer server;
  server.folder().write("files/a.txt", noise(100'000));
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 1'000; ++i) ranges += ",0-";
  Client client(server.endpoint());
  client.send(get("/files/a.txt", ranges + "\r\n"));
  CHECK(client.read_response().body.size() <= 101'000);
}

TEST_CASE("What is labelled GMT is GMT", "[requests]") {
  // Nine hours before, in the way that needs no table of time zones.
  const TestServer server({}, {"/usr/bin/env", "TZ=JST-9"});
  server.folder().write("files/a.txt", "new");
  Client client(server.endpoint());
  const HttpResponse answer = ask(client, "/files/a.txt");
  const std::time_t now = std::time(nullptr);
  CHECK(std::abs(now - seconds_of(answer.field("Date"))) < 600);
  CHECK(std::abs(now - seconds_of(answer.field("Last-Modified"))) < 600);
}

}  // namespace stagecraft::robustness
