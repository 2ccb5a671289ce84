#include "web/language.h"

#include "http/weighted_list.h"
#include "web/fields.h"

namespace stagecraft {

namespace {

// Whether `prefix` is all of `tag`, or ends at one of its hyphens.
bool is_prefix(std::string_view prefix, std::string_view tag) {
  return equal_ignoring_case(prefix, tag.substr(0, prefix.size())) &&
         (prefix.size() == tag.size() || tag[prefix.size()] == '-');
}

struct Wish {
  Weight weight = 0;
  std::size_t place = 0;  // in the client's list
};

// What the most exact range says of a language.
Wish wish_for(const Request& request, std::string_view tag) {
  Wish wish;
  std::size_t place = 0;
  std::size_t most_exact = 0;
  for (std::size_t index = 0; index < request.field_count(); ++index) {
    const Field field = request.field_at(index);
    if (!equal_ignoring_case(field.name, "Accept-Language")) continue;
    WeightedList list(field.value);
    while (const std::optional<WeightedItem> item = list.next()) {
      ++place;
      const std::string_view range = item->value;
      const std::size_t exact = is_prefix(range, tag)   ? 2 + range.size()
                                : is_prefix(tag, range) ? 2
                                : range == "*"          ? 1
                                                        : 0;
      if (exact <= most_exact) continue;
      most_exact = exact;
      wish = {item->weight, place};
    }
  }
  return wish;
}

}  // namespace

std::optional<std::string_view> best_language(const Request& request,
                                              std::span<const std::string_view> available) {
  std::optional<std::string_view> best;
  Wish best_wish;
  for (const std::string_view tag : available) {
    const Wish wish = wish_for(request, tag);
    const bool better = wish.weight > best_wish.weight ||
                        (wish.weight == best_wish.weight && wish.place < best_wish.place);
    if (wish.weight == 0 || !better) continue;
    best = tag;
    best_wish = wish;
  }
  return best;
}

}  // namespace stagecraft
