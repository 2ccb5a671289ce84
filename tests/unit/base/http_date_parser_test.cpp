#include <array>
#include <optional>
#include <random>
#include <string>

#include "base/http_date.h"
#include "catch.h"

using namespace stagecraft;

namespace {

constexpr std::time_t in_1994 = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr std::time_t in_2026 = 1796083200;
constexpr std::time_t day = 24 * 3600;

std::optional<std::time_t> parse(std::string_view text) { return parse_http_date(text, in_2026); }

std::string asctime_form(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &parts);
  return text.data();
}

std::string rfc850_form(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> date{}, time{};
  strftime(date.data(), date.size(), "%A, %d-%b-", &parts);
  strftime(time.data(), time.size(), " %H:%M:%S GMT", &parts);
  const int year = parts.tm_year % 100;
  return date.data() + std::to_string(year / 10) + std::to_string(year % 10) + time.data();
}

}  // namespace

TEST_CASE("a date is read in each of the three forms") {
  CHECK(parse("Sun, 06 Nov 1994 08:49:37 GMT") == in_1994);
  CHECK(parse("Sunday, 06-Nov-94 08:49:37 GMT") == in_1994);
  CHECK(parse("Sun Nov  6 08:49:37 1994") == in_1994);
  CHECK(parse("Wed Nov 16 08:49:37 1994") == in_1994 + 10 * day);
}

TEST_CASE("what is written is read again, in every form and at any time") {
  std::mt19937_64 random(20261130);
  // The years 0 to 9999; for two digits those that mean the same year today.
  std::uniform_int_distribution<std::time_t> any(-62'167'219'200, 253'402'300'799);
  std::uniform_int_distribution<std::time_t> near(in_2026 - 49 * 365 * day,
                                                  in_2026 + 49 * 365 * day);
  for (int i = 0; i < 20'000; ++i) {
    const std::time_t moment = any(random);
    const HttpDate text = http_date(moment);
    INFO(std::string(text.begin(), text.end()));
    REQUIRE(parse({text.data(), text.size()}) == moment);
    if (civil_time(moment).year >= 1000) {  // strftime writes no leading zeros
      REQUIRE(parse(asctime_form(moment)) == moment);
    }
    const std::time_t soon = near(random);
    REQUIRE(parse(rfc850_form(soon)) == soon);
  }
}

TEST_CASE("two digits of a year mean the past when they would be more than 50 years ahead") {
  const auto year = [](std::string_view two_digits, std::time_t now) {
    const std::string text = "Sunday, 06-Nov-" + std::string(two_digits) + " 08:49:37 GMT";
    return civil_time(parse_http_date(text, now).value()).year;
  };
  CHECK(year("26", in_2026) == 2026);
  CHECK(year("76", in_2026) == 2076);  // 6 November 2076 is 24 days less than 50 years ahead
  CHECK(year("77", in_2026) == 1977);
  CHECK(year("00", in_2026) == 2000);
  CHECK(year("94", in_1994) == 1994);
  CHECK(year("44", in_1994) == 2044);
  CHECK(year("45", in_1994) == 1945);
  CHECK(year("01", 4'102'444'799) == 2101);  // the last second of 2099
}

TEST_CASE("a leap second is the next minute's first") {
  CHECK(parse("Sun, 06 Nov 1994 08:49:60 GMT") == in_1994 + 23);
}

TEST_CASE("what is no date is none") {
  for (const char* text : {"",
                           "not a date",
                           "0",
                           "Sun",
                           "Sun,",
                           "Sun, ",
                           "Sun, 06 Nov 1994 08:49:37",
                           "Sun, 06 Nov 1994 08:49:37 GMT ",
                           " Sun, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 08:49:37 UTC",
                           "Sun, 06 Nov 1994 08:49:37 gmt",
                           "sun, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 06 nov 1994 08:49:37 GMT",
                           "Sun, 6 Nov 1994 08:49:37 GMT",
                           "Sun, 06  Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 94 08:49:37 GMT",
                           "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Sun, 31 Nov 1994 08:49:37 GMT",
                           "Sun, 29 Feb 1994 08:49:37 GMT",
                           "Sun, 29 Feb 1900 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:49:37 GMT",
                           "Sun, 06 Nov 1994 08:60:37 GMT",
                           "Sun, 06 Nov 1994 08:49:61 GMT",
                           "Sun, -6 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov +994 08:49:37 GMT",
                           "Sunday, 06-Nov-1994 08:49:37 GMT",
                           "Sunday, 06 Nov 94 08:49:37 GMT",
                           "Sun, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov 06 08:49:37 1994 GMT",
                           "Sun Nov 6 08:49:37 1994",
                           "Sun Nov  6 08:49:37 94",
                           "Sun Nov   6 08:49:37 1994",
                           "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT"}) {
    INFO(text);
    CHECK_FALSE(parse(text));
  }
  CHECK(parse("Thu, 29 Feb 2024 00:00:00 GMT"));
  CHECK(parse("Tue, 29 Feb 2000 00:00:00 GMT"));
}
