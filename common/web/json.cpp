#include "web/json.h"

#include "base/escape.h"

namespace stagecraft {

void JsonObject::begin(std::string_view name) {
  if (text_.size() > 1) text_ += ',';
  text_.append("\"").append(name).append("\":");
}

JsonObject& JsonObject::add(std::string_view name, std::string_view value) {
  begin(name);
  text_ += '"';
  append_json_escaped(text_, value);
  text_ += '"';
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::uint64_t value) {
  begin(name);
  text_ += std::to_string(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::int64_t value) {
  begin(name);
  text_ += std::to_string(value);
  return *this;
}

}  // namespace stagecraft
