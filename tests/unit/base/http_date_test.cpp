#include "base/http_date.h"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "catch.h"

using namespace stagecraft;

namespace {

std::string date(std::time_t seconds) {
  const HttpDate buffer = http_date(seconds);
  return {buffer.begin(), buffer.end()};
}

/// What the C library says; the test's locale is "C".
std::string reference(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text.data();
}

}  // namespace

TEST_CASE("known dates") {
  CHECK(date(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");  // RFC 9110 5.6.7
  CHECK(date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(date(-1) == "Wed, 31 Dec 1969 23:59:59 GMT");
  CHECK(date(951782400) == "Tue, 29 Feb 2000 00:00:00 GMT");  // a leap year, as every 400th
  CHECK(date(951868800) == "Wed, 01 Mar 2000 00:00:00 GMT");
  CHECK(date(1709164800) == "Thu, 29 Feb 2024 00:00:00 GMT");
  CHECK(date(4107542399) == "Sun, 28 Feb 2100 23:59:59 GMT");  // none, as three of four centuries
  CHECK(date(4107542400) == "Mon, 01 Mar 2100 00:00:00 GMT");
  CHECK(date(2147483648) == "Tue, 19 Jan 2038 03:14:08 GMT");  // 31 bits are not enough
  CHECK(date(1796039999) == "Mon, 30 Nov 2026 11:59:59 GMT");
}

TEST_CASE("dates stop at the first and last that four digits can write") {
  CHECK(date(253402300799) == "Fri, 31 Dec 9999 23:59:59 GMT");
  CHECK(date(253402300800) == "Fri, 31 Dec 9999 23:59:59 GMT");
  CHECK(date(std::numeric_limits<std::time_t>::max()) == "Fri, 31 Dec 9999 23:59:59 GMT");
  CHECK(date(-62167219200) == "Sat, 01 Jan 0000 00:00:00 GMT");
  CHECK(date(-62167219201) == "Sat, 01 Jan 0000 00:00:00 GMT");
  CHECK(date(std::numeric_limits<std::time_t>::min()) == "Sat, 01 Jan 0000 00:00:00 GMT");
}

TEST_CASE("every day of four centuries is the C library's") {
  // 1872 to 2272; the time of day moves on a little each day.
  std::time_t seconds = -3092601600;
  for (int day = 0; day <= 146097; ++day, seconds += 86400 + 7) {
    if (date(seconds) != reference(seconds)) {
      FAIL(seconds << ": " << date(seconds) << ", not " << reference(seconds));
    }
  }
}

TEST_CASE("any second from the year 1000 to 9999 is the C library's") {
  // Before that strftime leaves out leading zeros of the year.
  std::mt19937_64 random(1994);  // NOLINT: the same seconds each time
  std::uniform_int_distribution<std::time_t> any(-30610224000, 253402300799);
  for (int i = 0; i < 100'000; ++i) {
    const std::time_t seconds = any(random);
    if (date(seconds) != reference(seconds)) FAIL(seconds << ": " << date(seconds));
  }
}

TEST_CASE("the time zone does not matter") {
  const char* const before = std::getenv("TZ");  // NOLINT(concurrency-mt-unsafe): one thread
  const std::string zone = before == nullptr ? "" : before;
  setenv("TZ", "Pacific/Kiritimati", 1);
  tzset();
  CHECK(date(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");
  if (before == nullptr) {
    unsetenv("TZ");
  } else {
    setenv("TZ", zone.c_str(), 1);
  }
  tzset();
}
