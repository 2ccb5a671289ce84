// Fields that are lists, or carry parameters.
#include "web/fields.h"

#include <optional>
#include <string>
#include <vector>

#include "catch.h"
#include "unit/web/with_request.h"
#include "web/percent.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

std::optional<std::string> filename_of(std::string_view text) {
  const auto value = parse_parameterized(text);
  return value ? extended_parameter(*value, "filename") : std::nullopt;
}

}  // namespace

TEST_CASE("A list may be spread over several fields") {
  constexpr std::string_view fields = "Connection: a, ,b\r\nX: c\r\nconnection: ,d\r\n";
  with_request("GET /", fields, {}, [](const Request& request) {
    std::string parts;
    for_each_part(request, "Connection", ',', [&](std::string_view part) { parts += part; });
    CHECK(parts == "abd");
    CHECK(lists(request, "connection", "B"));
    CHECK_FALSE(lists(request, "connection", "c"));
  });
}

TEST_CASE("A value has parameters, quoted or not") {
  const auto value = parse_parameterized(" Form-Data ; Name=\"a b\"; x = y ;; z=\"\" ; q=a=b;");
  REQUIRE(value);
  CHECK(value->value == "form-data");
  CHECK(value->parameters == Parameters{{"name", "a b"}, {"x", "y"}, {"z", ""}, {"q", "a=b"}});
  CHECK(value->parameter("x") == "y");
  CHECK_FALSE(value->parameter("X"));
}

TEST_CASE("Quotes may hold what would otherwise end a value, and escaped quotes") {
  const auto value = parse_parameterized(R"(a; b="x;y=\"z\""; c="\\"; d="C:\dir\file.txt")");
  REQUIRE(value);
  CHECK(value->parameters ==
        Parameters{{"b", "x;y=\"z\""}, {"c", "\\"}, {"d", "C:\\dir\\file.txt"}});
}

TEST_CASE("What has no proper parameters is refused") {
  for (const char* text : {"a; b", "a; =b", "a; b=\"c", "a; b=\"c\"d", "a; b=\"c\\\"", "a; b c"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_parameterized(text));
  }
  std::string many = "a";
  for (int i = 0; i < 16; ++i) many += "; b=c";
  CHECK(parse_parameterized(many));
  CHECK_FALSE(parse_parameterized(many + "; b=c"));
}

TEST_CASE("An extended parameter counts before the plain one, if it can be read") {
  CHECK(filename_of("a; filename=plain; filename*=UTF-8''na%C3%AFve%20x") == "na\xc3\xafve x");
  CHECK(filename_of("a; filename*=utf-8'de'a+b") == "a+b");
  CHECK(filename_of("a; filename*=ISO-8859-1''%E4") == "\xc3\xa4");
  CHECK(filename_of("a; filename=plain; filename*=UTF-8''%E4") == "plain");
  CHECK(filename_of("a; filename=plain; filename*=koi8-r''x") == "plain");
  CHECK(filename_of("a; filename=plain; filename*=x") == "plain");
  CHECK(filename_of("a; filename=plain; filename*=") == "plain");
  CHECK(filename_of("a; filename=plain; filename*='") == "plain");
  CHECK_FALSE(filename_of("a; filename*=x"));
  CHECK_FALSE(filename_of("a; name=x"));
}

TEST_CASE("All bytes but the unreserved ones are escaped") {
  std::string text;
  append_percent_encoded(text, "aZ09-._~ +%/&=\xc3\xa4");
  CHECK(text == "aZ09-._~%20%2B%25%2F%26%3D%C3%A4");
}
