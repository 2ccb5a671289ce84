#include "unit/http/head_reading.h"

#include <vector>

#include "catch.h"
#include "http/request_parser.h"
#include "unit/http/guarded_bytes.h"

namespace stagecraft::testing {
namespace {

// Sets every flag and part that a head can set.
constexpr std::string_view rich_request =
    "OPTIONS http://elsewhere/a?b HTTP/1.1\r\nHost: elsewhere\r\nConnection: close, upgrade\r\n"
    "Connection: keep-alive\r\nExpect: 100-continue, more\r\nContent-Length: 77\r\n\r\n";

std::string describe_framing(const RequestHead& head) {
  switch (head.framing) {
    case Framing::none:
      return head.content_length == 0 ? "no body" : "no body but a length";
    case Framing::length:
      return "length " + std::to_string(head.content_length);
    case Framing::chunked:
      return "chunked";
  }
  return "?";
}

std::string describe_head(const RequestHead& head, const char* bytes) {
  std::string text(name(head.method));
  text += ' ';
  text += head.target.of(bytes);
  text += " HTTP/1." + std::to_string(head.minor_version);
  for (std::size_t i = 0; i < head.field_count; ++i) {
    text += " [";
    text += head.fields[i].name.of(bytes);
    text += ": ";
    text += head.fields[i].value.of(bytes);
    text += ']';
  }
  text += "; " + describe_framing(head);
  text += head.persistent() ? "; persistent" : "; closes";
  if (head.upgrade) text += "; upgrade";
  if (head.expect_continue) text += "; 100-continue";
  if (head.expect_other) text += "; other expectation";
  return text;
}

HeadReading reading_of(const RequestParser& parser, Progress progress, std::string_view bytes) {
  HeadReading reading;
  switch (progress) {
    case Progress::incomplete:
      reading.outcome = "incomplete";
      break;
    case Progress::failed:
      reading.error = parser.error();
      reading.outcome = std::to_string(code(parser.error())) + ' ' + std::string(parser.reason());
      break;
    case Progress::complete:
      reading.outcome = describe_head(parser.head(), bytes.data());
      reading.head_size = parser.head().size;
      break;
  }
  return reading;
}

// Shows the parser first BYTES[0, end) for each END in turn, until it has decided.
HeadReading feed(RequestParser& parser, GuardedBytes& block, std::string_view bytes,
                 const std::vector<std::size_t>& ends) {
  HeadReading reading;
  for (const std::size_t end : ends) {
    const std::string_view there = block.hold(bytes.substr(0, end));
    const Progress progress = parser.parse(there.data(), there.size());
    reading = reading_of(parser, progress, there);
    reading.decided_after = end;
    if (progress == Progress::incomplete) continue;
    // A failure is for good, whatever comes.
    if (progress == Progress::failed) {
      CHECK(parser.parse(there.data(), there.size()) == Progress::failed);
    }
    break;
  }
  return reading;
}

HeadReading feed_fresh(const Limits& limits, GuardedBytes& block, std::string_view bytes,
                       const std::vector<std::size_t>& ends) {
  RequestParser parser(limits);
  parser.reset();
  return feed(parser, block, bytes, ends);
}

}  // namespace

HeadReading read_head(std::string_view bytes, const Limits& limits) {
  GuardedBytes block(bytes.size());
  std::vector<std::size_t> each_byte;
  for (std::size_t end = 1; end <= bytes.size(); ++end) each_byte.push_back(end);
  const HeadReading bytewise = feed_fresh(limits, block, bytes, each_byte);

  const HeadReading whole = feed_fresh(limits, block, bytes, {bytes.size()});
  REQUIRE(whole.outcome == bytewise.outcome);
  REQUIRE(whole.head_size == bytewise.head_size);

  RequestParser used(limits);
  used.reset();
  used.parse(rich_request.data(), rich_request.size());
  used.reset();
  REQUIRE(feed(used, block, bytes, {bytes.size()}).outcome == whole.outcome);

  for (std::size_t split = 1; split < bytes.size(); ++split) {
    const HeadReading two = feed_fresh(limits, block, bytes, {split, bytes.size()});
    CAPTURE(split);
    REQUIRE(two.outcome == whole.outcome);
    REQUIRE(two.head_size == whole.head_size);
  }
  return bytewise;
}

}  // namespace stagecraft::testing
