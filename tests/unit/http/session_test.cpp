// Requests and their answers: what is kept, what closes, and what an answer says of itself.
#include "http/session.h"

#include <chrono>
#include <string>
#include <string_view>

#include "catch.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_close = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

Conversation converse(std::string_view input, Client client = Client::keeps_open) {
  return stagecraft::testing::converse(plain_site().application(), input, client);
}

// The one answer to INPUT, and what becomes of the connection.
HttpResponse answer_to(std::string_view input, End end, const std::string& method = "GET") {
  const Conversation conversation = converse(input);
  CHECK((conversation.end == end));
  const auto answers = read_answers(conversation.output, {method});
  REQUIRE(answers.size() == 1);
  return answers[0];
}

}  // namespace

TEST_CASE("A request is answered, and the connection kept") {
  const Conversation conversation = converse(get);
  CHECK(conversation.output ==
        "HTTP/1.1 200 OK\r\nServer: stagecraft\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
        "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello");
  CHECK((conversation.end == End::kept));
}

TEST_CASE("The Date is what the workspace was told last") {
  Driver driver(plain_site().application());
  driver.workspace().set_time(784111777);
  driver.feed(get).run();
  CHECK(read_answers(driver.output)[0].field("Date") == "Sun, 06 Nov 1994 08:49:37 GMT");
  driver.output.clear();
  driver.workspace().set_time(784111778);
  driver.feed(get).run();
  CHECK(read_answers(driver.output)[0].field("Date") == "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST_CASE("Connection: close and HTTP/1.0 end the connection, keep-alive keeps it") {
  CHECK(answer_to(get, End::kept).count("Connection") == 0);
  CHECK(answer_to(get_close, End::closed).field("Connection") == "close");
  const std::string old = "GET / HTTP/1.0\r\n";
  CHECK(answer_to(old + "\r\n", End::closed).field("Connection") == "close");
  CHECK(answer_to(old + "Connection: keep-alive\r\n\r\n", End::kept).field("Connection") ==
        "keep-alive");
  CHECK(answer_to(old + "Connection: keep-alive, close\r\n\r\n", End::closed).field("Connection") ==
        "close");
  CHECK(answer_to("GET /close HTTP/1.1\r\nHost: a\r\n\r\n", End::closed).field("Connection") ==
        "close");
  CHECK(answer_to("GET / HTTP/1.2\r\nHost: a\r\n\r\n", End::kept).minor_version == 1);
  CHECK(answer_to(old + "\r\n", End::closed).minor_version == 1);
}

TEST_CASE("A client of HTTP/1.0 that asks to be kept is told for how long") {
  const auto told = [](std::string_view request, std::chrono::milliseconds idle,
                       std::chrono::milliseconds whole) {
    Limits limits;
    limits.idle_timeout = idle;
    limits.request_timeout = whole;
    const std::string output =
        converse(plain_site().application(), request, Client::keeps_open, limits).output;
    return std::string(read_answers(output)[0].field("Keep-Alive"));
  };
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const std::string old = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  CHECK(told(old, seconds{7}, seconds{60}) == "timeout=7");
  CHECK(told(old, milliseconds{2'999}, seconds{60}) == "timeout=2");
  CHECK(told(old, seconds{60}, seconds{5}) == "timeout=5");
  CHECK(told(old, seconds{60}, seconds{0}) == "timeout=60");
  CHECK(told(old, milliseconds{999}, seconds{60}).empty());
  CHECK(told("GET / HTTP/1.0\r\n\r\n", seconds{7}, seconds{60}).empty());
  CHECK(told("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", seconds{7}, seconds{60})
            .empty());
}

TEST_CASE("Nothing is answered behind an answer that closes") {
  const Conversation conversation = converse(std::string(get_close) + std::string(get));
  CHECK(summary(conversation.output) == "200 hello");
  CHECK((conversation.end == End::closed));
  CHECK(conversation.lingers);
}

TEST_CASE("The connection closes at once when no input is unread") {
  const Conversation conversation = converse(get_close);
  CHECK((conversation.end == End::closed));
  CHECK_FALSE(conversation.lingers);
}

TEST_CASE("Pipelined requests are answered in their order") {
  std::string input;
  for (const char* path : {"/", "/a", "/empty", "/", "/close"}) {
    input += "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  const Conversation conversation = converse(input);
  CHECK(summary(conversation.output) == "200 hello | 404 | 204 | 200 hello | 200 bye");
  CHECK((conversation.end == End::closed));
}

TEST_CASE("Pipelined answers are gathered in one send") {
  std::string input;
  for (int i = 0; i < 16; ++i) input += get;
  Driver driver(plain_site().application());
  CHECK(driver.feed(input).run() == Step::receive);
  CHECK(driver.count(Step::receive) == 1);
  CHECK(driver.count(Step::handle) == 16);
  CHECK(driver.count(Step::send) == 1);
  CHECK(read_answers(driver.output).size() == 16);
}

TEST_CASE("Gathered answers are sent when they reach the bound") {
  const std::size_t answer_size = converse(get).output.size();
  std::string input;
  for (int i = 0; i < 16; ++i) input += get;
  Limits limits;
  limits.max_output = 2 * answer_size;
  Driver driver(plain_site().application(), limits);
  CHECK(driver.feed(input).run() == Step::receive);
  CHECK(driver.count(Step::send) == 8);
  CHECK(driver.output.size() == 16 * answer_size);
  limits.max_output = 2 * answer_size + 1;
  Driver other(plain_site().application(), limits);
  other.feed(input).run();
  CHECK(other.count(Step::send) == 6);
}

TEST_CASE("Empty lines between requests are skipped") {
  const Conversation conversation =
      converse("\r\n" + std::string(get) + "\r\n\r\n" + std::string(get) + "\r\n");
  CHECK(summary(conversation.output) == "200 hello | 200 hello");
  CHECK((conversation.end == End::kept));
}

TEST_CASE("HEAD is answered like GET, without the content") {
  const std::string head = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";
  const HttpResponse answer = answer_to(head, End::kept, "HEAD");
  CHECK(answer.field("Content-Length") == "5");
  CHECK(answer.field("Content-Type") == "text/plain; charset=utf-8");
  CHECK(answer.body.empty());
  const Conversation both = converse(head + std::string(get));
  CHECK(summary(both.output, {"HEAD", "GET"}) == "200 | 200 hello");
  CHECK(answer_to("HEAD /none HTTP/1.1\r\nHost: a\r\n\r\n", End::kept, "HEAD").status == 404);
}

TEST_CASE("Answers 204 and 304 have no content and no length, 205 has an empty one") {
  Site site;
  site.add("/204", [](const Request&, Response& r) { r.status(Status::no_content); });
  site.add("/304", [](const Request&, Response& r) {
    r.text("not sent");
    r.status(Status::not_modified);
    r.set_field("ETag", "\"x\"");
  });
  site.add("/205", [](const Request&, Response& r) {
    r.text("not sent");
    r.status(Status::reset_content);
  });
  std::string input;
  for (const char* path : {"/204", "/304", "/205", "/204"}) {
    input += "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  const Conversation conversation =
      stagecraft::testing::converse(site.application(), input, Client::keeps_open);
  const auto answers = read_answers(conversation.output);
  REQUIRE(answers.size() == 4);
  CHECK(answers[0].status == 204);
  CHECK(answers[0].count("Content-Length") == 0);
  CHECK(answers[1].status == 304);
  CHECK(answers[1].count("Content-Length") == 0);
  CHECK(answers[1].field("ETag") == "\"x\"");
  CHECK(answers[2].status == 205);
  CHECK(answers[2].field("Content-Length") == "0");
  CHECK(answers[2].body.empty());
  CHECK(answers[3].status == 204);
}

TEST_CASE("A malformed request behind a good one: the good one is answered, then 400") {
  const Conversation conversation =
      converse(std::string(get) + "GET / HTTP/1.1\r\nHost : a\r\n\r\n" + std::string(get));
  const auto answers = read_answers(conversation.output);
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].status == 200);
  CHECK(answers[1].status == 400);
  CHECK(answers[1].field("Connection") == "close");
  CHECK(conversation.lingers);
  CHECK((conversation.end == End::closed));
}

TEST_CASE("A refused head is answered by a page that says why, and the connection lingers") {
  struct Refused {
    std::string_view input;
    int status;
  };
  for (const Refused& refused :
       {Refused{"GET / HTTP/1.1\r\n\r\n", 400}, Refused{"BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
        Refused{"GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505},
        Refused{"GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 421},
        Refused{"GET foo HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n", 400}}) {
    CAPTURE(refused.input);
    const HttpResponse answer = answer_to(refused.input, End::closed);
    CHECK(answer.status == refused.status);
    CHECK(answer.field("Connection") == "close");
    CHECK(answer.field("Content-Type") == "text/html; charset=utf-8");
    CHECK(answer.body.find(std::to_string(refused.status)) != std::string::npos);
    CHECK(answer.has("Date"));
  }
}

TEST_CASE("Heads that are too large have their own answers") {
  Limits limits;
  limits.max_request_line = 40;
  limits.max_head_size = 200;
  const auto status = [&limits](const std::string& input) {
    const Conversation conversation = stagecraft::testing::converse(
        plain_site().application(), input, Client::keeps_open, limits);
    return read_answers(conversation.output).at(0).status;
  };
  CHECK(status("GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n") == 414);
  CHECK(status(std::string(get.substr(0, get.size() - 2)) + "X: " + std::string(300, 'x')) == 431);
}

TEST_CASE("TRACE and CONNECT are not allowed, and the connection goes on") {
  const Conversation conversation =
      converse("TRACE / HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n" +
               std::string(get));
  const auto answers = read_answers(conversation.output);
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].status == 405);
  CHECK(answers[0].lists("Allow", "GET"));
  CHECK(answers[1].status == 405);
  CHECK(answers[2].status == 200);
}

TEST_CASE("A request shows what was sent") {
  Site site;
  site.add("/a b", [](const Request& request, Response& response) {
    std::string text(name(request.method()));
    text += ' ' + std::string(request.target()) + ' ' + std::string(request.path()) + ' ';
    text += std::string(request.query()) + ' ' + std::string(request.authority()) + " 1.";
    text += std::to_string(request.minor_version()) + " #" + std::to_string(request.number());
    text += " c" + std::to_string(request.connection().id);
    for (std::size_t i = 0; i < request.field_count(); ++i) {
      text += ' ' + std::string(request.field_at(i).name) + '=';
      text += request.field_at(i).value;
    }
    text += ' ' + std::string(request.field("x-TWO").value_or("none"));
    text += ' ' + std::string(request.field("X-Three").value_or("none"));
    response.text(text);
  });
  const std::string input =
      "PUT /a%20b?c=d%20 HTTP/1.1\r\nX-Two: 2\r\nHost: h:1\r\nx-two: 3\r\n\r\n"
      "DELETE http://other:2/a%20b HTTP/1.1\r\nHost: h\r\n\r\n";
  const Conversation conversation =
      stagecraft::testing::converse(site.application(), input, Client::keeps_open);
  CHECK(summary(conversation.output) ==
        "200 PUT /a%20b?c=d%20 /a b c=d%20 h:1 1.1 #1 c7 X-Two=2 Host=h:1 x-two=3 2 none | "
        "200 DELETE http://other:2/a%20b /a b  other:2 1.1 #2 c7 Host=h none none");
}

TEST_CASE("OPTIONS * reaches the application") {
  Site site;
  site.add("*", [](const Request& request, Response& response) { response.text(request.path()); });
  const Conversation conversation = stagecraft::testing::converse(
      site.application(), "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", Client::keeps_open);
  CHECK(summary(conversation.output) == "200 *");
}

TEST_CASE("An idle session holds no buffers and knows that it is idle") {
  Driver driver(plain_site().application());
  CHECK(driver.session().idle());
  CHECK(driver.step() == Step::receive);
  driver.feed("G").run();
  CHECK_FALSE(driver.session().idle());
  driver.feed(get.substr(1)).run();
  CHECK(driver.session().idle());
  CHECK(driver.step() == Step::receive);
}
