#include "http/weighted_list.h"

#include <algorithm>

#include "http/field_parser.h"
#include "http/scan.h"

namespace stagecraft {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Cuts the front off at the first separator that is not inside a quoted string, and drops the
// separator.
std::string_view take_until(std::string_view& text, char separator) {
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != separator); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\') ++i;  // the byte behind it is no quote
  }
  const std::string_view front = text.substr(0, i);
  text.remove_prefix(std::min(i + 1, text.size()));
  return front;
}

// qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )
std::optional<Weight> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  unsigned weight = text[0] == '1' ? full_weight : 0;
  unsigned place = full_weight / 10;
  for (std::size_t i = 2; i < text.size(); ++i, place /= 10) {
    if (!scan::is(text[i], scan::digit)) return std::nullopt;
    weight += place * static_cast<unsigned>(text[i] - '0');
  }
  if (weight > full_weight) return std::nullopt;
  return static_cast<Weight>(weight);
}

bool is_weight(std::string_view parameter) {
  return parameter.size() >= 2 && (parameter[0] == 'q' || parameter[0] == 'Q') &&
         parameter[1] == '=';
}

// Calls `visit` with each item of each field of that name.
template <typename Visit>
void for_each_item(const Request& request, std::string_view name, Visit visit) {
  for (std::size_t index = 0; index < request.field_count(); ++index) {
    const Field field = request.field_at(index);
    if (!equal_ignoring_case(field.name, name)) continue;
    WeightedList list(field.value);
    while (const std::optional<WeightedItem> item = list.next()) visit(*item);
  }
}

// How closely a range names a type: 3 by its name, 2 by "type/*", 1 by "*/*", 0 not at all.
int specificity(std::string_view range, std::string_view type) {
  range = trimmed(range.substr(0, range.find(';')));
  if (equal_ignoring_case(range, type)) return 3;
  if (range == "*/*") return 1;
  const std::size_t slash = type.find('/') + 1;
  const bool any_of_kind = range.size() == slash + 1 && range.back() == '*' &&
                           equal_ignoring_case(range.substr(0, slash), type.substr(0, slash));
  return any_of_kind ? 2 : 0;
}

bool names_coding(std::string_view item, std::string_view coding) {
  if (equal_ignoring_case(item, coding)) return true;
  return item.size() > 2 && equal_ignoring_case(item.substr(0, 2), "x-") &&
         equal_ignoring_case(item.substr(2), coding);
}

// What Accept-Encoding says of a coding; by its own name, if that is listed, rather than by "*".
std::optional<Weight> listed_weight(const Request& request, std::string_view coding) {
  std::optional<Weight> by_name;
  std::optional<Weight> by_star;
  for_each_item(request, "Accept-Encoding", [&](const WeightedItem& item) {
    if (item.value == "*") {
      by_star = std::max(item.weight, by_star.value_or(0));
    } else if (names_coding(item.value, coding)) {
      by_name = std::max(item.weight, by_name.value_or(0));
    }
  });
  return by_name ? by_name : by_star;
}

}  // namespace

std::optional<WeightedItem> WeightedList::next() {
  while (!rest_.empty()) {
    const std::string_view member = trimmed(take_until(rest_, ','));
    std::string_view parameters = member;
    take_until(parameters, ';');
    WeightedItem item{member};
    bool known = true;
    while (!parameters.empty()) {
      const auto begin = static_cast<std::size_t>(parameters.data() - member.data());
      const std::string_view parameter = trimmed(take_until(parameters, ';'));
      if (!is_weight(parameter)) continue;
      item.value = trimmed(member.substr(0, begin - 1));
      const std::optional<Weight> weight = parse_weight(parameter.substr(2));
      known = weight.has_value();
      item.weight = weight.value_or(0);
      break;
    }
    if (known && !item.value.empty()) return item;
  }
  return std::nullopt;
}

Weight media_type_weight(const Request& request, std::string_view type) {
  bool asked = false;
  int closest = 0;
  Weight weight = 0;
  for_each_item(request, "Accept", [&](const WeightedItem& item) {
    asked = true;
    const int close = specificity(item.value, type);
    if (close == 0 || close < closest) return;
    weight = close > closest ? item.weight : std::max(weight, item.weight);
    closest = close;
  });
  return asked ? weight : full_weight;
}

Weight coding_weight(const Request& request, std::string_view coding) {
  return listed_weight(request, coding).value_or(0);
}

bool accepts_identity(const Request& request) {
  return listed_weight(request, "identity").value_or(full_weight) > 0;
}

}  // namespace stagecraft
