// Which parts of a content a client asks for.
#include "web/byte_ranges.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "catch.h"

using namespace stagecraft;

namespace {

constexpr std::uint64_t size = 100;

// "0-4 10-19", "whole" or "none".
std::string selected(std::string_view field, std::uint64_t content_size = size) {
  const RangeSelection selection = select_ranges(field, content_size);
  if (selection.kind == RangeSelection::whole) return "whole";
  if (selection.kind == RangeSelection::unsatisfiable) return "none";
  std::string text;
  for (const ByteRange& range : selection.ranges) {
    const std::string part = content_range(range, content_size);
    text.append(text.empty() ? "" : " ").append(part.substr(6, part.find('/') - 6));
  }
  return text;
}

}  // namespace

TEST_CASE("A range is from and to, from, or the last so many bytes") {
  CHECK(selected("bytes=0-4") == "0-4");
  CHECK(selected("bytes=0-0") == "0-0");
  CHECK(selected("bytes=95-") == "95-99");
  CHECK(selected("bytes=-5") == "95-99");
  CHECK(selected("bytes=10-1000") == "10-99");
  CHECK(selected("bytes=-1000") == "0-99");
  CHECK(selected("BYTES=0-4") == "0-4");
  CHECK(selected("bytes= 0-4 ") == "0-4");
}

TEST_CASE("Several ranges stay in the order in which they were asked for") {
  CHECK(selected("bytes=0-1,4-5") == "0-1 4-5");
  CHECK(selected("bytes=50-59, 10-19 ,\t-1") == "50-59 10-19 99-99");
  CHECK(selected("bytes=,0-1,,4-5,") == "0-1 4-5");
  CHECK(selected("bytes=0-1,200-300") == "0-1");
}

TEST_CASE("Ranges that overlap or touch become one") {
  CHECK(selected("bytes=0-9,5-14") == "0-14");
  CHECK(selected("bytes=0-9,10-19") == "0-19");
  CHECK(selected("bytes=10-19,0-9") == "0-19");
  CHECK(selected("bytes=0-,0-,0-") == "0-99");
  CHECK(selected("bytes=50-59,0-9,20-29,5-55") == "0-59");
  CHECK(selected("bytes=90-94,0-1,95-") == "90-99 0-1");
}

TEST_CASE("What asks for nothing that there is, is unsatisfiable") {
  CHECK(selected("bytes=100-") == "none");
  CHECK(selected("bytes=100-200,-0") == "none");
  CHECK(selected("bytes=-0") == "none");
  CHECK(selected("bytes=0-", 0) == "none");
  CHECK(selected("bytes=-5", 0) == "none");
  CHECK(unsatisfied_content_range(100) == "bytes */100");
}

TEST_CASE("What cannot be understood is ignored") {
  for (const char* field : {"",
                            "bytes",
                            "bytes=",
                            "bytes=,",
                            "bytes= , ",
                            "lines=0-4",
                            "bytes 0-4",
                            "bytes =0-4",
                            "bytes=a-b",
                            "bytes=5-2",
                            "bytes=-",
                            "bytes=--5",
                            "bytes=0",
                            "bytes=0-4-8",
                            "bytes=+0-4",
                            "bytes=0x0-4",
                            "bytes=0 - 4",
                            "bytes=0-4;5-6",
                            "bytes=0-4,x",
                            "bytes=0-4,8-6",
                            "bytes=0-4\n",
                            "bytes=1.5-2",
                            "=0-4"}) {
    INFO(field);
    CHECK(selected(field) == "whole");
  }
}

TEST_CASE("Numbers of any length do not overflow") {
  CHECK(selected("bytes=0-99999999999999999999999") == "0-99");
  CHECK(selected("bytes=18446744073709551615-") == "none");
  CHECK(selected("bytes=18446744073709551616-18446744073709551617") == "none");
  CHECK(selected("bytes=0-18446744073709551615") == "0-99");
  CHECK(selected("bytes=-18446744073709551616") == "0-99");
  CHECK(selected("bytes=00000000000000000000000000000000001-2") == "1-2");
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  CHECK(selected("bytes=0-", huge) == "0-18446744073709551614");
  CHECK(selected("bytes=-1,0-0", huge) == "18446744073709551614-18446744073709551614 0-0");
}

TEST_CASE("At most so many ranges are looked at") {
  std::string field = "bytes=0-0";
  for (std::size_t i = 1; i < max_ranges; ++i) field += ',' + std::to_string(4 * i) + "-";
  CHECK(selected(field) == "0-0 4-99");
  CHECK(selected(field + ",2-2") == "whole");
  CHECK(selected(field + ",200-") == "whole");
}

TEST_CASE("Whatever is asked for, each byte comes once, and none that was not asked for") {
  std::mt19937 random(20261130);
  std::uniform_int_distribution<std::uint64_t> place(0, 39);
  std::uniform_int_distribution<std::size_t> many(1, max_ranges);
  for (int round = 0; round < 2000; ++round) {
    std::vector<bool> wanted(40);
    std::string field = "bytes=";
    for (std::size_t i = many(random); i > 0; --i) {
      const auto [first, last] = std::minmax({place(random), place(random)});
      field += std::to_string(first) + '-' + std::to_string(last) + ',';
      for (std::uint64_t at = first; at <= last; ++at) wanted[at] = true;
    }
    INFO(field);
    const RangeSelection selection = select_ranges(field, 40);
    REQUIRE(selection.kind == RangeSelection::parts);
    for (const ByteRange& range : selection.ranges) {
      REQUIRE(range.length > 0);
      for (std::uint64_t at = range.offset; at < range.offset + range.length; ++at) {
        REQUIRE(wanted.at(at));  // asked for, and not given before
        wanted[at] = false;
      }
    }
    REQUIRE(std::none_of(wanted.begin(), wanted.end(), [](bool left) { return left; }));
  }
}
