// Heads that are wrong, each with the status that answers it, and with the byte that is wrong: it
// is refused when that byte arrives, however it arrives, and whatever follows.
#include <string>
#include <string_view>

#include "catch.h"
#include "http/request_parser.h"
#include "unit/http/head_reading.h"

using namespace stagecraft;
using namespace stagecraft::testing;
using namespace std::string_view_literals;

namespace {

// Where a table leaves it out, the beginning is this.
constexpr std::string_view good_start = "GET / HTTP/1.1\r\nHost: a\r\n";

// BYTES end in the first byte from which on the head can only be wrong.
void check_refused(std::string_view bytes, Status status) {
  CAPTURE(bytes);
  const HeadReading bare = read_head(bytes);
  CHECK(bare.error == status);
  CHECK(bare.decided_after == bytes.size());
  const HeadReading followed = read_head(std::string(bytes) + "\r\nHost: a\r\n\r\nGET / HTTP/1.1");
  CHECK(followed.outcome == bare.outcome);
  CHECK(followed.decided_after == bytes.size());
}

void check_refused_line(std::string_view line, Status status = Status::bad_request) {
  check_refused(std::string(good_start) + std::string(line), status);
}

}  // namespace

TEST_CASE("A request line is refused at its first wrong byte") {
  for (const std::string_view bytes : {" "sv,          "\n"sv,
                                       "\rG"sv,        "\r\n\n"sv,
                                       "\r\n\r\r"sv,   "\x16"sv,
                                       "\0"sv,         "\x80"sv,
                                       "G("sv,         "GET\t"sv,
                                       "GET\r"sv,      "GET\n"sv,
                                       "GET:"sv,       "GET  "sv,
                                       "GET \r"sv,     "GET \t"sv,
                                       "GET #"sv,      "GET /a#"sv,
                                       "GET /a\x80"sv, "GET /caf\xc3"sv,
                                       "GET /a\x7f"sv, "GET /a\0"sv,
                                       "GET /a\t"sv,   "GET /\r"sv,
                                       "GET /\n"sv,    "GET HTTP/1.1\r"sv,
                                       "HTTP/"sv}) {
    check_refused(bytes, Status::bad_request);
  }
}

TEST_CASE("A version is refused at its first wrong byte") {
  for (const std::string_view bytes :
       {"GET / \r"sv, "GET / \n"sv, "GET /  "sv, "GET /a b"sv, "GET / h"sv, "GET / HTTPS"sv,
        "GET / HTTP/ "sv, "GET / HTTP/x"sv, "GET / HTTP/1\r"sv, "GET / HTTP/1,"sv,
        "GET / HTTP/1.\r"sv, "GET / HTTP/1.x"sv, "GET / HTTP/1.1 "sv, "GET / HTTP/1.10"sv,
        "GET / HTTP/1.1\n"sv, "GET / HTTP/1.1\r\r"sv, "GET / HTTP/1.1\rH"sv}) {
    check_refused(bytes, Status::bad_request);
  }
}

TEST_CASE("Versions and methods that are well-formed and unknown have their own answers") {
  check_refused("GET / HTTP/0.9\r\n", Status::http_version_not_supported);
  check_refused("GET / HTTP/2.0\r\n", Status::http_version_not_supported);
  check_refused("GET / HTTP/9.9\r\n", Status::http_version_not_supported);
  check_refused("PRI * HTTP/2.0\r\n", Status::http_version_not_supported);
  for (const std::string method :
       {"FOO", "get", "Get", "GETS", "GE", "HEAP", "PROST", "DELETED", "OPTION", "OPTIONZ", "TRACK",
        "CONNECTS", "UPDATE", "M-SEARCH"}) {
    check_refused(method + " / HTTP/1.1\r\n", Status::not_implemented);
  }
  check_refused(std::string(5000, 'A') + " / HTTP/1.1\r\n", Status::not_implemented);
}

TEST_CASE("A field line is refused at its first wrong byte") {
  for (const std::string_view line : {" "sv,
                                      "\t"sv,
                                      "\n"sv,
                                      "\rX"sv,
                                      "\r\r"sv,
                                      ":"sv,
                                      "X "sv,
                                      "X\t"sv,
                                      "Xyz\r"sv,
                                      "Xyz\n"sv,
                                      "X["sv,
                                      "X@"sv,
                                      "X\xc3"sv,
                                      "X\0"sv,
                                      "X\x7f"sv,
                                      "X\""sv,
                                      "A-Name-That-Is-Long/"sv,
                                      "Transfer-Encoding "sv,
                                      "Content-Length\t"sv,
                                      "X: a\n"sv,
                                      "X:\n"sv,
                                      "X: a\rb"sv,
                                      "X: a\r\r"sv,
                                      "Foo: bar\rT"sv,
                                      "X: a\0"sv,
                                      "X: a\x01"sv,
                                      "X: a\x0b"sv,
                                      "X: a\x1f"sv,
                                      "X: a\x7f"sv,
                                      "X: a value that is long enough for the vector loop\x08"sv,
                                      "X: a\r\n "sv,
                                      "X: a\r\n\t"sv,
                                      "X: a\r\n\rb"sv}) {
    check_refused_line(line);
  }
  check_refused("GET / HTTP/1.1\r\n ", Status::bad_request);
}

TEST_CASE("A field that decides is refused when its line is whole") {
  for (const std::string_view line :
       {"Content-Length:\r\n"sv,
        "Content-Length: \r\n"sv,
        "Content-Length: +5\r\n"sv,
        "Content-Length: -5\r\n"sv,
        "Content-Length: 0x5\r\n"sv,
        "Content-Length: 5 5\r\n"sv,
        "Content-Length: 5,5\r\n"sv,
        "Content-Length: 5,6\r\n"sv,
        "Content-Length: 5abc\r\n"sv,
        "Content-Length: 5.0\r\n"sv,
        "Content-Length: 1e1\r\n"sv,
        "Content-Length: 5;\r\n"sv,
        "Content-Length: 5_5\r\n"sv,
        "Content-Length: \xb2\r\n"sv,
        "Content-Length: 18446744073709551621\r\n"sv,
        "Content-Length: 10000000000000000005\r\n"sv,
        "Content-Length: 5\r\nContent-Length: 5\r\n"sv,
        "Content-Length: 5\r\nContent-Length: 0\r\n"sv,
        "Content-Length: 0\r\ncontent-length: 0\r\n"sv,
        "Transfer-Encoding:\r\n"sv,
        "Transfer-Encoding: foo\r\n"sv,
        "Transfer-Encoding: identity\r\n"sv,
        "Transfer-Encoding: xchunked\r\n"sv,
        "Transfer-Encoding: chunkedx\r\n"sv,
        "Transfer-Encoding: \"chunked\"\r\n"sv,
        "Transfer-Encoding: chunked;q=1\r\n"sv,
        "Transfer-Encoding: chunked, gzip\r\n"sv,
        "Transfer-Encoding: chunked, chunked\r\n"sv,
        "Transfer-Encoding: chunked, foo, chunked\r\n"sv,
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"sv,
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"sv,
        "Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n"sv}) {
    check_refused_line(line);
  }
  check_refused_line("Transfer-Encoding: \x0b", Status::bad_request);
  check_refused_line("Content-Length: 5\x0b", Status::bad_request);
}

TEST_CASE("What can only be seen in all fields together is refused at the end of the head") {
  check_refused_line("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n");
  check_refused_line("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n");
  check_refused_line("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n");
  check_refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Status::bad_request);
  check_refused("POST / HTTP/1.0\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", Status::bad_request);
  check_refused_line("Transfer-Encoding: gzip, chunked\r\n\r\n", Status::not_implemented);
  check_refused_line("Transfer-Encoding: a,b,CHUNKED\r\n\r\n", Status::not_implemented);
  check_refused("GET / HTTP/1.1\r\n\r\n", Status::bad_request);
  check_refused("GET / HTTP/1.2\r\nX: y\r\n\r\n", Status::bad_request);
  check_refused("GET http://a/ HTTP/1.1\r\n\r\n", Status::bad_request);
}

TEST_CASE("A host that is none is refused in any version") {
  for (const std::string_view host :
       {""sv,           " "sv,       "a b"sv,      "a/b"sv,     "u@a"sv,         "u:p@a"sv,
        "a,b"sv,        "a, b"sv,    "http://a"sv, "a:port"sv,  "a:-1"sv,        "a:65536"sv,
        "a:99999999"sv, "a:80:80"sv, ":80"sv,      ":"sv,       "[::1"sv,        "::1"sv,
        "[]"sv,         "[a]"sv,     "[::1]x"sv,   "[::1]80"sv, "[::g]"sv,       "[::1]:x"sv,
        "[1.2.3.4]"sv,  "a#b"sv,     "a?b"sv,      "a\\b"sv,    "a\"b"sv,        "<a>"sv,
        "a|b"sv,        "a^b"sv,     "a`b"sv,      "{a}"sv,     "caf\xc3\xa9"sv, "a\tb"sv}) {
    check_refused("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n", Status::bad_request);
    check_refused("GET / HTTP/1.0\r\nHost: " + std::string(host) + "\r\n", Status::bad_request);
  }
  check_refused("GET / HTTP/1.1\r\nHost: a\0"sv, Status::bad_request);
  check_refused_line("Host: a\r\n");
  check_refused_line("host: b\r\n");
  check_refused("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n", Status::bad_request);
}

TEST_CASE("A good Host does not excuse the next one") {
  const Limits limits;
  RequestParser parser(limits);
  const auto parse = [&](std::string_view host) {
    parser.reset();
    const std::string head = "GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n";
    return parser.parse(head.data(), head.size());
  };
  CHECK(parse("example.org:8080") == Progress::complete);
  CHECK(parse("example.org:8080") == Progress::complete);
  CHECK(parse("example.org:808O") == Progress::failed);  // as long, but no number
  CHECK(parse("example.org:80 0") == Progress::failed);
  CHECK(parse("") == Progress::failed);
  CHECK(parse("[::1]") == Progress::complete);
  CHECK(parse("[::1") == Progress::failed);
}
