// For whom a proxy asks, and whom it is not believed.
#include "web/forwarded.h"

#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

TrustedProxies proxies(ForwardedField field) {
  TrustedProxies trusted;
  for (const std::string_view network : {"127.0.0.1", "10.0.0.0/8", "2001:db8::/32"}) {
    trusted.networks.push_back(Network::parse(network).value());
  }
  trusted.field = field;
  return trusted;
}

// Who a request with these fields comes from, over a connection from `peer`.
std::string client(std::string_view peer, std::string_view fields,
                   ForwardedField field = ForwardedField::x_forwarded_for) {
  std::string found;
  const Route route =
      forwarded_by(proxies(field))({[&](const Request& request, Response& response) {
        found = client_address(request);
        response.text("");
      }});
  Driver driver([&route](const Request&) -> const Route& { return route; });
  driver.connection().remote_address = peer;
  driver.feed("GET / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n").run();
  return found;
}

constexpr auto forwarded = ForwardedField::forwarded;

}  // namespace

TEST_CASE("Without a proxy the client is the connection's other end, whatever it says") {
  CHECK(client("192.0.2.1:5", "") == "192.0.2.1");
  CHECK(client("[2001:db9::1]:5", "") == "2001:db9::1");
  CHECK(client("192.0.2.1:5", "X-Forwarded-For: 127.0.0.1\r\n") == "192.0.2.1");
  CHECK(client("192.0.2.1:5", "Forwarded: for=127.0.0.1\r\n", forwarded) == "192.0.2.1");
}

TEST_CASE("A proxy of ours says for whom it asks") {
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: 192.0.2.1\r\n") == "192.0.2.1");
  CHECK(client("127.0.0.1:5", "x-forwarded-for:192.0.2.1:4711\r\n") == "192.0.2.1");
  CHECK(client("[2001:db8::1]:5", "X-Forwarded-For: 2001:db9::1\r\n") == "2001:db9::1");
  CHECK(client("127.0.0.1:5", "") == "127.0.0.1");
}

TEST_CASE("What a client wrote before the first proxy is not believed") {
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: 198.51.100.1, 192.0.2.1\r\n") == "192.0.2.1");
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 192.0.2.1\r\n") ==
        "192.0.2.1");
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: 198.51.100.1, 192.0.2.1, 10.1.1.1\r\n") ==
        "192.0.2.1");
  // The field that our proxies do not write.
  CHECK(client("127.0.0.1:5", "Forwarded: for=198.51.100.1\r\nX-Forwarded-For: 192.0.2.1\r\n") ==
        "192.0.2.1");
  CHECK(client("127.0.0.1:5", "Forwarded: for=198.51.100.1\r\n") == "127.0.0.1");
}

TEST_CASE("A request that never left our proxies comes from the first of them") {
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: 10.1.1.1, 10.2.2.2\r\n") == "10.1.1.1");
}

TEST_CASE("What is no address ends the search") {
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: unknown\r\n") == "127.0.0.1");
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: 192.0.2.1, <script>, 10.1.1.1\r\n") == "10.1.1.1");
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: , 192.0.2.1,\t,\r\n") == "192.0.2.1");
  CHECK(client("127.0.0.1:5", "X-Forwarded-For: [\r\n") == "127.0.0.1");
}

TEST_CASE("Forwarded is read as RFC 7239 has it") {
  CHECK(client("127.0.0.1:5", "Forwarded: for=192.0.2.1;proto=https;by=10.0.0.1\r\n", forwarded) ==
        "192.0.2.1");
  CHECK(client("127.0.0.1:5", "Forwarded: proto=https; For=\"192.0.2.1:4711\"\r\n", forwarded) ==
        "192.0.2.1");
  CHECK(client("127.0.0.1:5", "Forwarded: for=\"[2001:db9::1]:4711\"\r\n", forwarded) ==
        "2001:db9::1");
  CHECK(client("127.0.0.1:5", "Forwarded: for=198.51.100.1, for=192.0.2.1\r\n", forwarded) ==
        "192.0.2.1");
  CHECK(client("127.0.0.1:5", "Forwarded: for=_hidden\r\n", forwarded) == "127.0.0.1");
  CHECK(client("127.0.0.1:5", "Forwarded: by=192.0.2.1\r\n", forwarded) == "127.0.0.1");
  // A comma and a semicolon within quotes are none.
  CHECK(client("127.0.0.1:5", "Forwarded: for=192.0.2.1;secret=\"a, for=198.51.100.1;\\\"\"\r\n",
               forwarded) == "192.0.2.1");
}
