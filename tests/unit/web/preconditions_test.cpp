// Conditional requests.
#include "web/preconditions.h"

#include <optional>
#include <string>

#include "catch.h"
#include "unit/app/asking.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::time_t changed = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr std::time_t now = 1796083200;     // in 2026
constexpr std::string_view at_change = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view before = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr std::string_view after = "Sun, 06 Nov 1994 08:49:38 GMT";

// What a handler makes of a request with these fields.
template <typename Function>
auto in_handler(const std::string& method, const std::string& fields, Function function) {
  std::optional<decltype(function(std::declval<const Request&>()))> result;
  const Route route{[&](const Request& request, Response&) { result = function(request); }};
  ask([&](const Request&) -> const Route& { return route; }, method + " /", fields);
  REQUIRE(result);
  return *result;
}

std::string line(std::string_view name, std::string_view value) {
  return std::string(name).append(": ").append(value).append("\r\n");
}

const Validators both{"\"v1\"", changed};

// "pass", "304" or "412".
std::string outcome(const std::string& fields, const std::optional<Validators>& current = both,
                    const std::string& method = "GET") {
  switch (in_handler(method, fields,
                     [&](const Request& r) { return evaluate_preconditions(r, current, now); })) {
    case Precondition::passed:
      return "pass";
    case Precondition::not_modified:
      return "304";
    case Precondition::failed:
      break;
  }
  return "412";
}

bool range_allowed(const std::string& fields, const Validators& current = both) {
  return in_handler("GET", fields,
                    [&](const Request& r) { return if_range_allows(r, current, now); });
}

}  // namespace

TEST_CASE("Entity tags are compared strongly or weakly") {
  const auto match = [](std::string_view list, std::string_view tag, Comparison comparison) {
    return match_entity_tags(list, tag, comparison) == TagMatch::some;
  };
  // The table of RFC 9110 section 8.8.3.2.
  CHECK_FALSE(match("W/\"1\"", "W/\"1\"", Comparison::strong));
  CHECK(match("W/\"1\"", "W/\"1\"", Comparison::weak));
  CHECK_FALSE(match("W/\"1\"", "W/\"2\"", Comparison::weak));
  CHECK_FALSE(match("W/\"1\"", "\"1\"", Comparison::strong));
  CHECK(match("W/\"1\"", "\"1\"", Comparison::weak));
  CHECK(match("\"1\"", "\"1\"", Comparison::strong));
  CHECK(match("\"1\"", "\"1\"", Comparison::weak));
}

TEST_CASE("A list of entity tags is read to its end") {
  const auto match = [](std::string_view list) {
    return match_entity_tags(list, "\"v1\"", Comparison::weak);
  };
  CHECK(match("\"a\", \"v1\" ,\t\"b\"") == TagMatch::some);
  CHECK(match(", ,\"v1\",") == TagMatch::some);
  CHECK(match("\"a,\\\",\"v1\"") == TagMatch::some);  // a backslash is a byte of the tag, no escape
  CHECK(match("\"x, \"v1\"") == TagMatch::malformed);
  CHECK(match("") == TagMatch::none);
  CHECK(match("\"\"") == TagMatch::none);
  CHECK(match("\"\xc3\xa4\"") == TagMatch::none);
  for (const char* list : {"v1", "\"v1", "v1\"", "\"v1\" \"b\"", "w/\"v1\"", "W/v1", "W/ \"v1\"",
                           "\"v1\";", "*", "\"v1\", *", "\"a b\"", "'v1'", "\"v1\", x"}) {
    INFO(list);
    CHECK(match(list) == TagMatch::malformed);
  }
}

TEST_CASE("If-Match lets a request pass if what it names is what there is") {
  CHECK(outcome(line("If-Match", "\"v1\"")) == "pass");
  CHECK(outcome(line("If-Match", "\"a\", \"v1\"")) == "pass");
  CHECK(outcome(line("If-Match", "\"a\"") + line("If-Match", "\"v1\"")) == "pass");
  CHECK(outcome(line("If-Match", "*")) == "pass");
  CHECK(outcome(line("If-Match", "\"v2\"")) == "412");
  CHECK(outcome(line("If-Match", "W/\"v1\"")) == "412");
  CHECK(outcome(line("If-Match", "v1")) == "412");
  CHECK(outcome(line("If-Match", "")) == "412");
  CHECK(outcome(line("If-Match", "*") + line("If-Match", "\"v1\"")) == "412");
  CHECK(outcome(line("If-Match", "W/\"v1\""), Validators{"W/\"v1\"", {}}) == "412");
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "HEAD"}) {
    CHECK(outcome(line("If-Match", "\"v1\""), both, method) == "pass");
    CHECK(outcome(line("If-Match", "\"v2\""), both, method) == "412");
  }
}

TEST_CASE("If-None-Match turns a request away if the client has what there is") {
  CHECK(outcome(line("If-None-Match", "\"v1\"")) == "304");
  CHECK(outcome(line("If-None-Match", "W/\"v1\"")) == "304");
  CHECK(outcome(line("If-None-Match", "\"a\"") + line("If-None-Match", "\"v1\"")) == "304");
  CHECK(outcome(line("If-None-Match", "*")) == "304");
  CHECK(outcome(line("If-None-Match", "\"v1\""), both, "HEAD") == "304");
  CHECK(outcome(line("If-None-Match", "\"v2\"")) == "pass");
  CHECK(outcome(line("If-None-Match", "v1")) == "pass");
  CHECK(outcome(line("If-None-Match", "\"v1\""), both, "PUT") == "412");
  CHECK(outcome(line("If-None-Match", "*"), both, "PUT") == "412");
  CHECK(outcome(line("If-None-Match", "\"v2\""), both, "PUT") == "pass");
  CHECK(outcome(line("If-None-Match", "v1"), both, "PUT") == "412");  // no lost update
}

TEST_CASE("Dates are compared where there are no tags") {
  CHECK(outcome(line("If-Modified-Since", at_change)) == "304");
  CHECK(outcome(line("If-Modified-Since", after)) == "304");
  CHECK(outcome(line("If-Modified-Since", before)) == "pass");
  CHECK(outcome(line("If-Unmodified-Since", at_change)) == "pass");
  CHECK(outcome(line("If-Unmodified-Since", before)) == "412");
  CHECK(outcome(line("If-Modified-Since", at_change), both, "HEAD") == "304");
  CHECK(outcome(line("If-Modified-Since", at_change), both, "POST") == "pass");
  CHECK(outcome(line("If-Unmodified-Since", before), both, "PUT") == "412");
}

TEST_CASE("A date that says nothing is ignored") {
  for (const char* name : {"If-Modified-Since", "If-Unmodified-Since"}) {
    CHECK(outcome(line(name, "not a date")) == "pass");
    CHECK(outcome(line(name, "")) == "pass");
  }
  CHECK(outcome(line("If-Modified-Since", at_change) + line("If-Modified-Since", at_change)) ==
        "pass");
  CHECK(outcome(line("If-Unmodified-Since", before) + line("If-Unmodified-Since", before)) ==
        "pass");
  const Validators tag_only{"\"v1\"", {}};
  CHECK(outcome(line("If-Modified-Since", after), tag_only) == "pass");
  CHECK(outcome(line("If-Unmodified-Since", before), tag_only) == "pass");
}

TEST_CASE("Tags come before dates, and the state that is expected before the one that is known") {
  CHECK(outcome(line("If-None-Match", "\"v2\"") + line("If-Modified-Since", after)) == "pass");
  CHECK(outcome(line("If-Match", "\"v1\"") + line("If-Unmodified-Since", before)) == "pass");
  CHECK(outcome(line("If-Match", "\"v1\"") + line("If-None-Match", "\"v1\"")) == "304");
  CHECK(outcome(line("If-Match", "\"v2\"") + line("If-None-Match", "\"v1\"")) == "412");
  CHECK(outcome(line("If-Unmodified-Since", before) + line("If-None-Match", "\"v1\"")) == "412");
  CHECK(outcome(line("If-Unmodified-Since", after) + line("If-Modified-Since", after)) == "304");
}

TEST_CASE("A resource without validators is there, but no tag is its own") {
  const Validators none;
  CHECK(outcome(line("If-Match", "*"), none) == "pass");
  CHECK(outcome(line("If-Match", "\"v1\""), none) == "412");
  CHECK(outcome(line("If-Match", "\"\""), none) == "412");
  CHECK(outcome(line("If-None-Match", "\"v1\""), none) == "pass");
  CHECK(outcome(line("If-None-Match", "*"), none) == "304");
  CHECK(outcome(line("If-Modified-Since", after), none) == "pass");
  CHECK(outcome(line("If-Unmodified-Since", before), none) == "pass");
}

TEST_CASE("What is not there yet can be made only by who expects that") {
  CHECK(outcome(line("If-None-Match", "*"), std::nullopt, "PUT") == "pass");
  CHECK(outcome(line("If-None-Match", "\"v1\""), std::nullopt, "PUT") == "pass");
  CHECK(outcome(line("If-Match", "*"), std::nullopt, "PUT") == "412");
  CHECK(outcome(line("If-Match", "\"v1\""), std::nullopt, "PUT") == "412");
  CHECK(outcome(line("If-Unmodified-Since", before), std::nullopt, "PUT") == "pass");
}

TEST_CASE("OPTIONS has no preconditions") {
  CHECK(outcome(line("If-Match", "\"v2\""), both, "OPTIONS") == "pass");
  CHECK(outcome(line("If-None-Match", "*"), both, "OPTIONS") == "pass");
}

TEST_CASE("If-Range lets a range count if the client's part is of what there is") {
  CHECK(range_allowed(""));
  CHECK(range_allowed(line("If-Range", "\"v1\"")));
  CHECK_FALSE(range_allowed(line("If-Range", "\"v2\"")));
  CHECK_FALSE(range_allowed(line("If-Range", "W/\"v1\"")));
  CHECK_FALSE(range_allowed(line("If-Range", "\"v1\", \"v2\"")));
  CHECK_FALSE(range_allowed(line("If-Range", "*")));
  CHECK_FALSE(range_allowed(line("If-Range", "v1")));
  CHECK_FALSE(range_allowed(line("If-Range", "")));
  CHECK_FALSE(range_allowed(line("If-Range", "\"v1\"") + line("If-Range", "\"v1\"")));
  CHECK_FALSE(range_allowed(line("If-Range", "W/\"v1\""), Validators{"W/\"v1\"", {}}));
  CHECK_FALSE(range_allowed(line("If-Range", "\"v1\""), Validators{}));
}

TEST_CASE("A date in If-Range must be exact, and its second over") {
  CHECK(range_allowed(line("If-Range", at_change)));
  CHECK(range_allowed(line("If-Range", "Sunday, 06-Nov-94 08:49:37 GMT")));
  CHECK_FALSE(range_allowed(line("If-Range", before)));
  CHECK_FALSE(range_allowed(line("If-Range", after)));
  CHECK_FALSE(range_allowed(line("If-Range", at_change), Validators{"\"v1\"", {}}));
  const auto at = [](std::time_t moment) {
    return in_handler("GET", line("If-Range", at_change), [&](const Request& request) {
      return if_range_allows(request, both, moment);
    });
  };
  CHECK_FALSE(at(changed));
  CHECK(at(changed + 1));
}

TEST_CASE("A handler can leave its preconditions to one line") {
  const Route route{[](const Request& request, Response& response) {
    if (answered_by_preconditions(request, both, response)) return;
    response.text("content");
  }};
  const Application application = [&](const Request&) -> const Route& { return route; };
  const HttpResponse whole = ask(application, "GET /");
  CHECK(whole.body == "content");
  CHECK(whole.field("ETag") == "\"v1\"");
  CHECK(whole.field("Last-Modified") == at_change);
  const HttpResponse same = ask(application, "GET /", line("If-None-Match", "\"v1\""));
  CHECK(same.status == 304);
  CHECK(same.field("ETag") == "\"v1\"");
  CHECK_FALSE(same.has("Last-Modified"));
  const HttpResponse failed = ask(application, "GET /", line("If-Match", "\"v2\""));
  CHECK(failed.status == 412);
  CHECK_FALSE(failed.has("ETag"));
}
