// Which of several languages a client gets.
#include "web/language.h"

#include <string>
#include <vector>

#include "catch.h"
#include "unit/web/with_request.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

std::string best(std::string_view wanted, const std::vector<std::string_view>& available) {
  std::string found;
  const std::string field = "Accept-Language: " + std::string(wanted) + "\r\n";
  with_request("GET /", field, {}, [&](const Request& request) {
    found = best_language(request, available).value_or("none");
  });
  return found;
}

}  // namespace

TEST_CASE("The language that a client wants most is found") {
  CHECK(best("de", {"en", "de"}) == "de");
  CHECK(best("en;q=0.5, de;q=0.8, fr;q=0.9", {"en", "de"}) == "de");
  CHECK(best("da, en-GB;q=0.8, en;q=0.7", {"en-US", "en-GB"}) == "en-GB");
  CHECK(best("fr", {"en", "de"}) == "none");
  CHECK(best("", {"en"}) == "none");
}

TEST_CASE("A region falls back to its language, and a language takes any region") {
  CHECK(best("de-CH", {"en", "de"}) == "de");
  CHECK(best("de", {"en", "de-CH"}) == "de-CH");
  CHECK(best("de-CH, en", {"en", "de"}) == "de");
  CHECK(best("DE-ch", {"de-CH"}) == "de-CH");
  CHECK(best("d", {"de"}) == "none");
  CHECK(best("den", {"de"}) == "none");
}

TEST_CASE("The most exact wish counts, a star for the rest, and zero is never") {
  CHECK(best("de;q=0.3, de-CH;q=0.9, en;q=0.5", {"de", "en"}) == "en");
  CHECK(best("en;q=0, *", {"en", "de"}) == "de");
  CHECK(best("*;q=0.1, en", {"de", "en"}) == "en");
  CHECK(best("de;q=0", {"de"}) == "none");
}

TEST_CASE("Of equal wishes the client's first counts") {
  CHECK(best("fr, de, en", {"en", "de"}) == "de");
  CHECK(best("*", {"en", "de"}) == "en");
}
