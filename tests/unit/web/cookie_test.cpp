// Cookies that come and cookies that go.
#include "web/cookie.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "unit/web/random_text.h"
#include "unit/web/with_request.h"
#include "web/percent.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

using Cookies = std::vector<std::pair<std::string, std::string>>;

Cookies cookies_of(const std::string& fields) {
  Cookies cookies;
  with_request("GET /", fields, {}, [&](const Request& request) {
    for_each_cookie(request, [&](std::string_view name, std::string_view value) {
      cookies.emplace_back(name, value);
    });
  });
  return cookies;
}

SetCookie plain(std::string name = "id", std::string value = "1") {
  SetCookie cookie;
  cookie.name = std::move(name);
  cookie.value = std::move(value);
  return cookie;
}

}  // namespace

TEST_CASE("Cookies come in order, each with its value") {
  CHECK(cookies_of("Cookie: a=1; b=2;c=3; a=4\r\n") ==
        Cookies{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"a", "4"}});
  CHECK(cookies_of("Cookie: a=1\r\nCOOKIE: b=2\r\n") == Cookies{{"a", "1"}, {"b", "2"}});
}

TEST_CASE("What is no cookie is passed over") {
  CHECK(cookies_of("Cookie: a; =b; ;; c = d ; e=; $Version=1; f=a=b\r\n") ==
        Cookies{{"c", "d"}, {"e", ""}, {"$Version", "1"}, {"f", "a=b"}});
  CHECK(cookies_of("Cookie: \r\n").empty());
  CHECK(cookies_of("Cookie: q=\"a b\"; u=\xc3\xa4\r\n") ==
        Cookies{{"q", "\"a b\""}, {"u", "\xc3\xa4"}});
}

TEST_CASE("Of several cookies of one name the first counts, and case does") {
  with_request("GET /", "Cookie: id=1; ID=2; id=3\r\n", {}, [](const Request& request) {
    CHECK(cookie(request, "id") == "1");
    CHECK(cookie(request, "ID") == "2");
    CHECK_FALSE(cookie(request, "Id"));
  });
}

TEST_CASE("No more than a hundred cookies are looked at") {
  std::string many = "Cookie: ";
  for (int i = 0; i < 150; ++i) many += "c=1; ";
  CHECK(cookies_of(many + "last=1\r\n").size() == 100);
}

TEST_CASE("A cookie is for this host and session unless it says otherwise") {
  CHECK(plain().text() == "id=1; Path=/; HttpOnly; SameSite=Lax");
}

TEST_CASE("A cookie has every attribute that there is") {
  SetCookie cookie = plain("__Secure-id", "x");
  cookie.path = "/shop";
  cookie.domain = "example.org";
  cookie.max_age = std::chrono::hours(1);
  cookie.expires = 784111777;
  cookie.secure = true;
  cookie.same_site = SetCookie::SameSite::none;
  cookie.partitioned = true;
  CHECK(cookie.text() ==
        "__Secure-id=x; Path=/shop; Domain=example.org; Max-Age=3600; "
        "Expires=Sun, 06 Nov 1994 08:49:37 GMT; Secure; HttpOnly; SameSite=None; Partitioned");
  cookie.same_site = SetCookie::SameSite::strict;
  cookie.http_only = false;
  cookie.partitioned = false;
  cookie.expires.reset();
  CHECK(cookie.text() ==
        "__Secure-id=x; Path=/shop; Domain=example.org; Max-Age=3600; Secure; SameSite=Strict");
}

TEST_CASE("Names and values that a browser would misread are refused") {
  for (const char* name : {"", "a b", "a=b", "a;b", "a\r\n", "\xc3\xa4", "(a)"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(plain(name).text(), std::invalid_argument);
  }
  for (const char* value : {"a b", "a,b", "a;b", "\"a\"", "a\\b", "a\r\nb", "\x7f", "\xc3\xa4"}) {
    CAPTURE(value);
    CHECK_THROWS_AS(plain("id", value).text(), std::invalid_argument);
  }
  SetCookie cookie = plain();
  cookie.path = "/a; Domain=evil";
  CHECK_THROWS_AS(cookie.text(), std::invalid_argument);
  cookie.path = "a";
  CHECK_THROWS_AS(cookie.text(), std::invalid_argument);
  cookie = plain();
  cookie.domain = "a\r\n";
  CHECK_THROWS_AS(cookie.text(), std::invalid_argument);
  CHECK_THROWS_AS(plain("id", std::string(5000, 'x')).text(), std::invalid_argument);
}

TEST_CASE("What a browser would throw away is refused") {
  SetCookie cookie = plain();
  cookie.same_site = SetCookie::SameSite::none;
  CHECK_THROWS_AS(cookie.text(), std::invalid_argument);
  cookie = plain();
  cookie.partitioned = true;
  CHECK_THROWS_AS(cookie.text(), std::invalid_argument);
  CHECK_THROWS_AS(plain("__Secure-a").text(), std::invalid_argument);
  CHECK_THROWS_AS(plain("__host-a").text(), std::invalid_argument);
  cookie = plain("__Host-a");
  cookie.secure = true;
  CHECK_NOTHROW(cookie.text());
  cookie.path = "/x";
  CHECK_THROWS_AS(cookie.text(), std::invalid_argument);
  cookie.path = "/";
  cookie.domain = "example.org";
  CHECK_THROWS_AS(cookie.text(), std::invalid_argument);
}

TEST_CASE("Several cookies go with one answer, and can be taken back") {
  const Route route{[](const Request&, Response& response) {
    set_cookie(response, plain("a"));
    set_cookie(response, plain("b"));
    delete_cookie(response, plain("c"));
    response.text("");
  }};
  const auto answer = ask([&route](const Request&) -> const Route& { return route; }, "GET /");
  std::vector<std::string> cookies;
  for (const auto& [name, value] : answer.fields) {
    if (name == "Set-Cookie") cookies.push_back(value);
  }
  CHECK(cookies == std::vector<std::string>{
                       "a=1; Path=/; HttpOnly; SameSite=Lax", "b=1; Path=/; HttpOnly; SameSite=Lax",
                       "c=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; "
                       "SameSite=Lax"});
}

TEST_CASE("Whatever is set comes back as it was") {
  RandomText random;
  INFO("STAGECRAFT_SEED=" << random.seed());
  for (int round = 0; round < 300; ++round) {
    Cookies expected;
    std::string field = "Cookie: ";
    for (std::size_t count = random.number(5) + 1; count > 0; --count) {
      const std::string name = "n" + random.of("abcXYZ019!#$%&'*+-.^_`|~", 8);
      std::string value;
      append_percent_encoded(value, random.bytes(20));
      expected.emplace_back(name, value);
      const std::string text = plain(name, value).text();
      field += text.substr(0, text.find(';')) + (random.number(2) == 0 ? "; " : ";");
    }
    REQUIRE(cookies_of(field + "\r\n") == expected);
  }
}
