#include "app/demo.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/number_lines.h"
#include "app/pages.h"
#include "app/proxies.h"
#include "app/raw_echo.h"
#include "web/json.h"
#include "web/media_type.h"
#include "web/preconditions.h"
#include "web/query.h"
#include "web/static_files.h"

namespace stagecraft {

namespace {

using enum Method;

constexpr std::string_view plain_text = "text/plain; charset=utf-8";
constexpr std::string_view html = "text/html; charset=utf-8";

// The classical page of benchmarks: a static file, and just as large.
constexpr std::string_view small_page =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<title>Small</title>\n"
    "<h1>Small</h1>\n"
    "<p>173 bytes, as many as in the comparisons that others have made. <a href=\"/\">The "
    "page</a></p>\n"
    "</html>\n";
static_assert(small_page.size() == 173);

// An answer that is always the same: nothing is copied, and nothing allocated.
Route constant(std::string_view content, std::string_view type) {
  return {[content, type](const Request&, Response& response) {
    response.body_forever(content, type);
  }};
}

void add_constants(Router& table) {
  add_demo_route(table, "/plaintext", {get}, constant("hello world\n", plain_text));
  add_demo_route(table, "/health", {get}, constant("ok\n", plain_text));
  add_demo_route(table, "/json", {get},
                 constant("{\"message\":\"hello world\"}\n", "application/json"));
  add_demo_route(table, "/doc/index.html", {get}, constant(small_page, html));
  add_demo_route(table, "/testolope", {get}, constant("Hello world\r\n", plain_text));
  add_demo_route(table, "/testolope-nokeepalive", {get}, {[](const Request&, Response& response) {
                   response.body_forever("Hello world\r\n", plain_text);
                   response.close_after();
                 }});
}

// The files of the page. A browser asks each time whether they have changed: they are read by
// people who change them. If not, it is told so in a few bytes.
void add_pages(Router& table) {
  for (const Page& page : pages()) {
    // 64 bits of the content itself: another content has another tag, for all that will ever
    // happen.
    const std::size_t hash = std::hash<std::string_view>{}(page.content);
    const Validators validators{'"' + std::to_string(hash) + '"', {}};
    const Route route{[page, validators](const Request& request, Response& response) {
      response.set_field("Cache-Control", "no-cache");
      response.set_field("X-Content-Type-Options", "nosniff");
      if (answered_by_preconditions(request, validators, response)) return;
      response.body_forever(page.content, media_type(page.name));
    }};
    add_demo_route(table, "/page/" + std::string(page.name), {get}, route);
    if (page.name == "index.html") add_demo_route(table, "/", {get}, route);
  }
}

void add_files(Router& table, const ProgramOptions& options) {
  if (options.root.empty()) return;
  const auto files = std::make_shared<const StaticFiles>(options.root, options.listing);
  add_demo_route(table, "/files/...", {get}, {[files](const Request& request, Response& response) {
                   constexpr std::string_view prefix = "/files/";
                   const std::string_view path = request.path();
                   files->answer(request, path.substr(std::min(path.size(), prefix.size())),
                                 response);
                 }});
}

void echo(const Request& request, Response& response) {
  // Never the client's own type: nobody shall make this server serve a page that he has written.
  response.set_field("X-Content-Type-Options", "nosniff");
  response.body(std::string(request.body()), "application/octet-stream");
}

void chunks(const Request& request, Response& response) {
  const auto count = number_parameter(request.query(), "n", {10, 1, 1'000'000});
  if (!count) return error_page(response, Status::bad_request, "n must be a whole number");
  response.stream(std::make_unique<NumberLines>(*count), plain_text);
}

}  // namespace

void add_demo_route(Router& table, std::string_view pattern, std::initializer_list<Method> methods,
                    Route route) {
  route.handle = [handle = std::move(route.handle)](const Request& request, Response& response) {
    handle(request, response);
    if (asks_to_close(request)) response.close_after();
  };
  table.add(pattern, methods, std::move(route));
}

Router demo_routes(std::string_view stage, const ProgramOptions& options, const Metrics& metrics) {
  Router table(proxy_filters(options.proxies));
  add_constants(table);
  add_pages(table);
  add_files(table, options);
  add_probe_routes(table, stage, options);
  add_demo_route(table, "/echo", {get, post, put, patch, delete_, Method::options}, {echo});
  add_demo_route(table, "/upload", {post, put}, upload_route(options.limits.max_request_size));
  table.add("/raw", {get}, upgrade_to_echo);
  add_demo_route(table, "/chunks", {get}, {chunks});
  add_demo_route(table, "/metrics", {get}, {[&metrics](const Request&, Response& response) {
                   response.body(metrics.text(), "text/plain; version=0.0.4; charset=utf-8");
                 }});
  return table;
}

}  // namespace stagecraft
