#include "http/field_parser.h"

#include <algorithm>

namespace stagecraft {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool is_space(char c) { return c == ' ' || c == '\t'; }

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view take_list_member(std::string_view& list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view member = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    while (!member.empty() && is_space(member.front())) member.remove_prefix(1);
    while (!member.empty() && is_space(member.back())) member.remove_suffix(1);
    if (!member.empty()) return member;
  }
  return {};
}

bool list_contains(std::string_view list, std::string_view token) {
  for (auto member = take_list_member(list); !member.empty(); member = take_list_member(list)) {
    if (equal_ignoring_case(member, token)) return true;
  }
  return false;
}

}  // namespace stagecraft
