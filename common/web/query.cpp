#include "web/query.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace stagecraft {

std::optional<std::string_view> parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    const std::string_view key = pair.substr(0, pair.find('='));
    if (key == name) return pair.substr(std::min(pair.size(), key.size() + 1));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_parameter(std::string_view query, std::string_view name,
                                              NumberRange range) {
  const std::optional<std::string_view> text = parameter(query, name);
  if (!text) return range.otherwise;
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, number);
  if (stopped != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) return range.max;
  return std::clamp(number, range.min, range.max);
}

bool asks_to_close(const Request& request) {
  const std::string_view query = request.query();
  return !query.empty() && parameter(query, "close") == "1";
}

}  // namespace stagecraft
