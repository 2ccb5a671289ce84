#include "proxy_line.h"

#include <string>
#include <string_view>
#include <vector>

#include "exercise.h"
#include "protected_bytes.h"
#include "support/printable.h"

namespace {

using namespace stagecraft::exercise;
using State = ProxyLine::State;

const std::string line = "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n";
const std::string line6 = "PROXY TCP6 2001:db8::7 2001:db8::1 1 65535\r\n";
const std::string request = "GET / HTTP/1.1\r\nHost: example\r\n\r\n";

std::string name_of(State state) {
  return state == State::more ? "more" : state == State::complete ? "complete" : "refused";
}

// Feeds the pieces one after the other, as one who reads from a socket would: what was not taken
// comes again in front of the next piece. Returns what there is to say at the end, as one text.
std::string fed(const std::vector<std::string>& pieces) {
  ProxyLine proxy;
  std::size_t taken = 0;
  State state = State::more;
  for (const std::string& piece : pieces) {
    if (state != State::more) break;
    const ProxyLine::Fed result = proxy.feed(piece);
    note("feed \"" + stagecraft::testing::printable(piece, 60) + "\" -> " + name_of(result.state) +
         ", " + std::to_string(result.taken) + " taken");
    REQUIRE(result.taken <= piece.size());
    if (result.state == State::more) REQUIRE(result.taken == piece.size());
    taken += result.taken;
    state = result.state;
  }
  if (state != State::complete) return name_of(state);
  const std::string from = proxy.is_known() ? proxy.source() : "unknown";
  return "complete from " + from + " port " + std::to_string(proxy.source_port()) + " after " +
         std::to_string(taken) + " bytes";
}

std::vector<std::string> bytes_of(const std::string& text) {
  std::vector<std::string> bytes;
  for (const char byte : text) bytes.emplace_back(1, byte);
  return bytes;
}

}  // namespace

TEST_CASE("nothing_is_no_line_yet") {
  const Story story({.did = "fed an empty piece twice"});
  REQUIRE_SAME(fed({"", ""}), "more");
}

TEST_CASE("reads_a_whole_line") {
  const Story story({.did = "fed a whole line in one piece",
                     .likely = "the fields are PROXY, protocol, source, destination, source port, "
                               "destination port, with one blank between two of them"});
  REQUIRE_SAME(fed({line}), "complete from 192.0.2.7 port 56324 after 45 bytes");
  REQUIRE_SAME(fed({line6}), "complete from 2001:db8::7 port 1 after 44 bytes");
}

TEST_CASE("every_split_same_result") {
  for (const std::string& whole : {line, line6}) {
    const std::string expected = fed({whole});
    REQUIRE_THAT(expected,
                 Catch::StartsWith("complete from 1") || Catch::StartsWith("complete from 2"));
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
      const Story story({.did = "fed a line in two pieces, cut after byte " + std::to_string(cut),
                         .likely = "what came with an earlier call is not kept, or the end is "
                                   "looked for within one piece"});
      REQUIRE_SAME(fed({whole.substr(0, cut), whole.substr(cut)}), expected);
    }
    const Story story(
        {.did = "fed a line byte by byte", .likely = "the end may come in two pieces as well"});
    REQUIRE_SAME(fed(bytes_of(whole)), expected);
  }
}

TEST_CASE("request_bytes_are_left") {
  const std::string expected = "complete from 192.0.2.7 port 56324 after 45 bytes";
  for (std::size_t cut = 0; cut < line.size(); ++cut) {
    const Story story(
        {.did = "fed a line with a request behind it, cut after byte " + std::to_string(cut),
         .likely = "`taken` counts bytes that do not belong to the line: who reads "
                   "the request never sees them"});
    REQUIRE_SAME(fed({line.substr(0, cut), line.substr(cut) + request}), expected);
  }
}

TEST_CASE("refused_at_byte_108") {
  const std::string start = "PROXY UNKNOWN ";
  const std::string longest = start + std::string(ProxyLine::longest - start.size() - 2, 'x');
  {
    const Story story({.did = "fed a line of exactly 107 bytes with its end",
                       .likely = "the bound is one too small"});
    REQUIRE_SAME(fed({longest + "\r\n"}), "complete from unknown port 0 after 107 bytes");
    REQUIRE_SAME(fed(bytes_of(longest + "\r\n")), "complete from unknown port 0 after 107 bytes");
  }
  const Story story({.did = "fed bytes without an end of the line",
                     .paste = "head -c 1000000 /dev/zero | tr '\\0' x",
                     .likely = "there is no bound, so that a client decides about your memory; or "
                               "it counts for one piece only"});
  REQUIRE_SAME(fed(bytes_of(longest)), "more");
  REQUIRE_SAME(fed(bytes_of(longest + "xxx")), "refused");
  REQUIRE_SAME(fed({longest + "x\r\n"}), "refused");
  REQUIRE_SAME(fed({longest + "xxx", "\r\n"}), "refused");
  REQUIRE_SAME(fed({start + std::string(100'000, 'x')}), "refused");
}

TEST_CASE("no_byte_behind_the_piece") {
  for (std::size_t cut = 0; cut <= line.size(); ++cut) {
    const Story story(
        {.did = "fed the first " + std::to_string(cut) + " bytes, behind which the memory ends",
         .likely = "a byte is looked at that has not come yet"});
    const ProtectedBytes first(line.substr(0, cut));
    const ProtectedBytes second(line.substr(cut));
    ProxyLine proxy;
    REQUIRE(name_of(proxy.feed(first.view()).state) == (cut < line.size() ? "more" : "complete"));
    REQUIRE(name_of(proxy.feed(second.view()).state) == "complete");
  }
}

TEST_CASE("unknown_is_read_over") {
  const Story story({.did = "fed lines with UNKNOWN",
                     .likely = "behind UNKNOWN may stand anything, or nothing at all"});
  REQUIRE_SAME(fed({"PROXY UNKNOWN\r\n"}), "complete from unknown port 0 after 15 bytes");
  REQUIRE_SAME(fed({"PROXY UNKNOWN a b  c\r\n"}), "complete from unknown port 0 after 22 bytes");
  REQUIRE_SAME(fed({"PROXY UNKNOWN ::1 ::1 1 2\r\n" + request}),
               "complete from unknown port 0 after 27 bytes");
  REQUIRE_SAME(fed({"PROXY UNKNOWNS\r\n"}), "refused");
}

TEST_CASE("refuses_what_is_no_line") {
  const std::vector<std::string> wrong = {
      "PROXY TCP4 192.0.2.7 198.51.100.1 56324\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443 \r\n",
      "PROXY  TCP4 192.0.2.7 198.51.100.1 56324 443\r\n",
      "PROXY TCP4 192.0.2.7  198.51.100.1 56324 443\r\n",
      "PROXY tcp4 192.0.2.7 198.51.100.1 56324 443\r\n",
      "PROXY TCP5 192.0.2.7 198.51.100.1 56324 443\r\n",
      "PROXY TCP6 192.0.2.7 198.51.100.1 56324 443\r\n",
      "PROXY TCP4 2001:db8::7 2001:db8::1 56324 443\r\n",
      "PROXY TCP4 192.0.2 198.51.100.1 56324 443\r\n",
      "PROXY TCP4 192.0.2.256 198.51.100.1 56324 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.01 56324 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 56324 65536\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 056 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 -1 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 +1 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 5x 443\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 56324 \r\n",
      "PROXY TCP4\r\n",
      "PROXY \r\n",
  };
  for (const std::string& each : wrong) {
    const Story story({.did = "fed  " + stagecraft::testing::printable(each),
                       .likely = "one of the fields is not looked at closely: see the grammar in "
                                 "README.md"});
    REQUIRE_SAME(fed({each}), "refused");
  }
  for (const std::string& each : {"G", "proxy", "PROXY\t", "PROXYX", "\r\n"}) {
    const Story story({.did = "fed  " + stagecraft::testing::printable(each),
                       .likely = "a client that speaks no PROXY at all would wait for its answer "
                                 "until 107 bytes have come"});
    REQUIRE_SAME(fed({each}), "refused");
  }
}

TEST_CASE("refused_stays_refused") {
  const Story story({.did = "fed something wrong, and then a good line",
                     .likely = "the state is not kept between two calls"});
  ProxyLine proxy;
  REQUIRE(name_of(proxy.feed("GET ").state) == "refused");
  const ProxyLine::Fed again = proxy.feed(line);
  REQUIRE(name_of(again.state) == "refused");
  REQUIRE(again.taken == 0);
}
