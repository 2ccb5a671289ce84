#include "web/fields.h"

#include <algorithm>

#include "web/charset.h"
#include "web/percent.h"

namespace stagecraft {

namespace {

constexpr std::size_t max_parameters = 16;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  return lowered;
}

// Takes a quoted string from the front of `rest`, which begins with its quote.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string text;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return text;
    }
    const bool escapes =
        rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == '"' || rest[i + 1] == '\\');
    if (escapes) ++i;
    text += rest[i];
  }
  return std::nullopt;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool lists(const Request& request, std::string_view name, std::string_view token) {
  bool found = false;
  for_each_part(request, name, ',',
                [&](std::string_view part) { found |= equal_ignoring_case(part, token); });
  return found;
}

std::optional<std::string_view> ParameterizedValue::parameter(std::string_view name) const {
  for (const auto& [key, text] : parameters) {
    if (key == name) return text;
  }
  return std::nullopt;
}

std::optional<ParameterizedValue> parse_parameterized(std::string_view text) {
  ParameterizedValue parsed;
  std::string_view rest = text;
  parsed.value = lower_case(trimmed(rest.substr(0, rest.find(';'))));
  rest.remove_prefix(std::min(rest.size(), rest.find(';')));
  while (!rest.empty()) {
    rest = trimmed(rest);
    if (rest.empty()) break;
    if (rest.front() != ';') return std::nullopt;  // something behind a closing quote
    rest = trimmed(rest.substr(1));
    if (rest.empty() || rest.front() == ';') continue;  // a ';' too many is no harm
    const std::size_t end = rest.find_first_of("=;");
    if (end == std::string_view::npos || rest[end] != '=') return std::nullopt;
    const std::string_view name = trimmed(rest.substr(0, end));
    if (name.empty() || parsed.parameters.size() == max_parameters) return std::nullopt;
    rest = trimmed(rest.substr(end + 1));
    std::string value;
    if (rest.starts_with('"')) {
      std::optional<std::string> quoted = take_quoted(rest);
      if (!quoted) return std::nullopt;
      value = *std::move(quoted);
    } else {
      const std::string_view plain = rest.substr(0, rest.find(';'));
      value = trimmed(plain);
      rest.remove_prefix(plain.size());
    }
    parsed.parameters.emplace_back(lower_case(name), std::move(value));
  }
  return parsed;
}

std::optional<std::string> extended_parameter(const ParameterizedValue& value,
                                              std::string_view name) {
  const std::optional<std::string_view> extended = value.parameter(std::string(name) + '*');
  if (extended) {
    const std::size_t first = extended->find('\'');
    const std::size_t second = extended->find('\'', std::min(first, extended->size() - 1) + 1);
    if (second != std::string_view::npos) {
      const auto charset = charset_named(extended->substr(0, first));
      std::string text;
      append_percent_decoded(text, extended->substr(second + 1), Plus::is_plus);
      if (charset && to_utf8(text, *charset)) return text;
    }
    // What cannot be read is as if it were not there (RFC 6266 section 4.3).
  }
  const std::optional<std::string_view> plain = value.parameter(name);
  if (!plain) return std::nullopt;
  return std::string(*plain);
}

}  // namespace stagecraft
