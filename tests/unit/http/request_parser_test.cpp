// Heads that are right, each read in every way in which its bytes may arrive.
#include "http/request_parser.h"

#include <string>
#include <string_view>

#include "catch.h"
#include "unit/http/head_reading.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

struct Good {
  std::string_view bytes;
  std::string_view outcome;
};

constexpr std::string_view browser_request =
    "GET /search?q=staging HTTP/1.1\r\nHost: www.example.com:8080\r\nConnection: keep-alive\r\n"
    "sec-ch-ua: \"Chromium\";v=\"120\", \"Not?A_Brand\";v=\"8\"\r\nUpgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)\r\n"
    "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Language: de,en;q=0.7\r\nCookie: a=b; c=d\r\n\r\n";

void check(const Good* first, const Good* last) {
  for (const Good* good = first; good != last; ++good) {
    CAPTURE(good->bytes);
    const HeadReading reading = read_head(good->bytes);
    CHECK(reading.outcome == good->outcome);
    CHECK(reading.head_size == good->bytes.size());
    CHECK(reading.decided_after == good->bytes.size());
    // What follows is the body or the next request: it is not looked at.
    const HeadReading followed = read_head(std::string(good->bytes) + "\n\x01GET");
    CHECK(followed.outcome == good->outcome);
    CHECK(followed.head_size == good->bytes.size());
  }
}

template <std::size_t size>
void check(const Good (&table)[size]) {
  check(table, table + size);
}

}  // namespace

TEST_CASE("Request lines and fields are taken apart") {
  const Good table[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 [Host: a]; no body; persistent"},
      {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0; no body; closes"},
      {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 [Host: a]; no body; persistent"},
      {"GET / HTTP/1.9\r\nhOsT:a:80\r\n\r\n", "GET / HTTP/1.1 [hOsT: a:80]; no body; persistent"},
      {"\r\nGET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0; no body; closes"},
      {"\r\n\r\n\r\nHEAD /a HTTP/1.1\r\nHost: a\r\n\r\n",
       "HEAD /a HTTP/1.1 [Host: a]; no body; persistent"},
      {"GET /!$%&'()*+,-./0:;<=>?@A[\\]^_`a{|}~ HTTP/1.0\r\n\r\n",
       "GET /!$%&'()*+,-./0:;<=>?@A[\\]^_`a{|}~ HTTP/1.0; no body; closes"},
      {"GET / HTTP/1.0\r\nX:\r\nY: \r\nZ:\t \t\r\n\r\n",
       "GET / HTTP/1.0 [X: ] [Y: ] [Z: ]; no body; closes"},
      {"GET / HTTP/1.0\r\nX: \t a\tb  c \t\r\n\r\n",
       "GET / HTTP/1.0 [X: a\tb  c]; no body; closes"},
      {"GET / HTTP/1.0\r\n!#$%&'*+-.^_`|~9aZ: z\r\n\r\n",
       "GET / HTTP/1.0 [!#$%&'*+-.^_`|~9aZ: z]; no body; closes"},
      {"GET / HTTP/1.0\r\nX: caf\xc3\xa9 \xff\r\n\r\n",
       "GET / HTTP/1.0 [X: caf\xc3\xa9 \xff]; no body; closes"},
      {"GET / HTTP/1.0\r\nX: 1\r\nx: 2\r\nX: 1\r\n\r\n",
       "GET / HTTP/1.0 [X: 1] [x: 2] [X: 1]; no body; closes"},
      {"GET / HTTP/1.0\r\nX: a:b: c\r\n\r\n", "GET / HTTP/1.0 [X: a:b: c]; no body; closes"},
  };
  check(table);
}

TEST_CASE("A browser's head is read the same way whatever its pieces") {
  const HeadReading reading = read_head(browser_request);
  CHECK(reading.outcome.find("[sec-ch-ua: \"Chromium\";v=\"120\", \"Not?A_Brand\";v=\"8\"]") !=
        std::string::npos);
  CHECK(reading.head_size == browser_request.size());
}

TEST_CASE("Known methods are recognized, in their case") {
  for (const char* method :
       {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"}) {
    const HeadReading reading = read_head(std::string(method) + " a:1 HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(reading.outcome == std::string(method) + " a:1 HTTP/1.1 [Host: a]; no body; persistent");
  }
}

TEST_CASE("Framing is what Content-Length and Transfer-Encoding say") {
  const Good table[] = {
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n",
       "POST / HTTP/1.1 [Host: a] [Content-Length: 5]; length 5; persistent"},
      {"GET / HTTP/1.1\r\nHost: a\r\ncontent-length:005\r\n\r\n",
       "GET / HTTP/1.1 [Host: a] [content-length: 005]; length 5; persistent"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
       "POST / HTTP/1.1 [Host: a] [Content-Length: 0]; no body; persistent"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \t4294967301\t\r\n\r\n",
       "POST / HTTP/1.1 [Host: a] [Content-Length: 4294967301]; length 4294967301; persistent"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999999999999\r\n\r\n",
       "POST / HTTP/1.1 [Host: a] [Content-Length: 999999999999999999]; "
       "length 999999999999999999; persistent"},
      {"POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n",
       "POST / HTTP/1.0 [Content-Length: 5]; length 5; closes"},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
       "POST / HTTP/1.1 [Host: a] [Transfer-Encoding: chunked]; chunked; persistent"},
      {"POST / HTTP/1.1\r\nTRANSFER-encoding: \t ChuNKed \t\r\nHost: a\r\n\r\n",
       "POST / HTTP/1.1 [TRANSFER-encoding: ChuNKed] [Host: a]; chunked; persistent"},
  };
  check(table);
}

TEST_CASE("Connection is a list, without case, over any number of lines") {
  const Good table[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
       "GET / HTTP/1.1 [Host: a] [Connection: close]; no body; closes"},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, CLOSE ,y\r\n\r\n",
       "GET / HTTP/1.1 [Host: a] [Connection: x, CLOSE ,y]; no body; closes"},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: x\r\nconnection: Close\r\n\r\n",
       "GET / HTTP/1.1 [Host: a] [Connection: x] [connection: Close]; no body; closes"},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: , ,close,\r\n\r\n",
       "GET / HTTP/1.1 [Host: a] [Connection: , ,close,]; no body; closes"},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: closed, close-x, xclose\r\n\r\n",
       "GET / HTTP/1.1 [Host: a] [Connection: closed, close-x, xclose]; no body; persistent"},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\n\r\n",
       "GET / HTTP/1.1 [Host: a] [Connection: keep-alive, Upgrade]; no body; persistent; upgrade"},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close, keep-alive\r\n\r\n",
       "GET / HTTP/1.1 [Host: a] [Connection: close, keep-alive]; no body; closes"},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
       "GET / HTTP/1.0 [Connection: Keep-Alive]; no body; persistent"},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n",
       "GET / HTTP/1.0 [Connection: keep-alive] [Connection: close]; no body; closes"},
  };
  check(table);
}

TEST_CASE("Expect is a list, and HTTP/1.0 has none") {
  const Good table[] = {
      {"PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n",
       "PUT / HTTP/1.1 [Host: a] [Expect: 100-Continue]; no body; persistent; 100-continue"},
      {"PUT / HTTP/1.1\r\nHost: a\r\nExpect: a=b\r\n\r\n",
       "PUT / HTTP/1.1 [Host: a] [Expect: a=b]; no body; persistent; other expectation"},
      {"PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, x\r\n\r\n",
       "PUT / HTTP/1.1 [Host: a] [Expect: 100-continue, x]; no body; persistent; 100-continue; "
       "other expectation"},
      {"PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continued\r\n\r\n",
       "PUT / HTTP/1.1 [Host: a] [Expect: 100-continued]; no body; persistent; "
       "other expectation"},
      {"PUT / HTTP/1.0\r\nExpect: 100-continue, x\r\n\r\n",
       "PUT / HTTP/1.0 [Expect: 100-continue, x]; no body; closes"},
  };
  check(table);
}

TEST_CASE("A host is a name or an address, and maybe a port") {
  for (const char* host : {"a", "a:80", "localhost:", "[::1]", "[::1]:80", "192.0.2.1", "a.b-c_d~",
                           "xn--bcher-kva.example:65535", "%41", "A!$&'()*+;="}) {
    CAPTURE(host);
    const HeadReading reading =
        read_head("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    CHECK(reading.outcome ==
          "GET / HTTP/1.1 [Host: " + std::string(host) + "]; no body; persistent");
  }
}
