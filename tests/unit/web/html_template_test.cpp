// Pages with gaps.
#include "web/html_template.h"

#include <stdexcept>

#include "catch.h"

using namespace stagecraft;

TEST_CASE("A gap is filled with a text that cannot be anything else") {
  const HtmlTemplate page("<p title=\"{{a}}\">{{a}}, {{b}}</p>");
  CHECK(page.fill({{"a", "<script>\"'&"}, {"b", "2"}, {"unused", "x"}}) ==
        "<p title=\"&lt;script&gt;&quot;&#39;&amp;\">&lt;script&gt;&quot;&#39;&amp;, 2</p>");
}

TEST_CASE("HTML of the program's own goes in as it is, and is not looked at again") {
  const HtmlTemplate page("{{&a}}|{{b}}");
  CHECK(page.fill({{"a", "<b>{{b}}</b>"}, {"b", "{{&a}}"}}) == "<b>{{b}}</b>|{{&amp;a}}");
}

TEST_CASE("A template without gaps is itself") {
  CHECK(HtmlTemplate("").fill({}).empty());
  CHECK(HtmlTemplate("a }} { b").fill({}) == "a }} { b");
}

TEST_CASE("Gaps that cannot be filled are mistakes") {
  CHECK_THROWS_AS(HtmlTemplate("{{a"), std::invalid_argument);
  CHECK_THROWS_AS(HtmlTemplate("{{}}"), std::invalid_argument);
  CHECK_THROWS_AS(HtmlTemplate("{{&}}"), std::invalid_argument);
  CHECK_THROWS_AS(HtmlTemplate("{{a}}").fill({{"b", "x"}}), std::invalid_argument);
}
