// Which paths are names of files.
#include "web/file_path.h"

#include <string>

#include "catch.h"

using namespace stagecraft;
using namespace std::string_view_literals;

TEST_CASE("A path is the name of a file, or of a folder if it ends in a slash") {
  const auto name = [](std::string_view path) { return file_path(path).value().name; };
  const auto folder = [](std::string_view path) { return file_path(path).value().folder; };
  CHECK(name("a.txt") == "a.txt");
  CHECK_FALSE(folder("a.txt"));
  CHECK(name("css/page.css") == "css/page.css");
  CHECK(name("css/") == "css");
  CHECK(folder("css/"));
  CHECK(name("") == ".");
  CHECK(folder(""));
  CHECK(name("a b/\xc3\xa4..~/x.") == "a b/\xc3\xa4..~/x.");
}

TEST_CASE("Only .well-known may begin with a dot, and only as the first segment") {
  CHECK(file_path(".well-known/acme-challenge/x"));
  CHECK(file_path(".well-known"));
  CHECK_FALSE(file_path("a/.well-known/x"));
  CHECK_FALSE(file_path(".well-known/.x"));
  CHECK_FALSE(file_path(".well-known2/x"));
  CHECK_FALSE(file_path(".well-know"));
}

TEST_CASE("No path that leads elsewhere is a name") {
  for (const std::string_view path : {".."sv,
                                      "../"sv,
                                      "../secret.txt"sv,
                                      "../../secret.txt"sv,
                                      "a/.."sv,
                                      "a/../"sv,
                                      "a/../../secret.txt"sv,
                                      "a/../b.txt"sv,
                                      "a/b/../../.."sv,
                                      "."sv,
                                      "./"sv,
                                      "./a.txt"sv,
                                      "a/."sv,
                                      "a/./b.txt"sv,
                                      "/"sv,
                                      "//"sv,
                                      "/a.txt"sv,
                                      "/etc/passwd"sv,
                                      "//etc/passwd"sv,
                                      "a//b.txt"sv,
                                      "a//"sv,
                                      "a.txt//"sv,
                                      "...//secret.txt"sv,
                                      ".../secret.txt"sv,
                                      "...."sv,
                                      "..;/secret.txt"sv,
                                      "..;a=b/secret.txt"sv,
                                      "..\\secret.txt"sv,
                                      "a\\..\\secret.txt"sv,
                                      "\\"sv,
                                      "\\\\host\\share"sv,
                                      "a\\b"sv,
                                      "C:\\secret.txt"sv,
                                      "\0"sv,
                                      "a.txt\0.png"sv,
                                      "..\0/secret.txt"sv,
                                      "a\0/../secret.txt"sv,
                                      "a.txt\n"sv,
                                      "a\r\nb"sv,
                                      "\x1b[2J"sv,
                                      "a\x7f"sv,
                                      "a\tb"sv,
                                      ".hidden"sv,
                                      ".git/config"sv,
                                      "sub/.git/config"sv,
                                      ".htpasswd"sv,
                                      "a/.env"sv,
                                      ".a/"sv,
                                      "..a"sv,
                                      ".. /secret.txt"sv,
                                      ".%2e/secret.txt"sv,
                                      "..%2fsecret.txt"sv,
                                      "..\xc0\xafsecret.txt"sv,
                                      ".\xc0\xae/secret.txt"sv}) {
    INFO(path);
    CHECK_FALSE(file_path(path));
  }
}

TEST_CASE("What only looks like a way up to other readers is a name like any other") {
  // Nothing decodes these once more, and no file has such a name unless somebody gave it one.
  for (const std::string_view path :
       {"%2e%2e/secret.txt"sv, "%252e%252e/x"sv, "\xc0\xae\xc0\xae/secret.txt"sv,
        "\xe0\x80\xae\xe0\x80\xae/x"sv, "\xef\xbc\x8e\xef\xbc\x8e/x"sv, "a..b"sv, "a.."sv,
        "~root/x"sv, "C:/secret.txt"sv, "file:"sv, "a;"sv}) {
    INFO(path);
    CHECK(file_path(path));
  }
}
