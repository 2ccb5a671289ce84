// The routes that show when a request was worked on, and by whom.

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "app/demo.h"
#include "app/gates.h"
#include "app/scheduler.h"
#include "app/silent_clients.h"
#include "app/unix_time.h"
#include "base/thread_number.h"
#include "http/client_address.h"
#include "web/json.h"
#include "web/query.h"

namespace stagecraft {

namespace {

using enum Method;

constexpr std::string_view json_type = "application/json";
constexpr NumberRange milliseconds_range{1'000, 0, 10'000};

// A page that compares several servers asks them all from the address of one of them, and wants to
// know when the answers came.
void set_probe_fields(Response& response) {
  response.set_field("Access-Control-Allow-Origin", "*");
  response.set_field("Timing-Allow-Origin", "*");
  response.set_field("Cache-Control", "no-store");
}

void refuse(Response& response, Status status, std::string_view detail) {
  error_page(response, status, detail);
  set_probe_fields(response);
}

// A request's stay in a handler. Copies what it needs, so that it may outlast the request.
class Visit {
 public:
  // The handler is entered now.
  Visit(std::string stage, const Request& request)
      : stage_(std::move(stage)),
        loop_(request.connection().loop),
        connection_(request.connection().id),
        request_(request.number()),
        client_(client_address(request)),
        accepted_us_(request.connection().accepted_us) {}

  // The answer is made now.
  void answer(Response& response) const {
    set_probe_fields(response);
    response.text(JsonObject()
                      .add("stage", stage_)
                      .add("thread", std::uint64_t{thread_})
                      .add("loop", std::uint64_t{loop_})
                      .add("connection", connection_)
                      .add("request", std::uint64_t{request_})
                      .add("client", client_)
                      .add("accepted_us", accepted_us_)
                      .add("entered_us", entered_us_)
                      .add("left_us", unix_time_us())
                      .text(),
                  json_type);
  }

 private:
  std::string stage_;
  std::uint32_t thread_ = thread_number();
  std::uint32_t loop_;
  std::uint64_t connection_;
  std::uint32_t request_;
  std::string client_;
  std::int64_t accepted_us_;
  std::int64_t entered_us_ = unix_time_us();
};

// Calls `handle(request, response, duration)` with what ms=N says.
template <typename Handle>
Handler with_duration(Handle handle) {
  return [handle = std::move(handle)](const Request& request, Response& response) {
    const auto ms = number_parameter(request.query(), "ms", milliseconds_range);
    if (!ms) return refuse(response, Status::bad_request, "ms must be a whole number");
    handle(request, response, std::chrono::milliseconds(*ms));
  };
}

// Keeps its thread for as long as it takes.
Handler block(const std::string& stage) {
  return with_duration(
      [stage](const Request& request, Response& response, std::chrono::milliseconds duration) {
        const Visit visit(stage, request);
        std::this_thread::sleep_for(duration);
        visit.answer(response);
      });
}

// Promises an answer, and leaves at once.
Handler slow(const std::string& stage, const std::shared_ptr<Scheduler>& scheduler) {
  return with_duration([stage, scheduler](const Request& request, Response& response,
                                          std::chrono::milliseconds duration) {
    scheduler->after(duration, [visit = Visit(stage, request), close = asks_to_close(request),
                                responder = response.defer()]() mutable {
      if (responder.abandoned()) return;
      Response answer;
      visit.answer(answer);
      if (close) answer.close_after();
      std::move(responder).send(std::move(answer));
    });
  });
}

Handler silent(std::shared_ptr<Scheduler> scheduler) {
  const auto clients = std::make_shared<SilentClients>(std::move(scheduler));
  return with_duration([clients](const Request& request, Response& response,
                                 std::chrono::milliseconds duration) {
    if (clients->open(request.connection().local_address, duration) != Status::ok) {
      return refuse(response, Status::service_unavailable, "no more silent clients can be had");
    }
    set_probe_fields(response);
    response.text(JsonObject().add("silent_ms", std::int64_t{duration.count()}).text(), json_type);
  });
}

Handler gate(const std::string& stage, const std::string& folder) {
  const auto gates = std::make_shared<const Gates>(folder);
  return [stage, gates](const Request& request, Response& response) {
    const Visit visit(stage, request);
    const Status status = gates->pass(parameter(request.query(), "name").value_or(""));
    if (status != Status::ok) return refuse(response, status, "there is no such gate");
    visit.answer(response);
  };
}

}  // namespace

void add_probe_routes(Router& table, std::string_view stage_name, const ProgramOptions& options) {
  const std::string stage(stage_name);
  const auto scheduler = std::make_shared<Scheduler>();
  const auto whoami = [stage](const Request& request, Response& response) {
    Visit(stage, request).answer(response);
  };
  // What may take long goes to a pool where there is one.
  add_demo_route(table, "/whoami", {get}, {whoami});
  add_demo_route(table, "/block", {get}, {block(stage), {}, Where::pool});
  add_demo_route(table, "/slow", {get}, {slow(stage, scheduler)});
  add_demo_route(table, "/silent", {get}, {silent(scheduler), {}, Where::pool});
  if (!options.gates.empty()) {
    add_demo_route(table, "/gate", {get}, {gate(stage, options.gates), {}, Where::pool});
  }
}

}  // namespace stagecraft
