// The limits that options set, just below and just above, however the bytes are cut. Each case
// starts a server of its own.
#include <string>
#include <string_view>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"

namespace stagecraft::conformance {
namespace {

// Sends it at once and byte by byte: a limit must hold for every way of cutting.
void check_both(const testing::Endpoint& server, const std::string& request,
                const std::string& outcome) {
  const Probe probe{.request = request,
                    .outcome = outcome,
                    .hint = "a limit that holds only for some ways of cutting the bytes"};
  check_at(server, probe, Pace::at_once);
  check_at(server, probe, Pace::byte_by_byte);
}

}  // namespace

TEST_CASE("--max-request-line bounds the request line", "[limits][9112-3-2]") {
  const auto own = server_with({"--max-request-line", "256"});
  check_both(own->endpoint(), get("/" + repeated('a', 200)), "200 keep");
  check_both(own->endpoint(), get("/" + repeated('a', 300)), "414 close");
  own->stop();
}

TEST_CASE("--max-head-size bounds the head", "[limits][9110-5.4-1]") {
  const auto own = server_with({"--max-head-size", "512"});
  check_both(own->endpoint(), get("/", "X: " + repeated('x', 400) + "\r\n"), "200 keep");
  check_both(own->endpoint(), get("/", "X: " + repeated('x', 600) + "\r\n"), "431 close");
  check_both(own->endpoint(), get("/", repeated('x', 600) + ": y\r\n"), "431 close");
  own->stop();
}

TEST_CASE("--max-fields bounds the number of fields", "[limits][9110-5.4-1]") {
  const auto own = server_with({"--max-fields", "10"});
  const auto fields = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "X: y\r\n";
    return text;
  };
  // Host is one of them.
  check_both(own->endpoint(), get("/", fields(9)), "200 keep");
  check_both(own->endpoint(), get("/", fields(10)), "431 close");
  own->stop();
}

TEST_CASE("--max-request-size bounds the body", "[limits][9112-7.1-2]") {
  const auto own = server_with({"--max-request-size", "1KiB"});
  const std::string half(512, 'x');
  check_both(own->endpoint(), post(half + half), "200 keep");
  // Refused, but short enough to be read and thrown away: the connection may be kept.
  check_both(own->endpoint(), post(half + half + "x"), "413 any");
  const std::string chunk = "200\r\n" + half + "\r\n";
  check_both(own->endpoint(), post_chunked(chunk + chunk + "0\r\n\r\n"), "200 keep");
  check_both(own->endpoint(), post_chunked(chunk + chunk + "1\r\nx\r\n0\r\n\r\n"), "413 any");
  check_both(own->endpoint(), post_chunked("401\r\n" + half + half + "x\r\n0\r\n\r\n"), "413 any");
  own->stop();
}

TEST_CASE("--max-trailer-size bounds the trailers", "[limits][9112-7.1.2-2]") {
  const auto own = server_with({"--max-trailer-size", "256"});
  const auto trailer = [](std::size_t size) {
    return post_chunked("0\r\nX: " + repeated('x', size) + "\r\n\r\n");
  };
  check_both(own->endpoint(), trailer(200), "200 keep");
  check_both(own->endpoint(), trailer(300), "431 close or 413 close or 400 close");
  own->stop();
}

TEST_CASE("--max-chunk-overhead bounds sizes and extensions", "[limits][9112-7.1.1-2]") {
  const auto own = server_with({"--max-chunk-overhead", "256"});
  const auto extended = [](std::size_t size) {
    return post_chunked("1;" + repeated('x', size) + "\r\nx\r\n0\r\n\r\n");
  };
  check_both(own->endpoint(), extended(200), "200 keep");
  check_both(own->endpoint(), extended(300), "413 close or 431 close or 400 close");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "1;abc\r\nx\r\n";
  check_both(own->endpoint(), post_chunked(many + "0\r\n\r\n"),
             "413 close or 431 close or 400 close");
  own->stop();
}

}  // namespace stagecraft::conformance
