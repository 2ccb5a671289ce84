// Which route answers, and what is answered where there is none.
#include "app/route_table.h"

#include <string>
#include <utility>

#include "catch.h"
#include "unit/app/asking.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

using enum Method;

// A route whose answer is its name.
Route named(std::string name) {
  return {[name](const Request&, Response& response) { response.text(name); }};
}

RouteTable table() {
  RouteTable table;
  table.add("/", {get}, named("root"));
  table.add("/files", {get}, named("the files themselves"));
  table.add("/files/...", {get}, named("a file"));
  table.add("/files/new/...", {get}, named("a new file"));
  table.add("/form", {get}, named("form"));
  table.add("/form", {post}, named("posted"));
  table.add("/head", {get}, named("got"));
  table.add("/head", {head},
            {[](const Request&, Response& response) { response.set_field("X-Own", "yes"); }});
  return table;
}

std::string body_of(const RouteTable& table, std::string_view method_and_target) {
  return ask(table.application(), method_and_target).body;
}

}  // namespace

TEST_CASE("A path finds its own route before one for all below") {
  const RouteTable routes = table();
  CHECK(body_of(routes, "GET /") == "root");
  CHECK(body_of(routes, "GET /files") == "the files themselves");
  CHECK(body_of(routes, "GET /files/") == "a file");
  CHECK(body_of(routes, "GET /files/a/b?c=/files/new/") == "a file");
}

TEST_CASE("Of two prefixes the longer counts") {
  const RouteTable routes = table();
  CHECK(body_of(routes, "GET /files/new/a") == "a new file");
  CHECK(body_of(routes, "GET /files/new") == "a file");
}

TEST_CASE("A prefix matches whole segments only") {
  const RouteTable routes = table();
  CHECK(ask(routes.application(), "GET /filesystem").status == 404);
  CHECK(ask(routes.application(), "GET /files.txt").status == 404);
  CHECK(body_of(routes, "GET /files/newer") == "a file");
  CHECK(ask(routes.application(), "GET /a/files/b").status == 404);
}

TEST_CASE("A prefix below the root matches everything") {
  RouteTable routes;
  routes.add("/...", {get}, named("all"));
  CHECK(body_of(routes, "GET /") == "all");
  CHECK(body_of(routes, "GET /a/b") == "all");
}

TEST_CASE("Methods of one path have routes of their own") {
  const RouteTable routes = table();
  CHECK(body_of(routes, "GET /form") == "form");
  CHECK(body_of(routes, "POST /form") == "posted");
}

TEST_CASE("What a path does not know is 405 and tells what it knows") {
  const HttpResponse answer = ask(table().application(), "DELETE /form");
  CHECK(answer.status == 405);
  CHECK(answer.list("Allow") == std::vector<std::string>{"GET", "HEAD", "POST", "OPTIONS"});
}

TEST_CASE("HEAD is answered as GET is, if there is nothing of its own") {
  const RouteTable routes = table();
  const HttpResponse answer = ask(routes.application(), "HEAD /form");
  CHECK(answer.status == 200);
  CHECK(answer.field("Content-Length") == "4");
  CHECK(ask(routes.application(), "HEAD /head").field("X-Own") == "yes");
  CHECK_FALSE(ask(routes.application(), "GET /head").has("X-Own"));
}

TEST_CASE("OPTIONS tells what a path knows, if there is nothing of its own") {
  RouteTable routes = table();
  const HttpResponse answer = ask(routes.application(), "OPTIONS /files/a");
  CHECK(answer.status == 204);
  CHECK(answer.list("Allow") == std::vector<std::string>{"GET", "HEAD", "OPTIONS"});
  routes.add("/own", {options}, named("mine"));
  CHECK(body_of(routes, "OPTIONS /own") == "mine");
  CHECK(ask(routes.application(), "OPTIONS *").status == 404);
}

TEST_CASE("404 and 405 come before a body that nobody wants is asked for") {
  const RouteTable routes = table();
  constexpr std::string_view expecting = "Expect: 100-continue\r\nContent-Length: 5\r\n";
  CHECK(ask(routes.application(), "POST /nowhere", expecting).status == 404);
  const HttpResponse refused = ask(routes.application(), "PUT /form", expecting);
  CHECK(refused.status == 405);
  CHECK(refused.lists("Allow", "POST"));
}

TEST_CASE("There can be a route for all other paths") {
  RouteTable routes = table();
  routes.add_otherwise({get}, named("other"));
  CHECK(body_of(routes, "GET /nowhere") == "other");
  CHECK(body_of(routes, "GET /") == "root");
  CHECK(ask(routes.application(), "POST /nowhere").status == 405);
}

TEST_CASE("Patterns are told in order, each once, and are those of the routes") {
  RouteTable routes = table();
  routes.add_otherwise({get}, named("other"));
  const auto patterns = routes.patterns();
  CHECK(patterns == std::vector<std::string_view>{"...", "/", "/files", "/files/...",
                                                  "/files/new/...", "/form", "/head"});
  CHECK(routes.find(get, "/files/a").pattern.data() == patterns[3].data());
  CHECK(routes.find(trace, "/files/a").pattern.data() == patterns[3].data());
  CHECK(table().find(get, "/nowhere").pattern.empty());
}

TEST_CASE("A table can be moved") {
  RouteTable first = table();
  const RouteTable second = std::move(first);
  CHECK(body_of(second, "GET /files/new/a") == "a new file");
  CHECK(ask(second.application(), "DELETE /form").lists("Allow", "POST"));
}
