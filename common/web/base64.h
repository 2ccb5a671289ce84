// Any bytes in letters that can stand anywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// Which letters (RFC 4648).
enum class Base64 : std::uint8_t {
  standard,  ///< with '+', '/' and padding: section 4
  url        ///< with '-', '_' and without padding: section 5
};

std::string to_base64(std::string_view bytes, Base64 letters);

/// nullopt for what to_base64() would not have written.
std::optional<std::string> from_base64(std::string_view text, Base64 letters);

}  // namespace stagecraft
