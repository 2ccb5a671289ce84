// Queries and urlencoded forms.
#include "web/form.h"

#include <string>
#include <vector>

#include "catch.h"
#include "unit/web/random_text.h"
#include "unit/web/with_request.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

using Fields = std::vector<Form::Field>;

Fields fields_of(std::string_view text, Charset charset = Charset::utf_8) {
  Form form;
  const Refusal refusal = parse_urlencoded(text, form, charset);
  INFO(refusal.reason);
  REQUIRE_FALSE(refusal);
  return form.fields();
}

Status refused(std::string_view text) {
  Form form;
  return parse_urlencoded(text, form).status;
}

}  // namespace

TEST_CASE("A form has names and values, decoded, in order, and maybe several of one name") {
  Form form;
  REQUIRE_FALSE(parse_urlencoded("a=1&b=%C3%A4+x&a=2&c&=d&&e=f=g", form));
  CHECK(form.fields() ==
        Fields{{"a", "1"}, {"b", "\xc3\xa4 x"}, {"a", "2"}, {"c", ""}, {"", "d"}, {"e", "f=g"}});
  CHECK(form.value("a") == "1");
  CHECK(form.values("a") == std::vector<std::string_view>{"1", "2"});
  CHECK(form.value("c") == "");
  CHECK_FALSE(form.value("x"));
  CHECK(form.values("x").empty());
}

TEST_CASE("A percent sign that escapes nothing is itself") {
  CHECK(fields_of("a=50%&b=%zz&c=%4&d=%41") ==
        Fields{{"a", "50%"}, {"b", "%zz"}, {"c", "%4"}, {"d", "A"}});
  CHECK(fields_of("a=%2541") == Fields{{"a", "%41"}});
}

TEST_CASE("What is not in UTF-8 is refused, not replaced") {
  for (const char* text : {"a=%E4", "%FF=a", "a=%C3", "a=%ED%A0%80", "a=%C0%AF"}) {
    CAPTURE(text);
    CHECK(refused(text) == Status::bad_request);
  }
}

TEST_CASE("Windows-1252 becomes UTF-8") {
  CHECK(fields_of("a=%E4&b=%80&c=%9F%A0%FF", Charset::windows_1252) ==
        Fields{{"a", "\xc3\xa4"}, {"b", "\xe2\x82\xac"}, {"c", "\xc5\xb8\xc2\xa0\xc3\xbf"}});
  CHECK(fields_of("a=%E4&_charset_=ISO-8859-1") ==
        Fields{{"a", "\xc3\xa4"}, {"_charset_", "ISO-8859-1"}});
  CHECK(fields_of("_charset_=utf-8&a=%C3%A4", Charset::windows_1252)[1].value == "\xc3\xa4");
  CHECK(refused("a=b&_charset_=koi8-r") == Status::unsupported_media_type);
}

TEST_CASE("Charsets are known by their names, in any case") {
  for (const char* label : {"utf-8", "UTF8", " utf-8 "})
    CHECK(charset_named(label) == Charset::utf_8);
  for (const char* label : {"ISO-8859-1", "latin1", "Windows-1252", "us-ascii"}) {
    CHECK(charset_named(label) == Charset::windows_1252);
  }
  for (const char* label : {"", "utf-16", "iso-8859-15"}) CHECK_FALSE(charset_named(label));
}

TEST_CASE("A form has no more than so many fields") {
  std::string text = "a";
  for (int i = 1; i < 1000; ++i) text += "&a";
  CHECK(refused(text) == Status::none);
  CHECK(refused(text + "&a") == Status::content_too_large);
  with_request("GET /?a&b&c", {}, {}, [](const Request& request) {
    Form form;
    CHECK(read_query(request, form, {3}).status == Status::none);
    Form other;
    CHECK(read_query(request, other, {2}).status == Status::uri_too_long);
  });
}

TEST_CASE("The body of a request is read by its type") {
  const auto read = [](std::string_view type, std::string_view body, Form& form) {
    Status status = Status::none;
    const std::string field = "Content-Type: " + std::string(type) + "\r\n";
    with_request("POST /", type.empty() ? std::string_view() : field, body,
                 [&](const Request& request) { status = read_form(request, form).status; });
    return status;
  };
  constexpr std::string_view type = "application/x-www-form-urlencoded";
  Form form;
  CHECK(read(type, "a=%C3%A4", form) == Status::none);
  CHECK(form.value("a") == "\xc3\xa4");
  Form latin;
  CHECK(read("Application/X-WWW-Form-Urlencoded; Charset=\"ISO-8859-1\"", "a=%E4", latin) ==
        Status::none);
  CHECK(latin.value("a") == "\xc3\xa4");
  Form none;
  CHECK(read(std::string(type) + ";charset=koi8-r", "a=b", none) == Status::unsupported_media_type);
  CHECK(read("text/plain", "a=b", none) == Status::unsupported_media_type);
  CHECK(read("", "a=b", none) == Status::unsupported_media_type);
  CHECK(none.fields().empty());
}

TEST_CASE("Whatever a form has comes back as it was") {
  RandomText random;
  INFO("STAGECRAFT_SEED=" << random.seed());
  for (int round = 0; round < 500; ++round) {
    Form form;
    for (std::size_t count = random.number(6); count > 0; --count) {
      form.add("n" + random.utf8(4), random.utf8(10));
    }
    Form read;
    REQUIRE_FALSE(parse_urlencoded(encode_urlencoded(form), read));
    REQUIRE(read == form);
  }
}

TEST_CASE("Any bytes are read or refused") {
  RandomText random;
  INFO("STAGECRAFT_SEED=" << random.seed());
  for (int round = 0; round < 500; ++round) {
    Form form;
    const std::string text = random.bytes(40);
    INFO(text);
    const Status status = parse_urlencoded(text, form).status;
    CHECK((status == Status::none || status == Status::bad_request));
    Form latin;
    CHECK_FALSE(parse_urlencoded(text, latin, Charset::windows_1252));
  }
}
