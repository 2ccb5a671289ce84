// What is signed comes back as it was, or not at all.
#include "web/signer.h"

#include <stdexcept>
#include <string>

#include "catch.h"
#include "unit/web/random_text.h"
#include "web/base64.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

SecretKey key(char digit) { return SecretKey::from_hex(std::string(64, digit)); }

}  // namespace

TEST_CASE("A signature is the HMAC-SHA-256 of purpose, NUL and text") {
  // printf 'a\0hello' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0000... -binary |
  //   basenc --base64url
  CHECK(Signer("a", {key('0')}).sign("hello") ==
        "aGVsbG8.bVMoswryHW5UIW7PMP7kSrGLb_RLbxbQ48XtRJhOtwU");
}

TEST_CASE("A text that was signed is verified, and nothing else is") {
  const Signer signer("test", {key('1')});
  const std::string text = signer.sign("user=a&x");
  CHECK(signer.verify(text) == "user=a&x");
  CHECK(signer.verify(signer.sign("")) == "");
  for (std::size_t i = 0; i < text.size(); ++i) {
    CAPTURE(i);
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CHECK_FALSE(signer.verify(changed));
    CHECK_FALSE(signer.verify(text.substr(0, i)));
    CHECK_FALSE(signer.verify(text.substr(0, i) + text.substr(i + 1)));
  }
  for (const char* other : {"", ".", "..", "a.b", "=."}) CHECK_FALSE(signer.verify(other));
  CHECK_FALSE(signer.verify(text + "A"));
  CHECK_FALSE(signer.verify(text + "="));
  CHECK_FALSE(signer.verify(text + ".A"));
}

TEST_CASE("Another key or another purpose signs something else") {
  const std::string text = Signer("test", {key('1')}).sign("x");
  CHECK_FALSE(Signer("test", {key('2')}).verify(text));
  CHECK_FALSE(Signer("tes", {key('1')}).verify(text));
  CHECK_THROWS_AS(Signer("test", {}), std::invalid_argument);
}

TEST_CASE("A new key takes over while the old one is still believed") {
  const Signer old_one("test", {key('1')});
  const Signer both("test", {key('2'), key('1')});
  const Signer new_one("test", {key('2')});
  CHECK(both.verify(old_one.sign("x")) == "x");
  CHECK(new_one.verify(both.sign("x")) == "x");
  CHECK_FALSE(old_one.verify(both.sign("x")));
}

TEST_CASE("Keys have 32 bytes") {
  CHECK(key('a').bytes()[31] == 0xaa);
  CHECK(SecretKey::random().bytes() != SecretKey::random().bytes());
  for (const std::string& digits :
       {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g')}) {
    CHECK_THROWS_AS(SecretKey::from_hex(digits), std::invalid_argument);
  }
}

TEST_CASE("Texts are compared whole") {
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time("secret", "secret"));
  CHECK_FALSE(equal_in_constant_time("secret", "secre"));
  CHECK_FALSE(equal_in_constant_time("secret", "secreT"));
}

TEST_CASE("Base64 is that of RFC 4648, and strict") {
  CHECK(to_base64("foob", Base64::standard) == "Zm9vYg==");
  CHECK(to_base64("\xff\xfe", Base64::url) == "__4");
  CHECK(from_base64("Zm9vYg==", Base64::standard) == "foob");
  CHECK(from_base64("", Base64::url) == "");
  for (const char* text :
       {"Zm9vYg", "Zm9vYg=", "Zm9vYh==", "Zm9v Yg==", "Zm9v\nYg==", "Z", "Zm9-"}) {
    CAPTURE(text);
    CHECK_FALSE(from_base64(text, Base64::standard));
  }
  RandomText random;
  INFO("STAGECRAFT_SEED=" << random.seed());
  for (int round = 0; round < 200; ++round) {
    const std::string bytes = random.bytes(40);
    REQUIRE(from_base64(to_base64(bytes, Base64::url), Base64::url) == bytes);
    REQUIRE(from_base64(to_base64(bytes, Base64::standard), Base64::standard) == bytes);
  }
}
