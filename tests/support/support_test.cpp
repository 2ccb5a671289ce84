// The reader of answers forgives nothing, and the helpers around it say what they saw.
#include <string>
#include <string_view>

#include "catch.h"
#include "support/client.h"
#include "support/http_response.h"
#include "support/printable.h"

using namespace stagecraft::testing;

namespace {

HttpResponse whole(std::string_view bytes, std::string_view method = "GET") {
  auto response = take_response(bytes, method, Stream::ended);
  REQUIRE(response.has_value());
  CHECK(bytes.empty());
  return *response;
}

bool refused(std::string_view bytes) {
  try {
    take_response(bytes, "GET", Stream::ended);
    return false;
  } catch (const MalformedResponse&) {
    return true;
  }
}

}  // namespace

TEST_CASE("An answer with a length is read to its end and not further") {
  std::string_view bytes =
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Two: a\r\nx-two:\tb \r\n\r\nhelloHTTP/1.1 204";
  const auto response = take_response(bytes, "GET", Stream::open);
  REQUIRE(response.has_value());
  CHECK(response->status == 200);
  CHECK(response->reason == "OK");
  CHECK(response->body == "hello");
  CHECK(response->framing == Framing::content_length);
  CHECK(response->field("X-TWO") == "a, b");
  CHECK(response->lists("x-two", "B"));
  CHECK(bytes == "HTTP/1.1 204");
}

TEST_CASE("A chunked answer is decoded, with its trailers") {
  const HttpResponse response = whole(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;x=y\r\nhello\r\n0A\r\n, world!!!\r\n0\r\nX-Sum: 1\r\n\r\n");
  CHECK(response.body == "hello, world!!!");
  REQUIRE(response.trailers.size() == 1);
  CHECK(response.trailers[0].name == "X-Sum");
}

TEST_CASE("Answers without content end with their head") {
  CHECK(whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD").body.empty());
  CHECK(whole("HTTP/1.1 204 No Content\r\n\r\n").framing == Framing::no_content);
  CHECK(whole("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n").body.empty());
  CHECK(whole("HTTP/1.1 100 Continue\r\n\r\n").interim());
  CHECK(whole("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n").reason.empty());
}

TEST_CASE("Content without a length ends with the connection") {
  std::string_view bytes = "HTTP/1.1 200 OK\r\n\r\nall of it";
  CHECK_FALSE(take_response(bytes, "GET", Stream::open).has_value());
  CHECK(take_response(bytes, "GET", Stream::ended)->body == "all of it");
}

TEST_CASE("An answer that is cut off anywhere is not whole") {
  const std::string_view whole_answer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n";
  for (std::size_t length = 0; length < whole_answer.size(); ++length) {
    std::string_view part = whole_answer.substr(0, length);
    CHECK_FALSE(take_response(part, "GET", Stream::ended).has_value());
    CHECK(part.size() == length);
  }
}

TEST_CASE("Malformed answers are refused") {
  CHECK(refused("HTTP/1.1 200\r\n\r\n"));
  CHECK(refused("HTTP/1.1  200 OK\r\n\r\n"));
  CHECK(refused("HTTP/1.1 20 OK\r\n\r\n"));
  CHECK(refused("HTTP/1.1 099 OK\r\n\r\n"));
  CHECK(refused("HTTP/2.0 200 OK\r\n\r\n"));
  CHECK(refused("http/1.1 200 OK\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 O\x01K\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\n\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nA: b\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\n A: b\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nA : b\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\n: b\r\n\r\n"));
  CHECK(refused(std::string_view("HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n", 30)));
}

TEST_CASE("Doubtful framing of an answer is refused") {
  CHECK(refused("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"));
  CHECK(refused("HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello"));
  CHECK(refused("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n"));
  CHECK(refused(
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"));
  CHECK(refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n"));
}

TEST_CASE("Lists keep their empty members") {
  const HttpResponse response = whole("HTTP/1.1 204 No\r\nAllow: GET,, HEAD ,\r\n\r\n");
  CHECK(response.list("Allow") == std::vector<std::string>{"GET", "", "HEAD", ""});
  CHECK(response.list("Vary").empty());
}

TEST_CASE("Bytes are made readable") {
  CHECK(printable("a\r\n\t\x01\xFF\\") == "a\\r\\n\\t\\x01\\xFF\\\\");
  CHECK(printable(std::string(1000, 'a') + "b") == "aaaaaaaa<1000 times>b");
  CHECK(printable_lines("a\r\nb\r\n") == "    a\\r\\n\n    b\\r\\n");
  CHECK(shell_command("GET /%'\\\x01\r\nA") ==
        "printf '%b' 'GET /%\\0047\\0134\\0001\\r\\n' \\\n    'A' | nc 127.0.0.1 8080");
}

TEST_CASE("Endpoints are taken apart") {
  CHECK(parse_endpoint("127.0.0.1:8080").port == 8080);
  CHECK(parse_endpoint("[::1]:80").host == "::1");
  CHECK(parse_endpoint("[::1]:80").text() == "[::1]:80");
  CHECK_THROWS_AS(parse_endpoint("localhost"), std::invalid_argument);
  CHECK_THROWS_AS(parse_endpoint("localhost:70000"), std::invalid_argument);
}
