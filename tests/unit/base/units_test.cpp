#include "base/units.h"

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "catch.h"

using namespace stagecraft;
using std::chrono::milliseconds;

TEST_CASE("sizes are read with and without units") {
  struct Row {
    const char* text;
    std::uint64_t bytes;
  };
  const Row rows[] = {
      {"0", 0},
      {"1", 1},
      {"65535", 65535},
      {"0KiB", 0},
      {"512B", 512},
      {"64KiB", 65536},
      {"1MiB", 1048576},
      {"3GiB", 3221225472},
      {"18446744073709551615", std::numeric_limits<std::uint64_t>::max()},
      {"17179869183GiB", 17179869183ULL << 30U},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(parse_size(row.text) == row.bytes);
  }
}

TEST_CASE("durations are read with units") {
  struct Row {
    const char* text;
    std::int64_t ms;
  };
  const Row rows[] = {{"0", 0},        {"0s", 0},
                      {"1ms", 1},      {"250ms", 250},
                      {"2s", 2000},    {"90s", 90000},
                      {"1min", 60000}, {"24h", 86400000},
                      {"007ms", 7},    {"9223372036854775807ms", 9223372036854775807}};
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(parse_duration(row.text).count() == row.ms);
  }
}

TEST_CASE("what is no size is refused") {
  for (const char* text : {"", " ", "KiB", "-1", "+1", " 1", "1 ", "1 KiB", "1.5MiB", "1kb", "1KB",
                           "1K", "1kib", "0x10", "1KiBB", "1e3", "1s"}) {
    INFO('\'' << text << '\'');
    CHECK_THROWS_WITH(parse_size(text), Catch::Contains("must be a size"));
  }
}

TEST_CASE("what is no duration is refused") {
  for (const char* text : {"", "ms", "1", "-1s", "+1s", "-0", " 1s", "1s ", "1 s", "1.5s", "1S",
                           "1sec", "1m", "1d", "1us", "1KiB", "00"}) {
    INFO('\'' << text << '\'');
    if (std::string_view(text) == "00") {
      CHECK(parse_duration(text) == milliseconds(0));  // a way to write 0, after all
    } else {
      CHECK_THROWS_WITH(parse_duration(text), Catch::Contains("must be a duration"));
    }
  }
}

TEST_CASE("a value that does not fit is refused, not wrapped") {
  for (const char* text : {"17179869184GiB", "18446744073709551615KiB", "18014398509481984KiB"}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_size(text), "is too large");
  }
  for (const char* text : {"9223372036854775808ms", "9223372036854776s", "2562047788016h"}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_duration(text), "is too large");
  }
  // Too many digits for any integer.
  CHECK_THROWS_WITH(parse_size("18446744073709551616"), "is too large");
  CHECK_THROWS_WITH(parse_duration("99999999999999999999999s"), "is too large");
}

TEST_CASE("values are written in the largest unit that keeps them whole") {
  CHECK(format_size(0) == "0");
  CHECK(format_size(1) == "1B");
  CHECK(format_size(1024) == "1KiB");
  CHECK(format_size(1025) == "1025B");
  CHECK(format_size(65536) == "64KiB");
  CHECK(format_size(3ULL << 30U) == "3GiB");
  CHECK(format_duration(milliseconds(0)) == "0");
  CHECK(format_duration(milliseconds(250)) == "250ms");
  CHECK(format_duration(milliseconds(2000)) == "2s");
  CHECK(format_duration(milliseconds(90000)) == "90s");
  CHECK(format_duration(milliseconds(60000)) == "1min");
  CHECK(format_duration(milliseconds(86400000)) == "24h");
}

TEST_CASE("what is written is read back as the same value") {
  for (std::uint64_t bytes = 0; bytes < 5000; ++bytes) {
    if (parse_size(format_size(bytes)) != bytes) FAIL(bytes);
    if (parse_size(format_size(bytes * 1024)) != bytes * 1024) FAIL(bytes);
  }
  for (int ms = 0; ms < 70000; ms += 125) {
    CHECK(parse_duration(format_duration(milliseconds(ms))) == milliseconds(ms));
  }
}
