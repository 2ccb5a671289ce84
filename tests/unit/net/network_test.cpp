// Which addresses belong to a network.
#include "net/network.h"

#include <string_view>

#include "catch.h"

using namespace stagecraft;
using namespace std::string_view_literals;

namespace {

bool contains(std::string_view network, std::string_view address) {
  return Network::parse(network).value().contains(address);
}

}  // namespace

TEST_CASE("An address alone is a network of one") {
  CHECK(contains("127.0.0.1", "127.0.0.1"));
  CHECK_FALSE(contains("127.0.0.1", "127.0.0.2"));
  CHECK(contains("::1", "::1"));
  CHECK(contains("2001:db8::1", "2001:0DB8:0:0::1"));
}

TEST_CASE("A network has the addresses that begin as it does") {
  CHECK(contains("10.0.0.0/8", "10.255.0.1"));
  CHECK_FALSE(contains("10.0.0.0/8", "11.0.0.1"));
  CHECK(contains("192.0.2.128/25", "192.0.2.255"));
  CHECK_FALSE(contains("192.0.2.128/25", "192.0.2.127"));
  CHECK(contains("2001:db8::/33", "2001:db8:7fff::"));
  CHECK_FALSE(contains("2001:db8::/33", "2001:db8:8000::"));
  CHECK(contains("0.0.0.0/0", "255.255.255.255"));
  CHECK(contains("192.0.2.77/24", "192.0.2.1"));  // what stands behind the prefix does not matter
}

TEST_CASE("An IPv4 address is the same over an IPv6 socket, and in no IPv6 network") {
  CHECK(contains("127.0.0.0/8", "::ffff:127.0.0.1"));
  CHECK(contains("::ffff:127.0.0.1", "127.0.0.1"));
  CHECK_FALSE(contains("::/0", "127.0.0.1"));
  CHECK_FALSE(contains("0.0.0.0/0", "::1"));
}

TEST_CASE("What is no network is refused, and what is no address is in none") {
  for (const std::string_view text :
       {""sv, "localhost"sv, "10"sv, "10.0.0"sv, "10.0.0.0/"sv, "10.0.0.0/33"sv, "10.0.0.0/-1"sv,
        "10.0.0.0/8x"sv, "::1/129"sv, "[::1]"sv, "127.0.0.1:80"sv, " 127.0.0.1"sv,
        "127.0.0.1\0"sv}) {
    CAPTURE(text);
    CHECK_FALSE(Network::parse(text).has_value());
    CHECK_FALSE(contains("0.0.0.0/0", text));
    CHECK_FALSE(contains("::/0", text));
  }
}
