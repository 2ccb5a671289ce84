#include "web/signer.h"

#include <sodium.h>

#include <stdexcept>
#include <utility>

#include "web/base64.h"

namespace stagecraft {

namespace {

static_assert(SecretKey::size == crypto_auth_hmacsha256_KEYBYTES);

// The library must be told to begin; telling it again, from any thread, does no harm.
void begin() {
  if (::sodium_init() < 0) throw std::runtime_error("the cryptography library cannot be used");
}

const unsigned char* bytes_of(std::string_view text) {
  return static_cast<const unsigned char*>(static_cast<const void*>(text.data()));
}

}  // namespace

SecretKey SecretKey::random() {
  begin();
  SecretKey key;
  ::randombytes_buf(key.bytes_.data(), key.bytes_.size());
  return key;
}

SecretKey SecretKey::from_hex(std::string_view digits) {
  SecretKey key;
  std::size_t bytes = 0;
  const char* end = nullptr;
  if (digits.size() != 2 * size ||
      ::sodium_hex2bin(key.bytes_.data(), size, digits.data(), digits.size(), nullptr, &bytes,
                       &end) != 0 ||
      bytes != size || end != digits.data() + digits.size()) {
    throw std::invalid_argument("a secret key must have 64 hexadecimal digits");
  }
  return key;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  // Hashed first, so that both have one length.
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash_a{};
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash_b{};
  ::crypto_hash_sha256(hash_a.data(), bytes_of(a), a.size());
  ::crypto_hash_sha256(hash_b.data(), bytes_of(b), b.size());
  return ::sodium_memcmp(hash_a.data(), hash_b.data(), hash_a.size()) == 0;
}

Signer::Signer(std::string purpose, std::vector<SecretKey> keys)
    : purpose_(std::move(purpose)), keys_(std::move(keys)) {
  begin();
  if (keys_.empty()) throw std::invalid_argument("nobody can sign without a key");
}

Signer::Mac Signer::mac(const SecretKey& key, std::string_view text) const {
  crypto_auth_hmacsha256_state state;
  ::crypto_auth_hmacsha256_init(&state, key.bytes().data(), key.bytes().size());
  // With its end, so that no letter can move from the purpose into the text.
  ::crypto_auth_hmacsha256_update(&state, bytes_of(purpose_.c_str()), purpose_.size() + 1);
  ::crypto_auth_hmacsha256_update(&state, bytes_of(text), text.size());
  Mac mac{};
  ::crypto_auth_hmacsha256_final(&state, mac.data());
  return mac;
}

std::string Signer::sign(std::string_view text) const {
  const Mac signature = mac(keys_.front(), text);
  const auto* const letters = static_cast<const char*>(static_cast<const void*>(signature.data()));
  return to_base64(text, Base64::url) + '.' + to_base64({letters, signature.size()}, Base64::url);
}

std::optional<std::string> Signer::verify(std::string_view signed_text) const {
  const std::size_t dot = signed_text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::optional<std::string> text = from_base64(signed_text.substr(0, dot), Base64::url);
  const std::optional<std::string> signature =
      from_base64(signed_text.substr(dot + 1), Base64::url);
  if (!text || !signature || signature->size() != Mac{}.size()) return std::nullopt;
  for (const SecretKey& key : keys_) {
    const Mac expected = mac(key, *text);
    if (::sodium_memcmp(expected.data(), signature->data(), expected.size()) == 0) return text;
  }
  return std::nullopt;
}

}  // namespace stagecraft
