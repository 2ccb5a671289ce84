// Fields of a request that are lists, or carry parameters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/field_parser.h"
#include "http/request.h"

namespace stagecraft {

/// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

/// Calls `visit` with each part of a field's value, trimmed and not empty, over all fields of that
/// name in order. `separator` in a quoted string is a separator all the same: for lists of tokens
/// and cookies, in which there are none.
template <typename Visit>
void for_each_part(const Request& request, std::string_view name, char separator, Visit visit) {
  for (std::size_t index = 0; index < request.field_count(); ++index) {
    const Field field = request.field_at(index);
    if (!equal_ignoring_case(field.name, name)) continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find(separator));
      if (const std::string_view text = trimmed(part); !text.empty()) visit(text);
      rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : rest.size());
    }
  }
}

/// Whether a list field, as Connection or Upgrade, has this token in it.
bool lists(const Request& request, std::string_view name, std::string_view token);

/// A value with parameters: `text/plain; charset=utf-8`, `form-data; name="a"`.
struct ParameterizedValue {
  std::string value;                                            ///< in lower case
  std::vector<std::pair<std::string, std::string>> parameters;  ///< names in lower case, unquoted

  /// The first of that name.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

/// Takes such a value apart (RFC 9110 section 5.6.6). Values may stand in quotes, in which `\"` and
/// `\\` are a quote and a backslash; any other backslash is itself, since there are browsers that
/// send a file's whole path so. nullopt if a quote does not end, if a parameter has no name, or if
/// there are more than 16.
std::optional<ParameterizedValue> parse_parameterized(std::string_view text);

/// A parameter that may carry any character, by RFC 5987: `filename*=UTF-8''na%C3%AFve`, before
/// `filename=naive`. As UTF-8. nullopt if there is neither.
std::optional<std::string> extended_parameter(const ParameterizedValue& value,
                                              std::string_view name);

}  // namespace stagecraft
