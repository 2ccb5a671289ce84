// Small JSON objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stagecraft {

/// An object with the members that are added, in their order: {"name":"value","count":3}. The names
/// are the program's own and need no escapes.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view value);
  JsonObject& add(std::string_view name, std::uint64_t value);
  JsonObject& add(std::string_view name, std::int64_t value);
  /// The object, with a newline behind it for those who look at it in a terminal.
  std::string text() const { return text_ + "}\n"; }

 private:
  void begin(std::string_view name);

  std::string text_ = "{";
};

}  // namespace stagecraft
