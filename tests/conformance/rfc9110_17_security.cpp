// RFC 9110, section 17: paths that try to leave the served tree.
#include <string>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/server.h"

namespace stagecraft::conformance {

TEST_CASE("A path cannot climb above the root", "[rfc9110-17][9110-17.3-1]") {
  need_guarded_paths();
  for (const std::string path : {"/..",
                                 "/../",
                                 "/../x",
                                 "/%2e%2e/x",
                                 "/%2E%2e/x",
                                 "/.%2e/x",
                                 "/%2e./x",
                                 "/a/../../x",
                                 "/a/b/../../../x",
                                 "/./../x",
                                 "/a/./../../x",
                                 "/a/..%2f..%2fx",
                                 "/..%2fx",
                                 "/..%5cx",
                                 "/..\\x",
                                 "/%2e%2e%5cx",
                                 "/a%2f..%2f..%2fx",
                                 "/%252e%252e/x",
                                 "/%25%32%65%252e/x",
                                 "/..;/x",
                                 "/a/..;/..;/x",
                                 "/..%00/x",
                                 "/%00",
                                 "/a%00.html",
                                 "/%2e%2e",
                                 "/a/../..",
                                 "/%c0%ae%c0%ae/x",
                                 "/%c0%af",
                                 "/%e0%80%ae",
                                 "/%f0%80%80%ae",
                                 "/%ed%a0%80",
                                 "/%ff",
                                 "/%c3",
                                 "/%0d%0aX:%20y",
                                 "/%0a",
                                 "/%0d",
                                 "/%09",
                                 "/%7f",
                                 "/%1b",
                                 "/%",
                                 "/%2",
                                 "/%zz",
                                 "/path/a%2fb",
                                 "/path/a%2Fb",
                                 "/%2f",
                                 "/a%2f",
                                 "/path/a%5cb",
                                 "/a%2",
                                 "/%u002e",
                                 "/%2g"}) {
    check(get(path), "400 close", "decode once, then judge, and refuse what nobody needs");
  }
  check(get("http://a/../x"), "400 close");
  check(get("http://a/%2e%2e/x"), "400 close");
}

TEST_CASE("A path with an empty segment names nothing", "[rfc9110-17][9110-17.3-1]") {
  need_guarded_paths();
  for (const std::string path : {"//etc/passwd", "//", "/a//b", "///"}) {
    check(get(path), "404 any", "some drop the empty segment and serve what follows");
  }
}

TEST_CASE("Dots and percents that harm nobody are served", "[rfc9110-17][9110-17.3-1]") {
  need_guarded_paths();
  const auto seen = [](std::string_view target) {
    return require(get(target), "200 keep").last().body;
  };
  CHECK(seen("/path/...") == "/path/...\n\n");
  CHECK(seen("/path/..a") == "/path/..a\n\n");
  CHECK(seen("/path/.a") == "/path/.a\n\n");
  CHECK(seen("/path/a/..") == "/path/\n\n");
  CHECK(seen("/path/a/.") == "/path/a/\n\n");
  CHECK(seen("/path/x?/../..") == "/path/x\n/../..\n");
  CHECK(seen("/path/x?%00%zz") == "/path/x\n%00%zz\n");
  CHECK(seen("/path/a%20b") == "/path/a b\n\n");
  CHECK(seen("/path/%E2%82%AC") == "/path/\xE2\x82\xAC\n\n");
  CHECK(seen("/path/100%25") == "/path/100%\n\n");
}

}  // namespace stagecraft::conformance
