#include "web/base64.h"

#include <sodium.h>

namespace stagecraft {

namespace {

int variant(Base64 letters) {
  return letters == Base64::url ? sodium_base64_VARIANT_URLSAFE_NO_PADDING
                                : sodium_base64_VARIANT_ORIGINAL;
}

}  // namespace

std::string to_base64(std::string_view bytes, Base64 letters) {
  std::string text(::sodium_base64_encoded_len(bytes.size(), variant(letters)), '\0');
  const auto* const begin =
      static_cast<const unsigned char*>(static_cast<const void*>(bytes.data()));
  ::sodium_bin2base64(text.data(), text.size(), begin, bytes.size(), variant(letters));
  text.pop_back();  // the function ends it with a NUL
  return text;
}

std::optional<std::string> from_base64(std::string_view text, Base64 letters) {
  std::string bytes(text.size(), '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  auto* const begin = static_cast<unsigned char*>(static_cast<void*>(bytes.data()));
  if (::sodium_base642bin(begin, bytes.size(), text.data(), text.size(), nullptr, &size, &end,
                          variant(letters)) != 0 ||
      end != text.data() + text.size()) {
    return std::nullopt;
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace stagecraft
