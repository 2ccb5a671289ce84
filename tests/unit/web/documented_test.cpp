// The code of docs/web.md, run. tests/library/snippets.py compares the two.
#include <array>
#include <ctime>
#include <string>
#include <utility>

#include "catch.h"
#include "unit/app/asking.h"
#include "web/answers.h"
#include "web/authentication.h"
#include "web/canned.h"
#include "web/form.h"
#include "web/html_template.h"
#include "web/language.h"
#include "web/limit_filters.h"
#include "web/multipart_form.h"
#include "web/observing_filters.h"
#include "web/router.h"
#include "web/session_cookie.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view form_type = "Content-Type: application/x-www-form-urlencoded\r\n";

void make_report(const Request&, Response& response) { response.text("report"); }

Router documented_routes() {
  Router router;
  router.add("/health", {Method::get}, constant("ok\n", "text/plain"));
  router.add("/guests/{id: [0-9]+}", {Method::get},
             [](const Request&, Response& response, PathParameters path) {
               response.text("guest " + std::string(path["id"]));
             });
  router.add(
      "/files/...", {Method::get},
      [](const Request&, Response& response, PathParameters path) { response.text(path.rest()); });
  router.add("/report", {Method::post}, make_report, Where::pool);
  router.add("/old", {Method::get}, redirect_to("/health"));
  return router;
}

Router filtered_routes(std::string& log) {
  Router router({security_headers(), access_log([&log](const AccessRecord& record) {
                   log += std::string(record.request_line) + '\n';
                 })});
  auto admin = router.context("/admin", {basic_authentication("admin", {{"ada", "secret"}}),
                                         rate_limit({.requests = 60, .burst = 5})});
  admin.add("/report", {Method::get}, make_report);
  return router;
}

// What a filter found out, for the handlers behind it.
inline constexpr AttributeKey<std::string> tenant{"tenant"};

Filter for_tenants() {
  return before([](const Request& request, Response& response) {
    const auto name = request.field("X-Tenant");
    if (!name) {
      answer(response, {Status::bad_request, "whose request is this?"});
      return Pass::answered;
    }
    request.attributes().set(tenant, std::string(*name));
    return Pass::on;
  });
}

void greet(const Request& request, Response& response) {
  Form form;
  if (const Refusal refusal = read_form(request, form)) return answer(response, refusal);
  static const HtmlTemplate page("<h1>Hello {{name}}</h1>");
  html(response, page.fill({{"name", form.value("name").value_or("you")}}));
}

Route upload() {
  Route route;
  route.admit = take_multipart({.max_bytes = 20 << 20, .max_files = 5});
  route.handle = [](const Request& request, Response& response) {
    MultipartForm form;
    if (const Refusal refusal = read_multipart(request, form)) return answer(response, refusal);
    std::string names;
    for (const FormFile& file : form.files) names += plain_file_name(file.filename()) + "\n";
    response.text(names);
  };
  return route;
}

SessionCookie sessions() {
  SessionCookie::Manner manner;
  manner.cookie.name = "shop";
  return SessionCookie(manner, {SecretKey::random()});
}

void visit(const SessionCookie& cookies, const Request& request, Response& response) {
  const auto session = cookies.read(request);
  if (session) return response.text("again, " + std::string(session->value("user").value_or("")));
  Form begun;
  begun.add("user", "ada");
  cookies.write(response, begun);
  redirect(response, "/");
}

void translated(const Request& request, Response& response) {
  constexpr std::array<std::string_view, 2> languages{"en", "de"};
  const std::string_view language = best_language(request, languages).value_or("en");
  response.set_field("Content-Language", language);
  response.set_field("Vary", "Accept-Language");
  response.text(language == "de" ? "Guten Tag" : "Good day");
}

void count_down(const Request&, Response& response) {
  stream_pieces(
      response,
      [left = 3](std::string& piece) mutable {
        piece = std::to_string(left) + "\n";
        return --left > 0 ? Flow::more : Flow::end;
      },
      "text/plain");
}

HttpResponse ask_route(const Route& route, std::string_view target, std::string_view fields = {},
                       std::string_view body = {}) {
  return ask([&route](const Request&) -> const Route& { return route; }, target, fields, body);
}

}  // namespace

TEST_CASE("The documented routes answer") {
  const Router router = documented_routes();
  const Application application = router.application();
  CHECK(ask(application, "GET /health").body == "ok\n");
  CHECK(ask(application, "GET /guests/7").body == "guest 7");
  CHECK(ask(application, "GET /guests/x").status == 404);
  CHECK(ask(application, "GET /files/css/page.css").body == "css/page.css");
  CHECK(ask(application, "POST /report").body == "report");
  CHECK(ask(application, "GET /old?a=1").field("Location") == "/health?a=1");
}

TEST_CASE("The documented filters filter") {
  std::string log;
  const Router router = filtered_routes(log);
  const Application application = router.application();
  CHECK(ask(application, "GET /admin/report").status == 401);
  CHECK(ask(application, "GET /admin/nothing").status == 401);
  const HttpResponse in =
      ask(application, "GET /admin/report", "Authorization: Basic YWRhOnNlY3JldA==\r\n");
  CHECK(in.body == "report");
  CHECK(in.has("Content-Security-Policy"));
  CHECK_THAT(log, Catch::StartsWith("GET /admin/report HTTP/1.1\n"));
  const Route route = for_tenants()({[](const Request& request, Response& response) {
    const std::string* const name = request.attributes().find(tenant);
    response.text(name == nullptr ? "" : *name);
  }});
  CHECK(ask_route(route, "GET /").status == 400);
  CHECK(ask_route(route, "GET /", "X-Tenant: a\r\n").body == "a");
}

TEST_CASE("The documented forms are read") {
  CHECK(ask_route({greet}, "POST /", form_type, "name=%3Cb%3E").body == "<h1>Hello &lt;b&gt;</h1>");
  CHECK(ask_route({greet}, "POST /", form_type, "name=%FF").status == 400);
  CHECK(
      ask_route(upload(), "POST /", "Content-Type: multipart/form-data; boundary=b\r\n",
                "--b\r\nContent-Disposition: form-data; name=f; filename=a.txt\r\n\r\n123\r\n--b--")
          .body == "a.txt\n");
}

TEST_CASE("The documented session goes on") {
  const SessionCookie cookies = sessions();
  const Route route{[&cookies](const Request& request, Response& response) {
    visit(cookies, request, response);
  }};
  const HttpResponse first = ask_route(route, "GET /");
  CHECK(first.status == 303);
  const std::string set = first.field("Set-Cookie");
  CHECK(ask_route(route, "GET /", "Cookie: " + set.substr(0, set.find(';')) + "\r\n").body ==
        "again, ada");
}

TEST_CASE("The documented answers are given") {
  CHECK(ask_route({translated}, "GET /", "Accept-Language: de-CH, fr\r\n").body == "Guten Tag");
  CHECK(ask_route({translated}, "GET /").body == "Good day");
  CHECK(ask_route({count_down}, "GET /").body == "3\n2\n1\n");
}
