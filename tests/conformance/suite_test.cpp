// The suite's own judges, without a server: what they must not let pass.
#include <string>
#include <vector>

#include "catch.h"
#include "conformance/lint.h"
#include "conformance/outcome.h"
#include "conformance/probe.h"
#include "conformance/requirements.h"
#include "conformance/trap_table.h"
#include "conformance/verdicts.h"
#include "support/http_response.h"

namespace stagecraft::conformance {
namespace {

// The ids of the rules that an answer breaks.
std::string broken(std::string_view head, std::string_view method = "GET",
                   std::string_view body = "") {
  const std::string bytes = "HTTP/1.1 " + std::string(head) + "\r\n" + std::string(body);
  std::string_view rest = bytes;
  const auto answer = testing::take_response(rest, method, testing::Stream::ended);
  REQUIRE(answer.has_value());
  std::string ids;
  for (const Violation& violation : lint(*answer, method)) ids += violation.requirement + " ";
  return ids;
}

constexpr std::string_view date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

std::string with_date(std::string_view status, std::string_view fields) {
  return std::string(status) + "\r\n" + std::string(date) + std::string(fields);
}

}  // namespace

TEST_CASE("The linter lets a good answer pass", "[suite]") {
  CHECK(
      broken(with_date("200 OK", "Content-Length: 2\r\nContent-Type: text/plain\r\n"), "GET", "OK")
          .empty());
  CHECK(broken(with_date("204 No Content", "")).empty());
  CHECK(broken(with_date("405 No", "Allow: \r\nContent-Length: 0\r\n"), "HEAD").empty());
  CHECK(broken("100 Continue\r\n").empty());
}

TEST_CASE("The linter finds what senders must not do", "[suite]") {
  const auto empty = [](std::string_view status, std::string_view fields) {
    return broken(with_date(status, std::string(fields) + "Content-Length: 0\r\n"));
  };
  CHECK(broken("200 OK\r\nContent-Length: 0\r\n") == "9110-6.6.1-1 ");
  CHECK(empty("200 OK", date) == "9110-5.3-1 9110-5.6.7-2 ");
  CHECK(empty("200 OK", "Allow: GET,, HEAD\r\n") == "9110-5.6.1-1 ");
  CHECK(empty("200 OK", "Allow: GET HEAD\r\n") == "9110-2.2-1 ");
  CHECK(empty("200 OK", "Keep-Alive: timeout=5\r\n") == "9110-7.6.1-1 ");
  CHECK(empty("200 OK", "Server: a/1 (Debian)\r\n") == "9110-10.2.4-1 ");
  CHECK(empty("200 OK", "Expires: tomorrow\r\n") == "9110-5.6.7-2 ");
  CHECK(empty("200 OK", "Content-Type: text/plain; charset = x\r\n") == "9110-5.6.3-2 ");
  CHECK(empty("404 No", "") == "9110-15.5-1 ");
  CHECK(empty("405 No", "") == "9110-10.2.1-1 9110-15.5-1 ");
  CHECK(empty("301 Moved", "") == "9110-15.4-1 ");
  CHECK(broken(with_date("200 OK", "Content-Length: 1\r\n"), "GET", "x") == "9110-8.3-1 ");
  CHECK(broken(with_date("204 No", "Content-Length: 0\r\n")) == "9110-8.6-3 ");
  CHECK(broken(with_date("304 No", "Content-Type: a/b\r\n")) == "9110-15.4.5-2 ");
  CHECK(broken(with_date("200 OK", "Transfer-Encoding: chunked\r\nTrailer: Host\r\n"), "GET",
               "0\r\nHost: a\r\n\r\n") == "9110-6.5.1-1 ");
}

TEST_CASE("Only one form of a date is good", "[suite]") {
  CHECK(is_imf_fixdate("Sun, 06 Nov 1994 08:49:37 GMT"));
  CHECK_FALSE(is_imf_fixdate("Mon, 06 Nov 1994 08:49:37 GMT"));
  CHECK_FALSE(is_imf_fixdate("Sun, 6 Nov 1994 08:49:37 GMT"));
  CHECK_FALSE(is_imf_fixdate("Sun, 06 nov 1994 08:49:37 GMT"));
  CHECK_FALSE(is_imf_fixdate("Sun, 06 Nov 1994 08:49:37 UTC"));
  CHECK_FALSE(is_imf_fixdate("Sun, 06 Nov 1994  08:49:37 GMT"));
  CHECK_FALSE(is_imf_fixdate("Sunday, 06-Nov-94 08:49:37 GMT"));
  CHECK_FALSE(is_imf_fixdate("Sun Nov  6 08:49:37 1994"));
  CHECK_FALSE(is_imf_fixdate(""));
}

TEST_CASE("Outcomes are compared as a whole", "[suite]") {
  CHECK(outcome_allowed("200 keep", "200 keep", Judge::profile));
  CHECK(outcome_allowed("200 close", "200 any", Judge::profile));
  CHECK(outcome_allowed("100, 200 keep", "200 keep or 100, 200 keep", Judge::profile));
  CHECK_FALSE(outcome_allowed("200 close", "200 keep", Judge::profile));
  CHECK_FALSE(outcome_allowed("200, 200 keep", "200 keep", Judge::profile));
  CHECK_FALSE(outcome_allowed("200 keep", "200, 200 keep", Judge::profile));
  CHECK_FALSE(outcome_allowed("400 reset", "400 any", Judge::profile));
  CHECK_FALSE(outcome_allowed("no close", "400 any", Judge::profile));
  CHECK_FALSE(outcome_allowed("40 keep", "400 any", Judge::profile));
}

TEST_CASE("Judged by the RFC, more is allowed than by the profile", "[suite]") {
  const auto allowed = [](std::string_view got, std::string_view expected,
                          const std::vector<std::string>& ids = {}) {
    return outcome_allowed(got, expected, Judge::rfc, ids);
  };
  CHECK(allowed("200 keep", "400 close / 200 keep"));
  CHECK_FALSE(outcome_allowed("200 keep", "400 close / 200 keep", Judge::profile));
  CHECK(allowed("303 close", "400 close / 3xx any"));
  for (const std::string got : {"400 keep", "501 close", "no answer, close", "no answer, reset"}) {
    CHECK(allowed(got, "400 close / refused"));
  }
  CHECK_FALSE(allowed("200 close", "400 close / refused"));
  CHECK_FALSE(allowed("no close", "400 close / refused"));
  // A close that is announced is no fault, unless the case is about that.
  CHECK(allowed("200 close", "200 keep"));
  CHECK_FALSE(allowed("200 close", "200 keep", {"9112-9.3-1"}));
  CHECK(allowed("404 keep", "404 close"));
  CHECK_FALSE(allowed("400 keep", "400 close", {"9112-6.3-4"}));
  CHECK_FALSE(allowed("200 keep", "200 close"));
}

TEST_CASE("A row of the traps is made into bytes", "[suite]") {
  Trap trap;
  read_request("{GET}X: \\x41\\\\\\t{3*\\n}{|}{POST}{answer}y{FIN}", trap);
  CHECK(trap.probe.request ==
        "GET / HTTP/1.1\r\nHost: a\r\nX: A\\\t\n\n\nPOST / HTTP/1.1\r\nHost: a\r\ny");
  CHECK(trap.probe.cuts == std::vector<std::size_t>{34});
  CHECK(trap.probe.answer_awaited_at == trap.probe.request.size() - 1);
  CHECK(trap.probe.then == Then::half_close);
  Trap broken_trap;
  CHECK_THROWS(read_request("{GOT}", broken_trap));
  CHECK_THROWS(read_request("\\q", broken_trap));
  CHECK_THROWS(read_request("{GET", broken_trap));
}

TEST_CASE("Requirements are found by the tags of a case", "[suite]") {
  CHECK(requirements_in_tags("[rfc9112-3][9112-3.2-3][9110-15.5-1]") ==
        std::vector<std::string>{"9112-3.2-3", "9110-15.5-1"});
  CHECK(requirement_text("9112-3.2-3").find("MUST") != std::string::npos);
  CHECK(requirement_text("9112-0-0").find("not in requirements.tsv") != std::string::npos);
}

}  // namespace stagecraft::conformance
