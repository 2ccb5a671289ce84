// What stands behind the question mark.
#include "web/query.h"

#include "catch.h"

using namespace stagecraft;

TEST_CASE("A parameter is found by its whole name") {
  CHECK(parameter("ms=20", "ms") == "20");
  CHECK(parameter("a=1&ms=20&b=2", "ms") == "20");
  CHECK(parameter("items=1&ms=20", "ms") == "20");
  CHECK_FALSE(parameter("items=1", "ms"));
  CHECK_FALSE(parameter("m=1&s=2", "ms"));
  CHECK_FALSE(parameter("", "ms"));
}

TEST_CASE("The first parameter of a name counts, and it may be empty") {
  CHECK(parameter("ms=1&ms=2", "ms") == "1");
  CHECK(parameter("ms=", "ms") == "");
  CHECK(parameter("ms", "ms") == "");
  CHECK(parameter("ms&a", "a") == "");
  CHECK(parameter("&&ms=3&", "ms") == "3");
  CHECK(parameter("ms=a=b", "ms") == "a=b");
}

TEST_CASE("A number is moved into its range") {
  constexpr NumberRange range{7, 1, 100};
  CHECK(number_parameter("", "n", range) == 7);
  CHECK(number_parameter("n=50", "n", range) == 50);
  CHECK(number_parameter("n=0", "n", range) == 1);
  CHECK(number_parameter("n=101", "n", range) == 100);
  CHECK(number_parameter("n=99999999999999999999999999", "n", range) == 100);
}

TEST_CASE("What is no whole number is none") {
  constexpr NumberRange range{7, 0, 100};
  for (const char* query : {"n=", "n", "n=-1", "n=+1", "n=1x", "n=x", "n=1.5", "n=%31", "n= 1",
                            "n=99999999999999999999999999x"}) {
    INFO(query);
    CHECK_FALSE(number_parameter(query, "n", range));
  }
}
