// Which route answers, and what is answered where there is none.
#include "web/router.h"

#include <memory>
#include <stdexcept>
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

Router table() {
  Router table;
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

std::string body_of(const Router& table, std::string_view method_and_target) {
  return ask(table.application(), method_and_target).body;
}

}  // namespace

TEST_CASE("A path finds its own route before one for all below") {
  const Router routes = table();
  CHECK(body_of(routes, "GET /") == "root");
  CHECK(body_of(routes, "GET /files") == "the files themselves");
  CHECK(body_of(routes, "GET /files/") == "a file");
  CHECK(body_of(routes, "GET /files/a/b?c=/files/new/") == "a file");
}

TEST_CASE("Of two prefixes the longer counts") {
  const Router routes = table();
  CHECK(body_of(routes, "GET /files/new/a") == "a new file");
  CHECK(body_of(routes, "GET /files/new") == "a file");
}

TEST_CASE("A prefix matches whole segments only") {
  const Router routes = table();
  CHECK(ask(routes.application(), "GET /filesystem").status == 404);
  CHECK(ask(routes.application(), "GET /files.txt").status == 404);
  CHECK(body_of(routes, "GET /files/newer") == "a file");
  CHECK(ask(routes.application(), "GET /a/files/b").status == 404);
}

TEST_CASE("A prefix below the root matches everything") {
  Router routes;
  routes.add("/...", {get}, named("all"));
  CHECK(body_of(routes, "GET /") == "all");
  CHECK(body_of(routes, "GET /a/b") == "all");
}

TEST_CASE("Methods of one path have routes of their own") {
  const Router routes = table();
  CHECK(body_of(routes, "GET /form") == "form");
  CHECK(body_of(routes, "POST /form") == "posted");
}

TEST_CASE("What a path does not know is 405 and tells what it knows") {
  const HttpResponse answer = ask(table().application(), "DELETE /form");
  CHECK(answer.status == 405);
  CHECK(answer.list("Allow") == std::vector<std::string>{"GET", "HEAD", "POST", "OPTIONS"});
}

TEST_CASE("HEAD is answered as GET is, if there is nothing of its own") {
  const Router routes = table();
  const HttpResponse answer = ask(routes.application(), "HEAD /form");
  CHECK(answer.status == 200);
  CHECK(answer.field("Content-Length") == "4");
  CHECK(ask(routes.application(), "HEAD /head").field("X-Own") == "yes");
  CHECK_FALSE(ask(routes.application(), "GET /head").has("X-Own"));
}

TEST_CASE("OPTIONS tells what a path knows, if there is nothing of its own") {
  Router routes = table();
  const HttpResponse answer = ask(routes.application(), "OPTIONS /files/a");
  CHECK(answer.status == 204);
  CHECK(answer.list("Allow") == std::vector<std::string>{"GET", "HEAD", "OPTIONS"});
  routes.add("/own", {options}, named("mine"));
  CHECK(body_of(routes, "OPTIONS /own") == "mine");
  CHECK(ask(routes.application(), "OPTIONS *").status == 404);
}

TEST_CASE("404 and 405 come before a body that nobody wants is asked for") {
  const Router routes = table();
  constexpr std::string_view expecting = "Expect: 100-continue\r\nContent-Length: 5\r\n";
  CHECK(ask(routes.application(), "POST /nowhere", expecting).status == 404);
  const HttpResponse refused = ask(routes.application(), "PUT /form", expecting);
  CHECK(refused.status == 405);
  CHECK(refused.lists("Allow", "POST"));
}

TEST_CASE("There can be a route for all other paths") {
  Router routes = table();
  routes.add_otherwise({get}, named("other"));
  CHECK(body_of(routes, "GET /nowhere") == "other");
  CHECK(body_of(routes, "GET /") == "root");
  CHECK(ask(routes.application(), "POST /nowhere").status == 405);
}

TEST_CASE("Patterns are told in order, each once, and are those of the routes") {
  Router routes = table();
  routes.add_otherwise({get}, named("other"));
  const auto patterns = routes.patterns();
  CHECK(patterns == std::vector<std::string_view>{"...", "/", "/files", "/files/...",
                                                  "/files/new/...", "/form", "/head"});
  CHECK(routes.find(get, "/files/a").pattern.data() == patterns[3].data());
  CHECK(routes.find(trace, "/files/a").pattern.data() == patterns[3].data());
  CHECK(table().find(get, "/nowhere").pattern.empty());
}

TEST_CASE("A handler is told what stands in the path") {
  Router routes;
  routes.add("/guests/{id: [0-9]+}/{what}", {get},
             [](const Request&, Response& response, PathParameters path) {
               response.text(std::string(path["what"]) + " of " + std::string(path["id"]));
             });
  routes.add("/guests/{number: [0-9]+}/{thing}", {post},
             [](const Request&, Response& response, PathParameters path) {
               response.text(path["number"]);
             });
  CHECK(body_of(routes, "GET /guests/12/a%20photo?x") == "a photo of 12");
  CHECK(body_of(routes, "POST /guests/13/x") == "13");
  CHECK(ask(routes.application(), "GET /guests/x/photo").status == 404);
  CHECK(ask(routes.application(), "PUT /guests/1/photo").lists("Allow", "POST"));
  CHECK(routes.patterns() == std::vector<std::string_view>{"/guests/{id: [0-9]+}/{what}"});
}

TEST_CASE("A word says where a handler runs") {
  Router routes;
  routes.add(
      "/a", {get}, [](const Request&, Response&) {}, Where::pool);
  routes.add(
      "/{b}/c", {get}, [](const Request&, Response&, PathParameters) {}, Where::thread);
  routes.add("/d", {get}, [](const Request&, Response&) {});
  CHECK(routes.find(get, "/a").where == Where::pool);
  CHECK(routes.find(get, "/b/c").where == Where::thread);
  CHECK(routes.find(get, "/d").where == Where::here);
  CHECK(routes.find(put, "/a").where == Where::here);
}

TEST_CASE("Two routes for one thing are a mistake") {
  Router routes = table();
  CHECK_THROWS_WITH(routes.add("/form", {get}, named("again")),
                    Catch::Contains("two routes for GET /form"));
  CHECK_THROWS_AS(routes.add("form", {get}, named("again")), std::invalid_argument);
  CHECK_THROWS_AS(routes.context("admin"), std::invalid_argument);
  CHECK_THROWS_AS(routes.context("/admin/"), std::invalid_argument);
  CHECK_THROWS_AS(routes.context(""), std::invalid_argument);
  routes.add("/later", {get}, named("get"));
  routes.add("/later", {head, options}, named("own"));
  CHECK(body_of(routes, "OPTIONS /later") == "own");
}

TEST_CASE("A context has filters of its own, also for what is not there") {
  Router routes;
  routes.add("/open", {get}, named("open"));
  Router::Context admin = routes.context("/admin", {before([](const Request&, Response& response) {
                                           error_page(response, Status::forbidden, "not for you");
                                           return Pass::answered;
                                         })});
  admin.add("/log/{day}", {get}, [](const Request&, Response& response, PathParameters path) {
    response.text(path["day"]);
  });
  const auto status = [&](std::string_view target) {
    return ask(routes.application(), target).status;
  };
  CHECK(status("GET /open") == 200);
  CHECK(status("GET /admin/log/1") == 403);
  CHECK(status("DELETE /admin/log/1") == 403);
  CHECK(status("OPTIONS /admin/log/1") == 403);
  CHECK(status("GET /admin/nowhere") == 403);
  CHECK(status("GET /admin") == 403);
  CHECK(status("GET /admin/") == 403);
  CHECK(status("GET /administrator") == 404);
}

TEST_CASE("What a context does not have is 404 in it, and 405 once a path is known") {
  Router routes;
  Router::Context shop = routes.context("/shop");
  CHECK(ask(routes.application(), "POST /shop/x").status == 404);
  shop.add("", {get}, named("the shop"));
  shop.context("/cart").add("/{item}", {post}, named("added"));
  CHECK(body_of(routes, "GET /shop") == "the shop");
  CHECK(ask(routes.application(), "POST /shop").status == 405);
  CHECK(body_of(routes, "POST /shop/cart/1") == "added");
  CHECK(ask(routes.application(), "GET /shop/cart/1").lists("Allow", "POST"));
  CHECK(ask(routes.application(), "OPTIONS /shop/x").status == 404);
}

TEST_CASE("A router can belong to the application that it makes") {
  auto routes = std::make_shared<Router>();
  routes->add("/", {get}, named("root"));
  const Application owner = application(std::move(routes));
  CHECK(ask(owner, "GET /").body == "root");
}

TEST_CASE("A table can be moved") {
  Router first = table();
  const Router second = std::move(first);
  CHECK(body_of(second, "GET /files/new/a") == "a new file");
  CHECK(ask(second.application(), "DELETE /form").lists("Allow", "POST"));
}
