// Texts that come back from a client as they were given to it, or not at all.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A secret of 32 bytes.
class SecretKey {
 public:
  static constexpr std::size_t size = 32;

  /// A new one, from the system's random numbers. A server that makes one when it starts forgets
  /// all sessions when it ends.
  static SecretKey random();
  /// From 64 hexadecimal digits, as `openssl rand -hex 32` prints them. Throws
  /// std::invalid_argument.
  static SecretKey from_hex(std::string_view digits);

  const std::array<unsigned char, size>& bytes() const { return bytes_; }

 private:
  std::array<unsigned char, size> bytes_{};
};

/// Whether two texts are equal, in a time that tells nothing of where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// Signs texts by HMAC-SHA-256 and checks what comes back. Anybody can read what is signed; nobody
/// without a key can change it.
///
/// The first key signs, and all of them are accepted. To change keys: put the new one first, and
/// take the old one away when what it has signed is over.
///
/// Const after it is made: any thread may use it.
class Signer {
 public:
  /// `purpose` is signed too, so that what was signed for one purpose is nothing for another.
  /// Throws std::invalid_argument if there is no key.
  Signer(std::string purpose, std::vector<SecretKey> keys);

  /// "TEXT.SIGNATURE", both in the base64 of URLs: fit for a cookie.
  std::string sign(std::string_view text) const;
  /// The text, if one of the keys has signed it.
  std::optional<std::string> verify(std::string_view signed_text) const;

 private:
  using Mac = std::array<unsigned char, 32>;
  Mac mac(const SecretKey& key, std::string_view text) const;

  std::string purpose_;
  std::vector<SecretKey> keys_;
};

}  // namespace stagecraft
