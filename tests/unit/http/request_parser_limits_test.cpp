// The limits of a head: what is exactly as large is taken, one more is refused, and the pieces in
// which the bytes arrive do not matter.
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "catch.h"
#include "http/request_parser.h"
#include "unit/http/guarded_bytes.h"
#include "unit/http/head_reading.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

Limits small_limits() {
  Limits limits;
  limits.max_request_line = 40;
  limits.max_head_size = 120;
  limits.max_fields = 4;
  return limits;
}

// A request line of SIZE bytes, its end not counted.
std::string line_of(std::size_t size) {
  const std::string_view around = "GET / HTTP/1.1";
  return "GET /" + std::string(size - around.size(), 'a') + " HTTP/1.1\r\n";
}

// A head of SIZE bytes.
std::string head_of(std::size_t size) {
  const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  return start + std::string(size - start.size() - 4, 'x') + "\r\n\r\n";
}

std::string fields(std::size_t count) {
  std::string text = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (std::size_t i = 1; i < count; ++i) text += "X:\r\n";
  return text;
}

}  // namespace

TEST_CASE("A request line may be as long as the limit says and not longer") {
  const Limits limits = small_limits();
  CHECK(read_head(line_of(40) + "Host: a\r\n\r\n", limits).head_size == 53);
  CHECK(read_head("\r\n\r\n" + line_of(40) + "Host: a\r\n\r\n", limits).head_size == 57);
  CHECK(read_head(line_of(41) + "Host: a\r\n\r\n", limits).error == Status::uri_too_long);
  CHECK(read_head("\r\n" + line_of(41) + "Host: a\r\n\r\n", limits).error == Status::uri_too_long);
}

TEST_CASE("A request line without an end is refused at the limit, wherever it is") {
  const Limits limits = small_limits();
  for (const std::string_view start : {"", "GET", "GET ", "GET /", "GET / HTTP/1.1"}) {
    CAPTURE(start);
    const std::string endless = std::string(start) + std::string(200, 'A');
    const HeadReading reading = read_head(endless, limits);
    if (start == "GET / HTTP/1.1") {
      CHECK(reading.error == Status::bad_request);  // that is no version, and seen at once
    } else {
      CHECK(reading.error == Status::uri_too_long);
      CHECK(reading.decided_after == 42);  // with room for the CR LF that did not come
    }
  }
}

TEST_CASE("What is wrong behind the limit does not matter") {
  const Limits limits = small_limits();
  CHECK(read_head("GET /" + std::string(37, 'a') + "\x01", limits).error == Status::uri_too_long);
  CHECK(read_head("GET /" + std::string(36, 'a') + "\x01", limits).error == Status::bad_request);
  const std::string full = head_of(124).substr(0, 120);
  CHECK(read_head(full + "\x01", limits).error == Status::request_header_fields_too_large);
  CHECK(read_head(full.substr(0, 119) + "\x01", limits).error == Status::bad_request);
}

TEST_CASE("A head may be as large as the limit says and not larger") {
  const Limits limits = small_limits();
  CHECK(read_head(head_of(120), limits).head_size == 120);
  CHECK(read_head(head_of(120) + "GET / HTTP/1.1\r\n", limits).head_size == 120);
  const HeadReading refused = read_head(head_of(121), limits);
  CHECK(refused.error == Status::request_header_fields_too_large);
  CHECK(refused.decided_after == 120);
}

TEST_CASE("Empty lines before a request count as a part of its head") {
  const Limits limits = small_limits();
  std::string empty_lines;
  for (int i = 0; i < 100; ++i) empty_lines += "\r\n";
  const HeadReading refused = read_head(empty_lines, limits);
  CHECK(refused.error == Status::bad_request);
  CHECK(refused.decided_after == 120);
  CHECK(read_head("\r\n" + head_of(118), limits).head_size == 120);
  CHECK(read_head("\r\n" + head_of(119), limits).error == Status::request_header_fields_too_large);
}

TEST_CASE("There may be as many fields as the limit says and not more") {
  const Limits limits = small_limits();
  CHECK(read_head(fields(4) + "\r\n", limits).error == Status::none);
  const std::string five = fields(5);
  const HeadReading refused = read_head(five + "\r\n", limits);
  CHECK(refused.error == Status::request_header_fields_too_large);
  CHECK(refused.decided_after == five.size());
}

TEST_CASE("More fields than the fixed table has are refused whatever the limit says") {
  Limits limits;
  limits.max_fields = 1000;
  CHECK(read_head(fields(RequestHead::max_fields) + "\r\n", limits).error == Status::none);
  CHECK(read_head(fields(RequestHead::max_fields + 1) + "\r\n", limits).error ==
        Status::request_header_fields_too_large);
}

TEST_CASE("A limit of the head below that of the request line ends the line") {
  Limits limits = small_limits();
  limits.max_head_size = 30;
  CHECK(read_head(line_of(40), limits).error == Status::uri_too_long);
  CHECK(read_head("GET / HTTP/1.1\r\nHost: abc\r\n\r\n", limits).head_size == 29);
  CHECK(read_head("GET / HTTP/1.1\r\nHost: abcd\r\n\r\n", limits).head_size == 30);
  CHECK(read_head("GET / HTTP/1.1\r\nHost: abcde\r\n\r\n", limits).error ==
        Status::request_header_fields_too_large);
}

TEST_CASE("The default limits hold at their bounds") {
  const Limits limits;
  const auto outcome = [&limits](const std::string& bytes) {
    // Not in every way: the pieces are as large as those that a network makes.
    GuardedBytes block(bytes.size());
    RequestParser parser(limits);
    Progress progress = Progress::incomplete;
    for (std::size_t end = 1000; progress == Progress::incomplete; end += 1000) {
      const std::string_view there = block.hold(bytes.substr(0, end));
      progress = parser.parse(there.data(), there.size());
      if (there.size() == bytes.size()) break;
    }
    RequestParser whole(limits);
    const std::string_view there = block.hold(bytes);
    CHECK(whole.parse(there.data(), there.size()) == progress);
    CHECK(whole.error() == parser.error());
    return parser.error();
  };
  CHECK(outcome(line_of(8 * KiB) + "Host: a\r\n\r\n") == Status::none);
  CHECK(outcome(line_of(8 * KiB + 1) + "Host: a\r\n\r\n") == Status::uri_too_long);
  CHECK(outcome(line_of(100'000) + "Host: a\r\n\r\n") == Status::uri_too_long);
  CHECK(outcome(head_of(32 * KiB)) == Status::none);
  CHECK(outcome(head_of(32 * KiB + 1)) == Status::request_header_fields_too_large);
  CHECK(outcome(head_of(1 * MiB)) == Status::request_header_fields_too_large);
  CHECK(outcome(fields(100) + "\r\n") == Status::none);
  CHECK(outcome(fields(101) + "\r\n") == Status::request_header_fields_too_large);
}

TEST_CASE("No option lets a head outgrow its 16-bit offsets") {
  Limits limits;
  limits.max_head_size = 1 * MiB;
  limits.max_request_line = 1 * MiB;
  const auto parse = [&limits](const std::string& bytes) {
    RequestParser parser(limits);
    parser.parse(bytes.data(), bytes.size());
    return parser;
  };
  const RequestParser largest = parse(head_of(65535));
  CHECK(largest.error() == Status::none);
  CHECK(largest.head().size == 65535);
  CHECK(largest.head().fields[1].value.size == 65535 - 28 - 4);
  CHECK(parse(head_of(65536)).error() == Status::request_header_fields_too_large);
  CHECK(parse(line_of(70'000)).error() == Status::uri_too_long);
  CHECK(parse(std::string(70'000, 'A')).error() == Status::uri_too_long);
}

TEST_CASE("Heads damaged at random are read the same way whatever their pieces") {
  const std::string_view good =
      "\r\nPOST /a?b HTTP/1.1\r\nHost: a:80\r\nContent-Length: 3\r\nConnection: close\r\n\r\n";
  const std::string_view alphabet("\r\n: \tGET/1.,a\x01\x80", 15);
  std::mt19937 random(1);  // always the same, so that a failure can be seen again
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  for (int round = 0; round < 1500; ++round) {
    std::string bytes(good);
    for (std::size_t damage = 1 + below(3); damage > 0; --damage) {
      const std::size_t at = below(bytes.size());
      const char byte = alphabet[below(alphabet.size())];
      switch (below(3)) {
        case 0:
          bytes[at] = byte;
          break;
        case 1:
          bytes.insert(at, 1, byte);
          break;
        default:
          bytes.erase(at, 1);
      }
    }
    CAPTURE(bytes);
    read_head(bytes);
  }
}
