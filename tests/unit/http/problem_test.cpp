// Errors, told as the client prefers.
#include <string>

#include "catch.h"
#include "support/http_response.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view html = "text/html; charset=utf-8";
constexpr std::string_view json = "application/problem+json";

HttpResponse answer_to(const std::string& bytes, const Handler& handler) {
  const Route route{handler};
  Driver driver([&](const Request&) -> const Route& { return route; });
  driver.feed(bytes).run();
  std::string_view output = driver.output;
  const auto answer = take_response(output, "GET", Stream::ended);
  INFO(driver.output);
  REQUIRE(answer);
  return *answer;
}

void not_found(const Request&, Response& response) {
  error_page(response, Status::not_found, "no \"<such>\" thing");
}

std::string request(const std::string& accept) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + accept + "\r\n";
}

std::string type_for(const std::string& accept) {
  return answer_to(request("Accept: " + accept + "\r\n"), not_found).field("Content-Type");
}

}  // namespace

TEST_CASE("An error is a page unless the client prefers JSON") {
  CHECK(answer_to(request(""), not_found).field("Content-Type") == html);
  for (const char* accept :
       {"*/*", "text/html", "text/html, application/json", "image/png", "text/*, */*;q=0.5",
        "application/json;q=0.5, text/html;q=0.6", "application/json;q=0"}) {
    INFO(accept);
    CHECK(type_for(accept) == html);
  }
  for (const char* accept :
       {"application/json", "application/problem+json", "application/*", "APPLICATION/JSON",
        "application/json, */*;q=0.5", "text/html;q=0.5, application/json"}) {
    INFO(accept);
    CHECK(type_for(accept) == json);
  }
}

TEST_CASE("An error as JSON has its title, status and detail") {
  const HttpResponse answer = answer_to(request("Accept: application/json\r\n"), not_found);
  CHECK(answer.status == 404);
  CHECK(answer.field("Vary") == "Accept");
  CHECK(answer.body == R"({"title":"Not Found","status":404,"detail":"no \"<such>\" thing"})"
                       "\n");
}

TEST_CASE("Fields of an error are the same in either wording") {
  const Handler handler = [](const Request&, Response& response) {
    error_page(response, Status::service_unavailable, std::string(600, 'x'));
    response.set_field("Retry-After", "1");
    response.add_field("Vary", "Accept-Encoding");
  };
  for (const char* accept : {"Accept: application/json\r\n", ""}) {
    const HttpResponse answer = answer_to(request(accept), handler);
    CHECK(answer.field("Retry-After") == "1");
    CHECK(answer.field("Vary") == "Accept-Encoding, Accept");
    CHECK(answer.body.find(std::string(600, 'x')) != std::string::npos);
  }
}

TEST_CASE("An answer that takes an error's place is left as it is") {
  const Handler handler = [](const Request& request, Response& response) {
    not_found(request, response);
    response.text("nothing here");
  };
  const HttpResponse answer = answer_to(request("Accept: application/json\r\n"), handler);
  CHECK(answer.status == 404);
  CHECK(answer.body == "nothing here");
  CHECK_FALSE(answer.has("Vary"));
}

TEST_CASE("A deferred error is told as the client prefers, too") {
  const Handler handler = [](const Request&, Response& response) {
    Response error;
    error_page(error, Status::gone, "too late");
    response.defer().send(std::move(error));
  };
  const HttpResponse answer = answer_to(request("Accept: application/json\r\n"), handler);
  CHECK(answer.status == 410);
  CHECK(answer.field("Content-Type") == json);
}

TEST_CASE("An error of the server itself is JSON where the fields are known") {
  const auto type = [](const std::string& bytes) {
    const HttpResponse answer = answer_to(bytes, not_found);
    CHECK(answer.status >= 400);
    return answer.field("Content-Type");
  };
  const std::string accept = "Accept: application/json\r\n";
  const std::string host = "Host: a\r\n";
  // The target, the method and the body are judged when the head is whole.
  CHECK(type("GET /%00 HTTP/1.1\r\n" + host + accept + "\r\n") == json);
  CHECK(type("TRACE / HTTP/1.1\r\n" + host + accept + "\r\n") == json);
  CHECK(type("POST / HTTP/1.1\r\n" + host + accept + "Transfer-Encoding: chunked\r\n\r\nx\r\n") ==
        json);
  CHECK(type("POST / HTTP/1.1\r\n" + host + accept + "Content-Length: 99999999\r\n\r\n") == json);
  // A head that cannot be read has no fields that one could trust.
  CHECK(type("GET / HTTP/1.1\r\n" + accept + host + "bad field\r\n\r\n") == html);
  CHECK(type("GET / HTTP/9.9\r\n" + accept + host + "\r\n") == html);
}
