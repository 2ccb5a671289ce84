// Random input whose seed is printed, so that a failure can be seen again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace stagecraft::testing {

/// A source of texts. Its seed is that of STAGECRAFT_SEED in the environment, else a new one: say
/// INFO("STAGECRAFT_SEED=" << random.seed()) before checking anything.
class RandomText {
 public:
  RandomText() : seed_(chosen_seed()), generator_(seed_) {}
  std::uint32_t seed() const { return seed_; }

  /// From 0 to `below` - 1.
  std::size_t number(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(generator_);
  }
  /// A text of up to `max_size` of these characters.
  std::string of(std::string_view alphabet, std::size_t max_size) {
    std::string text(number(max_size + 1), '\0');
    for (char& c : text) c = alphabet[number(alphabet.size())];
    return text;
  }
  /// Any bytes.
  std::string bytes(std::size_t max_size) {
    std::string text(number(max_size + 1), '\0');
    for (char& c : text) c = static_cast<char>(number(256));
    return text;
  }
  /// UTF-8, of characters that are easily got wrong.
  std::string utf8(std::size_t max_characters) {
    constexpr std::string_view pieces[] = {
        "a",    "Z",  "0",  " ", "+", "&", "=", "%",        "%4",           "%41",
        ";",    "\"", "\\", "'", "/", "?", "#", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
        "\r\n", "\t", "-"};
    std::string text;
    for (std::size_t left = number(max_characters + 1); left > 0; --left) {
      text += pieces[number(std::size(pieces))];
    }
    return text;
  }

 private:
  static std::uint32_t chosen_seed() {
    const char* const chosen = std::getenv("STAGECRAFT_SEED");
    return chosen == nullptr ? std::random_device{}()
                             : static_cast<std::uint32_t>(std::strtoul(chosen, nullptr, 10));
  }

  std::uint32_t seed_;
  std::mt19937 generator_;
};

}  // namespace stagecraft::testing
