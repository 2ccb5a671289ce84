// The same bytes, cut in two at every position, are the same requests. Each second piece is sent
// when the server has received the first.
#include <string>

#include "catch.h"
#include "conformance/probe.h"

namespace stagecraft::conformance {
namespace {

// Every position, for the bytes of `request` alone: the sentinel comes with the second piece.
void cut_everywhere(const std::string& request, const std::string& outcome) {
  const Answers whole = require(request, outcome);
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    const Answers answers =
        check(Probe{.request = request,
                    .outcome = outcome,
                    .hint = "the bytes were cut after the first " + std::to_string(cut),
                    .cuts = {cut}});
    REQUIRE(answers.list.size() == whole.list.size());
    for (std::size_t i = 0; i < answers.list.size(); ++i) {
      CHECK(answers.list[i].body == whole.list[i].body);
    }
  }
}

}  // namespace

TEST_CASE("A request without a body may be cut anywhere", "[segmentation][9112-2.2-1]") {
  cut_everywhere(
      "\r\nGET http://b:80/fields?q HTTP/1.1\r\nHost: a\r\nX:  y \r\nConnection: x\r\n\r\n",
      "200 keep");
}

TEST_CASE("A request with a length may be cut anywhere", "[segmentation][9112-2.2-1]") {
  cut_everywhere(post("hello\r\n\r\nworld"), "200 keep");
}

TEST_CASE("A chunked request may be cut anywhere", "[segmentation][9112-7.1-1]") {
  cut_everywhere(
      post_chunked("5;a=\"\\\"\"\r\nhello\r\n0b\r\n, 0\r\n\r\nworl\r\n00;e\r\nT: u\r\n\r\n", "/"),
      "200 keep");
  cut_everywhere(post_chunked("1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n", "/fields"), "200 keep");
}

TEST_CASE("A pipeline may be cut anywhere", "[segmentation][9112-9.3.2-1]") {
  cut_everywhere(
      get("/path/1") + post("hello") + post_chunked("1\r\nx\r\n0\r\n\r\n") + get("/path/2"),
      "200, 200, 200, 200 keep");
}

TEST_CASE("A malformed request behind a good one may be cut anywhere",
          "[segmentation][9112-2.2-6]") {
  cut_everywhere(get("/path/1") + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5,5\r\n\r\n",
                 "200, 400 close");
}

}  // namespace stagecraft::conformance
