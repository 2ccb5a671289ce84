#include "http/weighted_list.h"

#include <string>
#include <vector>

#include "catch.h"
#include "unit/http/conversation.h"
#include "unit/http/driver.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

std::string items(std::string_view field) {
  std::string text;
  WeightedList list(field);
  while (const std::optional<WeightedItem> item = list.next()) {
    text.append("[").append(item->value).append(" ").append(std::to_string(item->weight));
    text.append("]");
  }
  return text;
}

// What a handler sees of a request with these fields.
template <typename Function>
auto with_fields(const std::string& fields, Function function) {
  decltype(function(std::declval<const Request&>())) result{};
  const Route route{[&](const Request& request, Response&) { result = function(request); }};
  Driver driver([&](const Request&) -> const Route& { return route; });
  driver.feed("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n").run();
  return result;
}

Weight type_weight(const std::string& fields, std::string_view type) {
  return with_fields(fields, [&](const Request& r) { return media_type_weight(r, type); });
}

Weight gzip_weight(const std::string& fields) {
  return with_fields(fields, [](const Request& r) { return coding_weight(r, "gzip"); });
}

bool identity(const std::string& fields) {
  return with_fields(fields, [](const Request& r) { return accepts_identity(r); });
}

}  // namespace

TEST_CASE("A weighted list is read item by item") {
  CHECK(items("gzip, br;q=0.5,deflate ; q=0") == "[gzip 1000][br 500][deflate 0]");
  CHECK(items("text/html;level=1;q=0.75, */*;Q=0.001") == "[text/html;level=1 750][*/* 1]");
  CHECK(items("a;q=1, b;q=1.0, c;q=1., d;q=1.000, e;q=0., f;q=0.12") ==
        "[a 1000][b 1000][c 1000][d 1000][e 0][f 120]");
  CHECK(items("").empty());
  CHECK(items(" , ,\t, ").empty());
  CHECK(items(",a,") == "[a 1000]");
}

TEST_CASE("A comma or a semicolon inside quotes ends nothing") {
  CHECK(items(R"(a/b;t="x,y;q=0";q=0.5, c)") == R"([a/b;t="x,y;q=0" 500][c 1000])");
  CHECK(items(R"(a;t="\",";q=0.5, c)") == R"([a;t="\"," 500][c 1000])");
  CHECK(items(R"(a;t="x, c)") == R"([a;t="x, c 1000])");
  CHECK(items(R"(a;t="\)") == R"([a;t="\ 1000])");
}

TEST_CASE("An item whose weight cannot be read is left out") {
  for (const char* weight : {"", "2", "1.001", "0.1234", "-1", "x", ".5", "1.x", "0.5 x"}) {
    INFO(weight);
    CHECK(items("a;q=" + std::string(weight)).find("[a") == std::string::npos);
  }
}

TEST_CASE("The most specific range of Accept says how welcome a type is") {
  CHECK(type_weight("", "text/html") == 1000);
  CHECK(type_weight("Accept: */*;q=0.5\r\n", "text/html") == 500);
  CHECK(type_weight("Accept: */*, text/*;q=0.3\r\n", "text/html") == 300);
  CHECK(type_weight("Accept: text/*;q=0.3, TEXT/HTML;q=0.7, */*\r\n", "text/html") == 700);
  CHECK(type_weight("Accept: text/html;charset=utf-8;q=0.2\r\n", "text/html") == 200);
  CHECK(type_weight("Accept: text/htm\r\n", "text/html") == 0);
  CHECK(type_weight("Accept: te/*\r\n", "text/html") == 0);
  CHECK(type_weight("Accept: image/png\r\nAccept: text/html\r\n", "text/html") == 1000);
  CHECK(type_weight("Accept:\r\n", "text/html") == 1000);
}

TEST_CASE("A coding is welcome only if it is listed") {
  CHECK(gzip_weight("") == 0);
  CHECK(gzip_weight("Accept-Encoding:\r\n") == 0);
  CHECK(gzip_weight("Accept-Encoding: br\r\n") == 0);
  CHECK(gzip_weight("Accept-Encoding: br, GZIP;q=0.8\r\n") == 800);
  CHECK(gzip_weight("Accept-Encoding: x-gzip\r\n") == 1000);
  CHECK(gzip_weight("Accept-Encoding: *;q=0.1\r\n") == 100);
  CHECK(gzip_weight("Accept-Encoding: *, gzip;q=0\r\n") == 0);
}

TEST_CASE("Content without a coding is acceptable unless it is refused") {
  CHECK(identity(""));
  CHECK(identity("Accept-Encoding: gzip\r\n"));
  CHECK(identity("Accept-Encoding: identity;q=0.001, *;q=0\r\n"));
  CHECK_FALSE(identity("Accept-Encoding: gzip, identity;q=0\r\n"));
  CHECK_FALSE(identity("Accept-Encoding: gzip, *;q=0\r\n"));
}
