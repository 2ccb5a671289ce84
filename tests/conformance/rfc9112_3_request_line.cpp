// RFC 9112, section 3: the request line, its target in four forms, and Host.
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "conformance/probe.h"

namespace stagecraft::conformance {

TEST_CASE("A method longer than any that is known is not implemented", "[rfc9112-3][9112-3-1]") {
  check(request(repeated('A', 40), "/"), "501 any");
  check(request(repeated('A', 5000), "/"), "501 any");
}

TEST_CASE("A target that is too long is answered 414", "[rfc9112-3][9112-3-2]") {
  const auto long_target = [](std::size_t length) {
    return Probe{.request = get("/" + repeated('a', length)),
                 .outcome = "414 close",
                 .hint = "the answer must come although most of the target was never read",
                 .reset_forgiven = true};
  };
  check(long_target(64U << 10U));
  check(long_target(1U << 20U));
}

TEST_CASE("A request line of 8000 bytes is no trouble", "[rfc9112-3][9112-3-3]") {
  const std::string query(7900, 'q');
  const Answers answers = require(get("/path?" + query), "200 keep");
  check_body(answers, "/path\n" + query + "\n");
}

namespace {

// What a malformed request line must be answered. Section 3 allows any white space between its
// three parts, and around them; and a line of two parts was a request once, in HTTP/0.9, whose
// answers had no head.
std::string outcome_of(const std::string& line) {
  std::istringstream words(line);
  const std::vector<std::string> parts{std::istream_iterator<std::string>(words), {}};
  if (parts == std::vector<std::string>{"GET", "/", "HTTP/1.1"}) return "400 close / 200 any";
  if (parts == std::vector<std::string>{"GET", "/"}) return "400 close / a malformed answer";
  return "400 close";
}

}  // namespace

TEST_CASE("A malformed request line is answered 400 and never repaired",
          "[rfc9112-3][9112-3.2-1][9112-3.2-2]") {
  for (const std::string line : {"GET",
                                 "GET ",
                                 "GET /",
                                 "GET / ",
                                 "GET  / HTTP/1.1",
                                 "GET /  HTTP/1.1",
                                 "GET\t/ HTTP/1.1",
                                 "GET /\tHTTP/1.1",
                                 "GET / HTTP/1.1 ",
                                 "GET / HTTP/1.1\t",
                                 " GET / HTTP/1.1",
                                 " / HTTP/1.1",
                                 "GET HTTP/1.1",
                                 "GET /a b HTTP/1.1",
                                 "GET / / HTTP/1.1",
                                 "GET / HTTP/1.1 HTTP/1.1",
                                 "/ HTTP/1.1",
                                 "G[T / HTTP/1.1",
                                 "G\"T / HTTP/1.1",
                                 "GET,POST / HTTP/1.1",
                                 "GET: / HTTP/1.1",
                                 "G\x80T / HTTP/1.1",
                                 "GET\x0B/ HTTP/1.1",
                                 "GET /\x0C HTTP/1.1"}) {
    check(line + "\r\nHost: a\r\n\r\n", outcome_of(line), "one method, one target, one version");
  }
}

TEST_CASE("A target that is none is refused", "[rfc9112-3][9112-3.2-1]") {
  for (const std::string target :
       {"foo", "?x", "#", "/a#b", "/#", "/caf\xC3\xA9", "/\x7F", "/\x01", "/a\\b", "a/b", "./a",
        "../a", "http:/a", "http:a", "://a/", "mailto:a"}) {
    check(get(target), "400 close", "not one of the four forms of a target, or a raw byte in it");
  }
}

TEST_CASE("An HTTP/1.1 request without Host is refused", "[rfc9112-3][9112-3.2-3]") {
  check("GET / HTTP/1.1\r\n\r\n", "400 close");
  check("GET / HTTP/1.1\r\nX-Host: a\r\nHostname: a\r\n\r\n", "400 close");
  check("GET http://a/ HTTP/1.1\r\n\r\n", "400 close", "due beside an absolute target as well");
  check("OPTIONS * HTTP/1.1\r\n\r\n", "400 close");
  check("GET / HTTP/1.2\r\n\r\n", "400 close", "a higher minor version is 1.1");
}

TEST_CASE("Host more than once is refused in any version", "[rfc9112-3][9112-3.2-4]") {
  check("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400 close");
  check("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400 close");
  check("GET / HTTP/1.1\r\nHost: a\r\nX: y\r\nhOST: b\r\n\r\n", "400 close");
  check("GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400 close");
  check("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", "400 close");
  check("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "400 close");
}

TEST_CASE("A malformed Host is refused", "[rfc9112-3][9112-3.2-5]") {
  for (const std::string host : {"",        "a b",     "a/b",        "a@b",
                                 "u:p@a",   "a,b",     "a, b",       "http://a",
                                 "//a",     "a?b",     "a#b",        "a\\b",
                                 "[::1",    "::1]",    "[]",         "[:::]",
                                 "[g::1]",  "[::1]x",  "[::1]80",    "[127.0.0.1]",
                                 "a:port",  "a:-1",    "a:+80",      "a:0x50",
                                 "a:80:80", "a:65536", "a:99999999", "a:18446744073709551696",
                                 ":80",     "a\tb",    "\"a\"",      "<a>",
                                 "a%",      "a%4",     "a%zz",       "caf\xE9",
                                 "a|b",     "a^b",     "a`b",        "{a}"}) {
    // By the grammar the host may be empty, and a port of any length; nobody can use either.
    const bool usable_by_grammar = host.empty() || host[0] == ':' || host == "a:65536" ||
                                   host == "a:99999999" || host == "a:18446744073709551696";
    check("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
          usable_by_grammar ? "400 close / 200 any" : "400 close",
          "a host and at most a port, of the characters that RFC 3986 (section 3.2) has");
  }
  using std::string_literals::operator""s;
  check("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n"s, "400 close");
}

TEST_CASE("A well-formed Host is taken", "[rfc9112-3][9112-3.2-5]") {
  for (const std::string host :
       {"a", "a:80", "a:", "a:65535", "A.Example", "a-b.c_d~e", "xn--caf-dma.example", "127.0.0.1",
        "127.0.0.1:8080", "[::1]", "[::1]:8080", "[2001:db8::a00:1]", "[::ffff:127.0.0.1]",
        "localhost", "a."}) {
    check("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "200 keep / 4xx any");
  }
}

TEST_CASE("The origin form is a path and a query", "[rfc9112-3][9112-3.2.1-1]") {
  const auto seen = [](std::string_view target) {
    return require(get(target), "200 keep").last().body;
  };
  CHECK(seen("/path") == "/path\n\n");
  CHECK(seen("/path?") == "/path\n\n");
  CHECK(seen("/path/x?y=z") == "/path/x\ny=z\n");
  CHECK(seen("/path/x?y=z?w=/v") == "/path/x\ny=z?w=/v\n");
  CHECK(seen("/path/a%20b?c%20d") == "/path/a b\nc%20d\n");
  CHECK(seen("/path/;p=1,2:@&=+$!~*'()") == "/path/;p=1,2:@&=+$!~*'()\n\n");
}

TEST_CASE("The authority of an absolute target wins over Host", "[rfc9112-3][9112-3.2.2-1]") {
  const auto authority = [](std::string_view target) {
    std::string body = require(request("GET", target), "200 keep").last().body;
    while (!body.empty() && body.back() == '\n') body.pop_back();
    return body;
  };
  // request() sends `Host: a` with each.
  CHECK(authority("http://other.example/authority") == "other.example");
  CHECK(authority("http://other.example:8080/authority") == "other.example:8080");
  CHECK(authority("/authority") == "a");
}

TEST_CASE("An absolute target is answered as the path in it", "[rfc9112-3][9112-3.2.2-2]") {
  const auto seen = [](std::string_view target) {
    return require(get(target), "200 keep").last().body;
  };
  CHECK(seen("http://a/path/x?y") == "/path/x\ny\n");
  CHECK(seen("HTTP://a/path/x?y") == "/path/x\ny\n");
  CHECK(seen("http://a:80/path/x") == "/path/x\n\n");
  CHECK(seen("http://[::1]:80/path/x") == "/path/x\n\n");
  CHECK(seen("http://a") == "OK");
  CHECK(seen("http://a?q") == "OK");
  check(request("POST", "http://a/", "Content-Length: 5\r\n") + "hello", "200 keep");
}

TEST_CASE("An absolute target with a malformed authority is refused", "[rfc9112-3][9112-3.2-1]") {
  for (const std::string authority :
       {"a b", "[::1", "a:port", "a:99999", "a,b", "a\\b", "a%zz", "\xE9", "<a>"}) {
    check(get("http://" + authority + "/"), "400 close");
  }
}

TEST_CASE("The authority form belongs to CONNECT alone", "[rfc9112-3][9112-3.2.3-1]") {
  for (const std::string method : {"GET", "HEAD", "POST", "OPTIONS", "DELETE"}) {
    check(request(method, "example.com:80"), "400 close");
  }
}

TEST_CASE("The asterisk form belongs to OPTIONS alone", "[rfc9112-3][9112-3.2.4-1]") {
  check(request("OPTIONS", "*"), "200 keep or 204 keep");
  for (const std::string method : {"GET", "HEAD", "POST", "PUT", "DELETE"}) {
    check(request(method, "*"), "400 close");
  }
  check(request("OPTIONS", "*a"), "400 close");
  check(request("OPTIONS", "**"), "400 close");
}

}  // namespace stagecraft::conformance
