// The date as HTTP writes it, without the C library's calendar: gmtime_r() and strftime() take
// locks, read the environment and depend on the locale.
#pragma once

#include <array>
#include <cstddef>
#include <ctime>
#include <optional>
#include <string_view>

namespace stagecraft {

/// A moment in UTC, taken apart.
struct CivilTime {
  int year = 1970;
  int month = 1;    ///< 1 to 12
  int day = 1;      ///< 1 to 31
  int weekday = 4;  ///< 0 is Sunday; 1970 began on a Thursday
  int hour = 0, minute = 0, second = 0;
};

/// SECONDS since 1970-01-01 00:00:00 UTC, without leap seconds, as POSIX counts them; before 1970
/// negative. For years 0 to 9999, into which the argument is clamped: HTTP has no others.
CivilTime civil_time(std::time_t seconds) noexcept;

/// "Jan" for 1, ... "Dec" for 12.
const char* month_name(int month) noexcept;

/// The size of a date in its preferred form, IMF-fixdate, which is always the same.
inline constexpr std::size_t http_date_size = 29;
using HttpDate = std::array<char, http_date_size>;  ///< not terminated by a NUL

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 5.6.7).
HttpDate http_date(std::time_t seconds) noexcept;

/// The moment that a client names, in any of the three forms that a recipient must know (RFC 9110
/// 5.6.7); nullopt for anything else, also for a day that its month does not have.
///
///     Sun, 06 Nov 1994 08:49:37 GMT     IMF-fixdate, the preferred one
///     Sunday, 06-Nov-94 08:49:37 GMT    RFC 850; two digits of the year
///     Sun Nov  6 08:49:37 1994          asctime()
///
/// NOW decides which century two digits mean: the latest in which the date is at most 50 years
/// ahead. Whether the weekday fits the date is not asked, since nothing depends on it.
std::optional<std::time_t> parse_http_date(std::string_view text, std::time_t now) noexcept;

}  // namespace stagecraft
