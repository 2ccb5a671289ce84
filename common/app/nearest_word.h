// What somebody meant who has mistyped a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// The one of `words` from which `typed` is at most two letters away, each of them added, left out
/// or another one; the nearest if there are several. Empty if there is none.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& words);

}  // namespace stagecraft
