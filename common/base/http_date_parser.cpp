#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/http_date.h"

namespace stagecraft {
namespace {

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> short_weekdays{"Sun", "Mon", "Tue", "Wed",
                                                         "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> long_weekdays{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

/// Reads a date from its front. What does not fit makes it fail, and then nothing fits any more, so
/// that a form can be written down as it looks and asked about once, at its end.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  DateReader& skip(std::string_view expected) {
    if (rest_.starts_with(expected)) {
      rest_.remove_prefix(expected.size());
    } else {
      failed_ = true;
    }
    return *this;
  }

  DateReader& number(std::size_t digits, int& value) {
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
        failed_ = true;
        return *this;
      }
      value = 10 * value + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return *this;
  }

  /// The day of asctime(): two digits, or a space and one.
  DateReader& padded_day(int& day) {
    return rest_.starts_with(' ') ? skip(" ").number(1, day) : number(2, day);
  }

  DateReader& month(int& value) { return skip(months.at(one_of(months, value) - 1U)); }
  DateReader& weekday(std::span<const std::string_view> names) {
    int ignored = 0;
    return skip(names[one_of(names, ignored) - 1U]);
  }

  DateReader& time(CivilTime& time) {
    return number(2, time.hour).skip(":").number(2, time.minute).skip(":").number(2, time.second);
  }

  bool whole() const { return !failed_ && rest_.empty(); }

 private:
  /// Which of NAMES comes next, counted from 1; the first if none does, which skip() will notice.
  std::size_t one_of(std::span<const std::string_view> names, int& value) const {
    const auto found =
        std::ranges::find_if(names, [this](std::string_view n) { return rest_.starts_with(n); });
    value = found == names.end() ? 1 : static_cast<int>(found - names.begin()) + 1;
    return static_cast<std::size_t>(value);
  }

  std::string_view rest_;
  bool failed_ = false;
};

bool is_leap_year(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

bool is_possible(const CivilTime& time) {
  constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap_day = time.month == 2 && is_leap_year(time.year);
  const int last_day = days.at(static_cast<std::size_t>(time.month - 1)) + (leap_day ? 1 : 0);
  // A minute may have a second more: a leap second.
  return time.day >= 1 && time.day <= last_day && time.hour < 24 && time.minute < 60 &&
         time.second <= 60;
}

/// The inverse of civil_time(), by the same trick of years that begin on 1 March.
std::time_t seconds_of(const CivilTime& time) {
  constexpr std::int64_t days_per_era = 146'097;
  // An era earlier than year 0 is added and taken away, to keep the divisions from negative ones.
  const std::int64_t year = time.year + 400 - (time.month <= 2 ? 1 : 0);
  const std::int64_t year_of_era = year % 400;
  const std::int64_t month_from_march = (time.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + time.day - 1;
  const std::int64_t day_of_era =
      365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
  const std::int64_t days = (year / 400 - 1) * days_per_era + day_of_era - 719'468;
  return ((days * 24 + time.hour) * 60 + time.minute) * 60 + time.second;
}

/// Two digits of a year, made four.
void choose_century(CivilTime& time, std::time_t now) {
  const int two_digits = time.year;
  time.year += civil_time(now).year / 100 * 100 + 100;
  const auto too_far_ahead = [&] {
    CivilTime earlier = time;
    earlier.year -= 50;
    return seconds_of(earlier) > now;
  };
  while (time.year > two_digits && too_far_ahead()) time.year -= 100;
}

}  // namespace

std::optional<std::time_t> parse_http_date(std::string_view text, std::time_t now) noexcept {
  CivilTime time;
  bool well_formed = false;
  if (text.size() > 3 && text[3] == ',') {
    well_formed = DateReader(text)
                      .weekday(short_weekdays)
                      .skip(", ")
                      .number(2, time.day)
                      .skip(" ")
                      .month(time.month)
                      .skip(" ")
                      .number(4, time.year)
                      .skip(" ")
                      .time(time)
                      .skip(" GMT")
                      .whole();
  } else if (text.ends_with(" GMT")) {
    well_formed = DateReader(text)
                      .weekday(long_weekdays)
                      .skip(", ")
                      .number(2, time.day)
                      .skip("-")
                      .month(time.month)
                      .skip("-")
                      .number(2, time.year)
                      .skip(" ")
                      .time(time)
                      .skip(" GMT")
                      .whole();
    if (well_formed) choose_century(time, now);
  } else {
    well_formed = DateReader(text)
                      .weekday(short_weekdays)
                      .skip(" ")
                      .month(time.month)
                      .skip(" ")
                      .padded_day(time.day)
                      .skip(" ")
                      .time(time)
                      .skip(" ")
                      .number(4, time.year)
                      .whole();
  }
  if (!well_formed || !is_possible(time)) return std::nullopt;
  return seconds_of(time);
}

}  // namespace stagecraft
