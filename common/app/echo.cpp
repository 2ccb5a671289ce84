#include "app/echo.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/number_lines.h"
#include "base/limits.h"
#include "web/fields.h"
#include "web/preconditions.h"
#include "web/query.h"

namespace stagecraft {

namespace {

constexpr std::string_view plain_text = "text/plain; charset=utf-8";
constexpr std::uint64_t max_large_bytes = 64 * MiB;

void echo(const Request& request, Response& response) {
  // Two readers could take such a path for two different ones.
  if (request.path().find("//") != std::string_view::npos) {
    return error_page(response, Status::not_found, "a path has no empty segments here");
  }
  if (request.method() == Method::put && request.field("Content-Range")) {
    return error_page(response, Status::bad_request, "a part alone cannot be put here");
  }
  if (answered_by_preconditions(request, {}, response)) return;
  if (!request.body().empty()) {
    // Never the client's own type: nobody shall make this server serve a page that he has written.
    response.set_field("X-Content-Type-Options", "nosniff");
    return response.body(std::string(request.body()), "application/octet-stream");
  }
  switch (request.method()) {
    case Method::get:
    case Method::head:
      return response.body_forever("OK", plain_text);
    case Method::options:
      response.set_field("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
      return response.body_forever("", plain_text);
    default:
      return response.body_forever("", "application/octet-stream");
  }
}

void list_cookies(const Request& request, Response& response) {
  std::string lines;
  for_each_part(request, "Cookie", ';',
                [&](std::string_view cookie) { lines.append(cookie).append("\n"); });
  response.body(std::move(lines), plain_text);
}

void list_fields(const Request& request, Response& response) {
  std::string lines;
  const auto append = [&lines](std::string_view prefix, const Field& field) {
    lines.append(prefix).append(field.name).append(": ").append(field.value).append("\n");
  };
  for (std::size_t index = 0; index < request.field_count(); ++index) {
    append("", request.field_at(index));
  }
  for (std::size_t index = 0; index < request.trailer_count(); ++index) {
    append("trailer ", request.trailer_at(index));
  }
  response.body(std::move(lines), plain_text);
}

void tell_authority(const Request& request, Response& response) {
  response.text(request.authority(), plain_text);
}

void tell_path(const Request& request, Response& response) {
  std::string lines(request.path());
  lines.append("\n").append(request.query()).append("\n");
  response.body(std::move(lines), plain_text);
}

void large(const Request& request, Response& response) {
  const auto bytes = number_parameter(request.query(), "n", {MiB, 0, max_large_bytes});
  if (!bytes) return error_page(response, Status::bad_request, "n must be a whole number");
  response.body(std::string(*bytes, 'x'), plain_text);
}

// Bytes that come back. The session sends all it gets from produce() before it reads on, so no more
// waits in here than one read has brought.
class RawEcho : public RawStream {
 public:
  Status write(std::span<const char> piece) override {
    waiting_.append(piece.data(), piece.size());
    return Status::ok;
  }
  Produced produce(std::span<char> room) override {
    const std::size_t bytes = std::min(room.size(), waiting_.size());
    std::copy_n(waiting_.begin(), bytes, room.begin());
    waiting_.erase(0, bytes);
    return {bytes, bytes == 0 ? Flow::later : Flow::more};
  }

 private:
  std::string waiting_;
};

void become_raw(const Request& request, Response& response) {
  // An HTTP/1.0 client cannot mean it (RFC 9110 section 7.8).
  const bool offered = request.minor_version() > 0 && lists(request, "Connection", "upgrade") &&
                       lists(request, "Upgrade", "echo");
  if (offered) {
    return response.take_over(Status::switching_protocols, "echo", std::make_unique<RawEcho>());
  }
  error_page(response, Status::upgrade_required, "ask with Upgrade: echo");
  response.set_field("Upgrade", "echo");
}

}  // namespace

Router echo_routes() {
  using enum Method;
  Router table;
  const auto any = {get, head, post, put, patch, delete_, options};
  table.add_otherwise(any, {echo});
  table.add("/fields", any, {list_fields});
  table.add("/path", {get}, {tell_path});
  table.add("/path/...", {get}, {tell_path});
  table.add("/cookie", {get}, {list_cookies});
  table.add("/authority", {get}, {tell_authority});
  table.add("/large", {get}, {large});
  table.add("/raw", {get}, {become_raw});
  table.add("/chunked", {get}, {[](const Request&, Response& response) {
              response.stream(std::make_unique<NumberLines>(10), plain_text);
            }});
  table.add("/nocontent", {get},
            {[](const Request&, Response& response) { response.status(Status::no_content); }});
  table.add("/notmodified", {get},
            {[](const Request&, Response& response) { response.status(Status::not_modified); }});
  table.add("/throw", {get}, {[](const Request&, Response&) {
              throw std::runtime_error("this handler always fails");
            }});
  return table;
}

}  // namespace stagecraft
