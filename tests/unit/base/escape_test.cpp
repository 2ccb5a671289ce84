#include "base/escape.h"

#include "base/utf8.h"
#include "catch.h"

using namespace stagecraft;
using namespace std::string_view_literals;

namespace {

template <typename Append>
std::string escaped(Append append, std::string_view text) {
  std::string out = "before ";
  append(out, text);
  REQUIRE(out.starts_with("before "));
  return out.substr(7);
}

std::string html(std::string_view text) { return escaped(append_html_escaped, text); }
std::string log(std::string_view text) { return escaped(append_log_escaped, text); }
std::string path(std::string_view text) { return escaped(append_path_escaped, text); }
std::string json(std::string_view text) { return escaped(append_json_escaped, text); }

}  // namespace

TEST_CASE("HTML") {
  CHECK(html("") == "");
  CHECK(html("plain text, 1 + 1 = 2") == "plain text, 1 + 1 = 2");
  CHECK(html("<a href=\"x\" title='y'>&amp;</a>") ==
        "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
  CHECK(html("\xc3\xa4") == "\xc3\xa4");
}

TEST_CASE("log") {
  CHECK(log("") == "");
  CHECK(log("GET /a?b=c HTTP/1.1") == "GET /a?b=c HTTP/1.1");
  CHECK(log("say \"x\\y\"") == R"(say \"x\\y\")");
  CHECK(log("a\r\nb\tc\x1b[2J\x7f") == R"(a\x0d\x0ab\x09c\x1b[2J\x7f)");
  CHECK(log("\0"sv) == R"(\x00)");
  CHECK(log("\xc3\xa4\xff") == R"(\xc3\xa4\xff)");
}

TEST_CASE("nothing in a log line but printable ASCII") {
  for (int byte = 0; byte < 256; ++byte) {
    for (const char c : log(std::string(1, static_cast<char>(byte)))) {
      if (c < ' ' || c > '~') FAIL(byte);
    }
  }
}

TEST_CASE("JSON") {
  CHECK(json("") == "");
  CHECK(json("a/b <c>") == "a/b <c>");
  CHECK(json("say \"x\\y\"") == R"(say \"x\\y\")");
  CHECK(json("a\r\nb\tc\x1b\x7f") == R"(a\u000d\u000ab\u0009c\u001b\u007f)");
  CHECK(json("\0"sv) == R"(\u0000)");
  CHECK(json("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80") == "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST_CASE("JSON: bytes that are no UTF-8 are replaced one by one") {
  CHECK(json("a\xff") == R"(a\ufffd)");
  CHECK(json("\xc3") == R"(\ufffd)");
  CHECK(json("\xc3(") == R"(\ufffd()");
  CHECK(json("\xe2\x82x") == R"(\ufffd\ufffdx)");
  CHECK(json("\xc0\xaf\xc3\xa4") == "\\ufffd\\ufffd\xc3\xa4");
}

TEST_CASE("UTF-8: the edges of every length") {
  for (const std::string_view text :
       {"\0"sv, "\x7f"sv, "\xc2\x80"sv, "\xdf\xbf"sv, "\xe0\xa0\x80"sv, "\xed\x9f\xbf"sv,
        "\xee\x80\x80"sv, "\xef\xbf\xbf"sv, "\xf0\x90\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv}) {
    INFO(log(text));
    CHECK(utf8_character_size(text) == text.size());
    CHECK(is_utf8(text));
    if (text.size() > 1) CHECK(utf8_character_size(text.substr(0, text.size() - 1)) == 0);
  }
  CHECK(is_utf8(""));
  CHECK(is_utf8("na\xc3\xafve \xe2\x82\xac"));
  CHECK_FALSE(is_utf8("a\xc3"));
}

TEST_CASE("UTF-8: overlong, surrogates, too high, stray") {
  for (const std::string_view text :
       {""sv, "\x80"sv, "\xbf"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xc2\x7f"sv, "\xc2\xc0"sv,
        "\xe0\x9f\xbf"sv, "\xed\xa0\x80"sv, "\xe1\x80\xc0"sv, "\xf0\x8f\xbf\xbf"sv,
        "\xf4\x90\x80\x80"sv, "\xf1\x80\x80\x7f"sv, "\xf5\x80\x80\x80"sv, "\xff"sv}) {
    INFO(log(text));
    CHECK(utf8_character_size(text) == 0);
  }
}

TEST_CASE("path") {
  CHECK(path("") == "");
  CHECK(path("/css/page-1_2.3~.css") == "/css/page-1_2.3~.css");
  CHECK(path("a b?c#d%e&f'g\"<h>") == "a%20b%3fc%23d%25e%26f%27g%22%3ch%3e");
  CHECK(path("\xc3\xa4\0"sv) == "%c3%a4%00");
}
