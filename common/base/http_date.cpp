#include "base/http_date.h"

#include <algorithm>
#include <cstdint>

namespace stagecraft {
namespace {

constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::int64_t first_second = -62'167'219'200;  // 0000-01-01 00:00:00
constexpr std::int64_t last_second = 253'402'300'799;   // 9999-12-31 23:59:59

struct CivilDate {
  int year, month, day;
};

/// The date that is DAYS after 1970-01-01, in the Gregorian calendar.
///
/// Two tricks make it short. Years are counted from 1 March, so that a leap day is a year's last
/// and moves no other day. And the calendar repeats every 400 years, an "era" of 146,097 days, in
/// which a year's length depends on nothing but its number: every fourth has a day more (1,460 days
/// are four years less that day), but not every hundredth (36,524), but again the 400th (146,096).
/// (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.)
CivilDate civil_date(std::int64_t days) noexcept {
  constexpr std::int64_t days_per_era = 146'097;
  // Day 0 becomes 0000-03-01. No date here lies before 0000-01-01, which is at most 60 days
  // earlier: one era more keeps the division below away from negative numbers, whose rounding goes
  // up.
  const std::int64_t shifted = days + 719'468 + days_per_era;
  const std::int64_t era = shifted / days_per_era - 1;
  const std::int64_t day_of_era = shifted % days_per_era;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  // From March on the lengths of the months repeat 31 30 31 30 31: 153 days for five months, so
  // that a straight line through (5, 153), rounded down, gives each month's first day.
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const std::int64_t year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);
  return {static_cast<int>(year), static_cast<int>(month), static_cast<int>(day)};
}

}  // namespace

CivilTime civil_time(std::time_t seconds) noexcept {
  // Seconds since 0000-01-01, so that nothing below is negative.
  const std::int64_t elapsed =
      std::clamp<std::int64_t>(seconds, first_second, last_second) - first_second;
  const std::int64_t days = elapsed / seconds_per_day;
  const auto second_of_day = static_cast<int>(elapsed % seconds_per_day);
  const CivilDate date = civil_date(days + first_second / seconds_per_day);
  return {.year = date.year,
          .month = date.month,
          .day = date.day,
          .weekday = static_cast<int>((days + 6) % 7),  // 0000-01-01 was a Saturday
          .hour = second_of_day / 3600,
          .minute = second_of_day / 60 % 60,
          .second = second_of_day % 60};
}

const char* month_name(int month) noexcept {
  constexpr std::array<const char*, 12> names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return names.at(static_cast<std::size_t>(month - 1));
}

HttpDate http_date(std::time_t seconds) noexcept {
  constexpr std::array<const char*, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const CivilTime time = civil_time(seconds);
  HttpDate date{'S', 'u', 'n', ',', ' ', '0', '6', ' ', 'N', 'o', 'v', ' ', '1', '9', '9',
                '4', ' ', '0', '8', ':', '4', '9', ':', '3', '7', ' ', 'G', 'M', 'T'};
  const auto put_digits = [&](std::size_t at, int value) {
    date[at] = static_cast<char>('0' + value / 10);
    date[at + 1] = static_cast<char>('0' + value % 10);
  };
  std::copy_n(weekdays[static_cast<std::size_t>(time.weekday)], 3, date.begin());
  put_digits(5, time.day);
  std::copy_n(month_name(time.month), 3, date.begin() + 8);
  put_digits(12, time.year / 100);
  put_digits(14, time.year % 100);
  put_digits(17, time.hour);
  put_digits(20, time.minute);
  put_digits(23, time.second);
  return date;
}

}  // namespace stagecraft
