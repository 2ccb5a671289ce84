// The vector loops find what the plain loop finds, and read nothing behind the end.
#include "http/scan.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "catch.h"
#include "unit/http/guarded_bytes.h"

using namespace stagecraft;
using stagecraft::testing::GuardedBytes;

namespace {

constexpr std::size_t max_length = 64;

std::size_t plain(std::string_view bytes, scan::Class kind) {
  const char* end = bytes.data() + bytes.size();
  return static_cast<std::size_t>(scan::skip_plain(bytes.data(), end, kind) - bytes.data());
}

// Where the vector loop stops in BYTES when it starts at their byte BEGIN.
template <scan::Class kind>
std::size_t vectored(std::string_view bytes, std::size_t begin = 0) {
  const char* first = bytes.data();
  return static_cast<std::size_t>(scan::skip<kind>(first, first + begin, first + bytes.size()) -
                                  first);
}

// How often the loops disagree about BYTES, which are held next to either guard, so that reading
// outside of them kills.
template <scan::Class kind>
unsigned disagreements_about(GuardedBytes& block, std::string_view bytes) {
  const std::size_t expected = plain(bytes, kind);
  const bool at_end = vectored<kind>(block.hold(bytes)) == expected;
  const bool at_front = vectored<kind>(block.hold_at_front(bytes)) == expected;
  return (at_end ? 0U : 1U) + (at_front ? 0U : 1U);
}

// Every byte value at every position of every length, all other bytes being FILLER, which belongs
// to the class.
template <scan::Class kind>
unsigned disagreements(char filler) {
  GuardedBytes block(max_length);
  unsigned count = 0;
  for (std::size_t length = 0; length <= max_length; ++length) {
    const std::string whole(length, filler);
    count += disagreements_about<kind>(block, whole);
    for (std::size_t position = 0; position < length; ++position) {
      std::string text = whole;
      for (unsigned byte = 0; byte < 256; ++byte) {
        text[position] = static_cast<char>(byte);
        count += disagreements_about<kind>(block, text);
      }
    }
  }
  return count;
}

// The same for two odd bytes at once: the first may be a rare member of the class, behind which the
// loop must go on, to stop at the second.
template <scan::Class kind>
unsigned disagreements_behind(char filler, char rare) {
  GuardedBytes block(max_length);
  unsigned count = 0;
  for (std::size_t first = 0; first < 40; ++first) {
    for (std::size_t second = first + 1; second < 40; ++second) {
      std::string text(40, filler);
      text[first] = rare;
      for (unsigned byte = 0; byte < 256; ++byte) {
        text[second] = static_cast<char>(byte);
        count += disagreements_about<kind>(block, text);
      }
    }
  }
  return count;
}

// The same when the loop starts in the middle: what stands before must not count.
template <scan::Class kind>
unsigned disagreements_from_the_middle(char filler) {
  GuardedBytes block(max_length);
  unsigned count = 0;
  for (std::size_t length = 0; length <= 40; ++length) {
    for (std::size_t begin = 0; begin <= length; ++begin) {
      for (std::size_t stop = begin; stop <= length; ++stop) {
        std::string text(length, '\x01');
        for (std::size_t i = begin; i < stop; ++i) text[i] = filler;
        if (vectored<kind>(block.hold(text), begin) != stop) ++count;
        if (vectored<kind>(block.hold_at_front(text), begin) != stop) ++count;
      }
    }
  }
  return count;
}

bool contains(std::string_view bytes, unsigned byte) {
  return bytes.find(static_cast<char>(byte)) != std::string_view::npos;
}

}  // namespace

TEST_CASE("The vector loop for tokens finds what the plain loop finds") {
  CHECK(disagreements<scan::token>('a') == 0);
  CHECK(disagreements<scan::token>('Z') == 0);
  CHECK(disagreements<scan::token>('_') == 0);
  CHECK(disagreements_behind<scan::token>('k', '7') == 0);
  CHECK(disagreements_from_the_middle<scan::token>('k') == 0);
}

TEST_CASE("The vector loop for field values finds what the plain loop finds") {
  CHECK(disagreements<scan::text>('x') == 0);
  CHECK(disagreements<scan::text>('\t') == 0);
  CHECK(disagreements<scan::text>('\xfc') == 0);
  CHECK(disagreements_behind<scan::text>(' ', '\t') == 0);
  CHECK(disagreements_from_the_middle<scan::text>(' ') == 0);
}

TEST_CASE("The vector loop for targets finds what the plain loop finds") {
  CHECK(disagreements<scan::target>('/') == 0);
  CHECK(disagreements<scan::target>('~') == 0);
  CHECK(disagreements_behind<scan::target>('a', '!') == 0);
  CHECK(disagreements_from_the_middle<scan::target>('a') == 0);
}

TEST_CASE("The vector loop for paths finds what the plain loop finds") {
  CHECK(disagreements<scan::path>('/') == 0);
  CHECK(disagreements<scan::path>('~') == 0);
  CHECK(disagreements_behind<scan::path>('a', '!') == 0);
  CHECK(disagreements_from_the_middle<scan::path>('a') == 0);
}

TEST_CASE("The vector loop for hosts finds what the plain loop finds") {
  CHECK(disagreements<scan::host>('h') == 0);
  CHECK(disagreements<scan::host>('9') == 0);
  CHECK(disagreements<scan::host>('~') == 0);
  CHECK(disagreements_behind<scan::host>('.', '_') == 0);
  CHECK(disagreements_from_the_middle<scan::host>('0') == 0);
}

TEST_CASE("The classes of bytes are those of the grammar") {
  // Written out here once more, by the letter of RFC 9110 and RFC 3986, so that a slip in the table
  // does not go unnoticed.
  const std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const std::string_view digits = "0123456789";
  for (unsigned byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const char c = static_cast<char>(byte);
    const bool alphanumeric = byte != 0 && (contains(letters, byte) || contains(digits, byte));
    const bool visible = byte >= 0x21 && byte <= 0x7e;
    CHECK(scan::is(c, scan::token) == (alphanumeric || contains("!#$%&'*+-.^_`|~", byte)));
    CHECK(scan::is(c, scan::text) == (visible || byte >= 0x80 || byte == ' ' || byte == '\t'));
    CHECK(scan::is(c, scan::target) == (visible && c != '#'));
    CHECK(scan::is(c, scan::path) == (visible && !contains("#?%\\.", byte)));
    CHECK(scan::is(c, scan::host) == (alphanumeric || contains("-._~!$&'()*+;=", byte)));
    CHECK(scan::is(c, scan::digit) == contains(digits, byte));
    CHECK(scan::is(c, scan::hex) == (contains(digits, byte) || contains("abcdefABCDEF", byte)));
  }
}
