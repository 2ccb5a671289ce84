// Request targets in their four forms, and paths that lead nowhere good.
#include "http/request_target.h"

#include <string>
#include <string_view>

#include "catch.h"
#include "unit/http/guarded_bytes.h"

using namespace stagecraft;
using namespace std::string_view_literals;
using stagecraft::testing::GuardedBytes;

namespace {

// `authority path ? query`, or the status that refuses the target.
std::string read_target(Method method, std::string_view target, std::string_view behind) {
  GuardedBytes block(target.size() + behind.size());
  const std::string_view head = block.hold(std::string(target) += behind);
  const std::string_view held = head.substr(0, target.size());
  RequestTarget parsed;
  std::string decoded = "left over";
  std::string_view reason;
  const Status status = parse_target(method, head, {0, static_cast<std::uint16_t>(target.size())},
                                     parsed, decoded, reason);
  if (status != Status::none) {
    CHECK_FALSE(reason.empty());
    return std::to_string(code(status));
  }
  const std::string_view path = parsed.path_decoded ? decoded : parsed.path.of(held.data());
  return std::string(parsed.authority.of(held.data())) + ' ' + std::string(path) + " ? " +
         std::string(parsed.query.of(held.data()));
}

// What follows a target in a head may be looked at, and must not matter.
std::string read_target(Method method, std::string_view target) {
  const std::string alone = read_target(method, target, "");
  CHECK(read_target(method, target, " HTTP/1.1\r\nHost: example.org\r\n\r\n") == alone);
  CHECK(read_target(method, target, " HTTP/1.1\r\nHost: /./..\r\n\r\n") == alone);
  return alone;
}

std::string read_target(std::string_view target) { return read_target(Method::get, target); }

// The decoded path, or nothing if it is refused.
std::string decode(std::string_view path) {
  std::string decoded = "left over";
  return decode_path(path, decoded) ? decoded : "";
}

}  // namespace

TEST_CASE("A target in origin form is a path and maybe a query") {
  CHECK(read_target("/") == " / ? ");
  CHECK(read_target("/a/b.html") == " /a/b.html ? ");
  CHECK(read_target("/a?") == " /a ? ");
  CHECK(read_target("/a?b=c&d=%20?e/../f") == " /a ? b=c&d=%20?e/../f");
  CHECK(read_target("/?%zz%00\\") == " / ? %zz%00\\");  // a query is the application's to read
  CHECK(read_target("/a//b/") == " /a//b/ ? ");
  CHECK(read_target("//a") == " //a ? ");
  CHECK(read_target("/*") == " /* ? ");
  CHECK(read_target("/http://a/") == " /http://a/ ? ");
  CHECK(read_target("/a:b@c,d;e=f'(g)!$&+~_-") == " /a:b@c,d;e=f'(g)!$&+~_- ? ");
}

TEST_CASE("Escapes in a path are decoded, those in a query are not") {
  CHECK(read_target("/%41%42c?%41") == " /ABc ? %41");
  CHECK(read_target("/a%20b") == " /a b ? ");
  CHECK(read_target("/%7euser") == " /~user ? ");
  CHECK(read_target("/caf%C3%A9") == " /caf\xc3\xa9 ? ");
  CHECK(read_target("/%e2%82%ac%F0%9f%98%80") == " /\xe2\x82\xac\xf0\x9f\x98\x80 ? ");
  CHECK(read_target("/100%25") == " /100% ? ");
  CHECK(read_target("/%25x%2") == "400");
  CHECK(read_target("/%3f%23?%3f") == " /?# ? %3f");
  CHECK(read_target("/a%3Bb") == " /a;b ? ");
}

TEST_CASE("Dot segments are removed") {
  CHECK(read_target("/./") == " / ? ");
  CHECK(read_target("/.") == " / ? ");
  CHECK(read_target("/a/.") == " /a/ ? ");
  CHECK(read_target("/a/..") == " / ? ");
  CHECK(read_target("/a/../") == " / ? ");
  CHECK(read_target("/a/b/..") == " /a/ ? ");
  CHECK(read_target("/a/./b/../../c") == " /c ? ");
  CHECK(read_target("/a//../b") == " /a/b ? ");
  CHECK(read_target("//..") == " / ? ");
  CHECK(read_target("/a/../../?b") == "400");
  CHECK(read_target("/a/%2e/b") == " /a/b ? ");
  CHECK(read_target("/a/b/%2E%2e/c?d") == " /a/c ? d");
  CHECK(read_target("/mid/content=5/../6") == " /mid/6 ? ");
}

TEST_CASE("Dots in a name are part of it") {
  CHECK(read_target("/.well-known/x") == " /.well-known/x ? ");
  CHECK(read_target("/a/.b/..c/...") == " /a/.b/..c/... ? ");
  CHECK(read_target("/a../b./c.d") == " /a../b./c.d ? ");
  CHECK(read_target("/..a/") == " /..a/ ? ");
  CHECK(read_target("/a.%2e/b") == " /a../b ? ");
}

TEST_CASE("A path that leaves the root or can be read in two ways is refused") {
  for (const std::string_view path : {"/.."sv,
                                      "/../"sv,
                                      "/../etc/passwd"sv,
                                      "/../../../../etc/passwd"sv,
                                      "/a/../.."sv,
                                      "/a/b/../../../etc/passwd"sv,
                                      "/./../a"sv,
                                      "/%2e%2e/"sv,
                                      "/%2e%2e/%2e%2e/%2e%2e/etc/passwd"sv,
                                      "/.%2e/.%2E/etc/passwd"sv,
                                      "/%2E./a"sv,
                                      "/..%2f..%2f..%2fetc%2fpasswd"sv,
                                      "/a%2Fb"sv,
                                      "/%2f"sv,
                                      "/%252e%252e%252fetc/passwd"sv,
                                      "/%252E"sv,
                                      "/%25%32%65"sv,
                                      "/%%32%65"sv,
                                      "/%%"sv,
                                      "/..\\..\\etc\\passwd"sv,
                                      "/a\\b"sv,
                                      "/\\"sv,
                                      "/..%5c..%5cetc%5cpasswd"sv,
                                      "/%5C"sv,
                                      "/%5c?a"sv,
                                      "/index.html%00.txt"sv,
                                      "/%00"sv,
                                      "/%0d%0aX:%20y"sv,
                                      "/%09"sv,
                                      "/%1f"sv,
                                      "/%7f"sv,
                                      "/%zz"sv,
                                      "/%2"sv,
                                      "/%"sv,
                                      "/a%"sv,
                                      "/%4g"sv,
                                      "/%g4"sv,
                                      "/%-1"sv,
                                      "/% 41"sv,
                                      "/%u002e%u002e/"sv,
                                      "/%c0%ae%c0%ae/etc/passwd"sv,
                                      "/%c0%af"sv,
                                      "/%e0%80%af"sv,
                                      "/%f0%80%80%af"sv,
                                      "/%ed%a0%80"sv,
                                      "/%f4%90%80%80"sv,
                                      "/%80"sv,
                                      "/%ff"sv,
                                      "/%c3"sv,
                                      "/%c3/%a9"sv,
                                      "/..;/etc/passwd"sv,
                                      "/..;a=b/"sv,
                                      "/a/..;"sv,
                                      "/.;/a"sv,
                                      "/a/.;x/b"sv,
                                      "/%2e%2e;/"sv,
                                      "/..%3b/"sv,
                                      "/..%00/"sv,
                                      "/..%0d/"sv,
                                      "/..%c0%af"sv,
                                      "/..%252f"sv}) {
    CAPTURE(path);
    CHECK(read_target(path) == "400");
    CHECK(read_target(std::string("http://a") + std::string(path)) == "400");
  }
}

TEST_CASE("A target in absolute form names its host") {
  CHECK(read_target("http://a/") == "a / ? ");
  CHECK(read_target("http://a:80/b?c") == "a:80 /b ? c");
  CHECK(read_target("HTTP://A.example/b") == "A.example /b ? ");
  CHECK(read_target("http://[::1]:8080/%41") == "[::1]:8080 /A ? ");
  CHECK(read_target("http://a") == "a / ? ");
  CHECK(read_target("http://a?b=/c") == "a / ? b=/c");
  CHECK(read_target("http://a?") == "a / ? ");
  CHECK(read_target("http://a/b/../c") == "a /c ? ");
  CHECK(read_target("https://a/") == "421");
  CHECK(read_target("ftp://a/") == "421");
  CHECK(read_target("://a/") == "400");
  for (const std::string_view target :
       {"http://"sv, "http:///x"sv, "http://?x"sv, "http://u@a/"sv, "http://u:p@a/"sv,
        "http://:80/"sv, "http://a:b/"sv, "http://a:99999/"sv, "http://a,b/"sv, "http://[::1/"sv,
        "http:/a"sv, "http:a"sv, "http"sv}) {
    CAPTURE(target);
    CHECK(read_target(target) == "400");
  }
}

TEST_CASE("A target in any other form is refused") {
  for (const std::string_view target : {"foo"sv, "a/b"sv, "a:80"sv, "localhost:8080"sv, "*"sv,
                                        "**"sv, "?a"sv, "."sv, ".."sv, "%2f"sv, "\\"sv}) {
    CAPTURE(target);
    CHECK(read_target(target) == "400");
  }
}

TEST_CASE("Only OPTIONS has the asterisk form") {
  CHECK(read_target(Method::options, "*") == " * ? ");
  CHECK(read_target(Method::options, "/a") == " /a ? ");
  CHECK(read_target(Method::options, "http://a") == "a / ? ");
  CHECK(read_target(Method::options, "*?a") == "400");
  CHECK(read_target(Method::head, "*") == "400");
  CHECK(read_target(Method::post, "*") == "400");
}

TEST_CASE("CONNECT has the authority form, with a port, and no other") {
  CHECK(read_target(Method::connect, "example.com:443") == "example.com:443  ? ");
  CHECK(read_target(Method::connect, "[::1]:443") == "[::1]:443  ? ");
  for (const std::string_view target :
       {"example.com"sv, "example.com:"sv, "[::1]"sv, "[::1]:"sv, ":443"sv, "/"sv, "*"sv,
        "http://a/"sv, "a:b"sv, "u@a:443"sv}) {
    CAPTURE(target);
    CHECK(read_target(Method::connect, target) == "400");
  }
}

TEST_CASE("decode_path replaces what the string held") {
  CHECK(decode("/a%20b") == "/a b");
  CHECK(decode("/") == "/");
  CHECK(decode("/..").empty());
}

TEST_CASE("An authority is a host and maybe a port") {
  for (const std::string_view good :
       {"a"sv, "a:"sv, "a:0"sv, "a:80"sv, "a:65535"sv, "a:00080"sv, "127.0.0.1"sv, "[::]"sv,
        "[::1]"sv, "[::1]:"sv, "[::ffff:127.0.0.1]:80"sv, "[1:2:3:4:5:6:7:8]"sv, "[::]"sv,
        "[1::8]"sv, "[1:2:3:4:5:6:1.2.3.4]"sv, "[1::]"sv, "a.b."sv, "x_y"sv, "%41"sv}) {
    CAPTURE(good);
    GuardedBytes block(good.size());
    const std::string_view held = block.hold(good);
    CHECK(is_authority(held, held.data()));
  }
  for (const std::string_view bad : {""sv,
                                     ":"sv,
                                     ":80"sv,
                                     "a:65536"sv,
                                     "a:100000"sv,
                                     "a:000080"sv,
                                     "a:8a"sv,
                                     "a:+8"sv,
                                     "a: 8"sv,
                                     "a b"sv,
                                     "a,b"sv,
                                     "a/"sv,
                                     "a@b"sv,
                                     "["sv,
                                     "a%"sv,
                                     "a%4"sv,
                                     "a%zz"sv,
                                     "[:::]"sv,
                                     "[1:2:3:4:5:6:7]"sv,
                                     "[1:2:3:4:5:6:7:8:9]"sv,
                                     "[1::2::3]"sv,
                                     "[12345::]"sv,
                                     "[::1.2.3]"sv,
                                     "[::1.2.3.256]"sv,
                                     "[::01.2.3.4]"sv,
                                     "[1:2:3:4:5:6:7::8]x"sv,
                                     "[1:]"sv,
                                     "[]"sv,
                                     "[:]"sv,
                                     "[::1"sv,
                                     "::1]"sv,
                                     "[a]"sv,
                                     "[::1]a"sv,
                                     "[::1]:a"sv,
                                     "[[::1]]"sv,
                                     "[::%41]"sv,
                                     "a[b]"sv,
                                     "a\0b"sv,
                                     "\xc3\xa9"sv}) {
    CAPTURE(bad);
    GuardedBytes block(bad.size());
    const std::string_view held = block.hold(bad);
    CHECK_FALSE(is_authority(held, held.data()));
  }
}
