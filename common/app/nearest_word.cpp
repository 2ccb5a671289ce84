#include "app/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace stagecraft {
namespace {

// How many letters must be added, left out or changed to make one word of the other (Levenshtein).
std::size_t distance(std::string_view from, std::string_view to) {
  // Of the letters of `from` so far, to each beginning of `to`.
  std::vector<std::size_t> distances(to.size() + 1);
  std::iota(distances.begin(), distances.end(), std::size_t{0});
  for (const char letter : from) {
    std::size_t diagonal = distances[0]++;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::size_t changed = diagonal + (letter == to[i] ? 0 : 1);
      diagonal = distances[i + 1];
      distances[i + 1] = std::min({changed, distances[i] + 1, diagonal + 1});
    }
  }
  return distances[to.size()];
}

}  // namespace

std::string nearest_word(std::string_view typed, const std::vector<std::string>& words) {
  constexpr std::size_t near = 2;
  std::string nearest;
  std::size_t least = near + 1;
  for (const std::string& word : words) {
    const std::size_t away = distance(typed, word);
    if (away >= least) continue;
    least = away;
    nearest = word;
  }
  return nearest;
}

}  // namespace stagecraft
