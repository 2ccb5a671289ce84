// What a server serves: from a request's head to a handler.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "http/request.h"
#include "http/responder.h"
#include "http/response.h"

namespace stagecraft {

/// How a body is taken in: at most so many bytes, into the sink, or gathered in memory if there is
/// none. A body beyond the limit is answered 413.
struct Intake {
  /// As large as Limits::max_request_size says.
  static constexpr std::uint64_t usual = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t max_bytes = usual;
  std::unique_ptr<BodySink> sink;
};

/// Asked on the session's thread when a head announces a body: how to take it in. nullopt: the
/// Response is the answer already, and the body is unwanted; so a 404, 401, 405 or 415 comes before
/// a client that expects "100 Continue" has sent anything.
using Admit = std::function<std::optional<Intake>(const Request& head, Response&)>;

/// Answers a request. Stages with several threads call it from several at once.
using Handler = std::function<void(const Request&, Response&)>;

/// Sees each answer of a route just before it is rendered, and may still change it: the handler's,
/// also a deferred one, the refusal of `admit`, the 500 of a handler that threw, the 413 of a body
/// that is too large. On the session's thread; must not block or defer. What it throws makes a 500.
///
/// It does not see what is no answer of the route: to a request that could not be read, and the 503
/// that is sent in place of a handler that takes too long.
using Finish = std::function<void(const Request&, Response&)>;

/// Where a handler runs, on the stages that have the thing; elsewhere on the connection's thread.
/// `here`: on the event loop, and it must not block. `pool`: it may take long, so somewhere else,
/// which --executor decides. `thread`: always on a thread of its own.
enum class Where : std::uint8_t { here, pool, thread };

/// What an Application chose for a request. It lives as long as its Application does.
struct Route {
  Handler handle;
  Admit admit = {};  ///< none: bodies up to Limits::max_request_size are gathered
  Where where = Where::here;
  std::string_view pattern = {};  ///< names the route in metrics: "/files/..."
  Finish finish = {};             ///< none: an answer leaves as it is
};

/// A function from a head to its Route.
template <typename Function>
concept RouteLookup =
    std::is_lvalue_reference_v<std::invoke_result_t<const Function&, const Request&>> &&
    std::is_invocable_r_v<const Route&, const Function&, const Request&>;

/// A table of routes, in which a head is looked up.
template <typename Table>
concept RouteFinder = requires(const Table& table, const Request& head) {
  { table.find(head) } -> std::same_as<const Route&>;
};

/// From a head to its Route, once for each request: 404 and 405 are routes too. Called on the
/// session's thread, from several at once where there are several; must not block. What it throws
/// is answered 500.
///
/// Made of what has the routes, which it then owns; or, by a function that returns a reference to a
/// Route, of routes that live elsewhere. The server keeps an Application until the last request
/// that it has found a route for is over.
///
///     Server server(options, [](const Request&, Response& response) { response.text("hello"); });
class Application {
 public:
  /// Knows no route: for a server that is given one later, by replace().
  Application() = default;

  /// The one Route of all requests.
  Application(Route route)
      : Application([kept = std::make_shared<const Route>(std::move(route))](
                        const Request&) -> const Route& { return *kept; }) {}

  /// One handler for all requests.
  template <typename Function>
  requires std::is_invocable_r_v<void, const Function&, const Request&, Response&> Application(
      Function handler)
      : Application(Route{std::move(handler)}) {}

  /// A table with `const Route& find(const Request& head) const`.
  template <RouteFinder Table>
  Application(Table table)
      : Application([kept = std::make_shared<const Table>(std::move(table))](
                        const Request& head) -> const Route& { return kept->find(head); }) {}

  template <RouteLookup Function>
  Application(Function lookup) : lookup_(std::move(lookup)) {}

  const Route& operator()(const Request& head) const { return lookup_(head); }

 private:
  std::function<const Route&(const Request& head)> lookup_;
};

/// Runs a handler: the one place where an exception becomes a 500. What the handler had set or
/// deferred by then is dropped. The exception's text goes to no client.
void run(const Handler& handler, const Request& request, Response& response) noexcept;

/// Fills `response` with an error: a small page for people with status, reason phrase and `detail`,
/// escaped, or the same as JSON for a client that prefers it. See Response::problem().
void error_page(Response& response, Status status, std::string_view detail);

}  // namespace stagecraft
