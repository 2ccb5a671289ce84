#include "app/option_errors.h"

#include <algorithm>
#include <string_view>

namespace stagecraft {

std::string message_of(const CLI::ParseError& error) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    message = message.substr(0, message.find(':')) + ": a value is missing";
  } else if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) {
    message = "--config: " + message;
  } else if (dynamic_cast<const CLI::ConfigError*>(&error) != nullptr) {
    constexpr std::string_view before = "INI was not able to parse ";
    if (message.starts_with(before)) message.replace(0, before.size(), "there is no option ");
    message = "--config: " + message;
  }
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message;
}

}  // namespace stagecraft
