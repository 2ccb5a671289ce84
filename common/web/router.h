// From a request's path and method to the route that answers it.
#pragma once

#include <array>
#include <bitset>
#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "http/application.h"
#include "web/filter.h"
#include "web/path_pattern.h"
#include "web/path_tree.h"

namespace stagecraft {

/// A handler that is told what stands in the path.
using PathHandler = std::function<void(const Request&, Response&, PathParameters)>;

/// A table of paths, and of the methods that each of them knows. What is asked otherwise it answers
/// itself: 404, 405 with Allow, OPTIONS; and before a body that nobody wants has been sent.
///
///     Router router;
///     router.add("/health", {Method::get}, health);
///     router.add("/guests/{id: [0-9]+}", {Method::get},
///                [](const Request&, Response& response, PathParameters path) {
///                  response.text(path["id"]);
///                });
///     router.add("/report", {Method::post}, make_report, Where::pool);
///     auto admin = router.context("/admin", {basic_authentication("admin", users)});
///     admin.add("/log/...", {Method::get}, show_log);
///
/// The path chooses the resource (see PathPattern and PathTree), then the method the route. HEAD is
/// answered as GET is, and OPTIONS by 204 with Allow, unless they have a route of their own.
///
/// Filled by one thread before the server starts; from then on any number may look things up.
class Router {
 public:
  class Context;

  /// `filters` are around all its routes, also those for what does not exist.
  explicit Router(Filters filters = {});
  Router(Router&&) = default;
  Router& operator=(Router&&) = default;

  /// Serves the pattern by `route` for these methods. The route's own `pattern` is set here. Throws
  /// std::invalid_argument for a pattern that is none, and for a second route for the same.
  void add(std::string_view pattern, std::initializer_list<Method> methods, Route route) {
    add(pattern, methods, std::move(route), filters_);
  }
  /// A handler, and by one word where it runs (docs/decisions/0014-where-a-handler-runs.md).
  template <std::invocable<const Request&, Response&> F>
  void add(std::string_view pattern, std::initializer_list<Method> methods, F handle,
           Where where = Where::here) {
    add(pattern, methods, Route{std::move(handle), {}, where});
  }
  template <std::invocable<const Request&, Response&, PathParameters> F>
  void add(std::string_view pattern, std::initializer_list<Method> methods, F handle,
           Where where = Where::here) {
    add(pattern, methods, Route{bind(pattern, std::move(handle)), {}, where});
  }

  /// Serves every path that nothing else matches; counted as "...".
  void add_otherwise(std::initializer_list<Method> methods, Route route);

  /// A part of the paths with filters of its own, inside those of the router: all at `prefix`, as
  /// "/admin", and below, on whole segments. What does not exist there is filtered, too, so that a
  /// stranger learns nothing. Throws std::invalid_argument for a prefix that is none.
  Context context(std::string_view prefix, Filters filters = {});

  const Route& find(const Request& head) const { return find(head.method(), head.path()); }
  const Route& find(Method method, std::string_view path) const;

  /// find() as a server wants it. The router must stay where it is.
  Application application() const;

  /// What there is, in alphabetical order; the texts live as long as the router.
  std::vector<std::string_view> patterns() const;

  /// A PathHandler as an ordinary one, for routes that are put together by hand.
  static Handler bind(std::string_view pattern, PathHandler handle);

 private:
  static constexpr std::size_t method_count = static_cast<std::size_t>(Method::unknown) + 1;

  /// One pattern. It does not move: routes refer to it.
  class Resource {
   public:
    Resource(std::string_view name, const Filters& filters);
    Resource(const Resource&) = delete;
    Resource& operator=(const Resource&) = delete;

    void add(std::initializer_list<Method> methods, Route route, const Filters& filters);
    const Route& route(Method method) const;
    std::string_view pattern() const { return pattern_; }

   private:
    const Route* keep(Route route, const Filters& filters);
    void add_automatic(const Filters& filters);
    void list_allowed();

    const std::string pattern_;
    std::string allow_;  // "GET, HEAD, OPTIONS"
    std::deque<Route> routes_;
    const Route* otherwise_;  // for other methods: 404 while there is no route, then 405
    std::array<const Route*, method_count> by_method_{};
    std::bitset<method_count> automatic_;  // HEAD and OPTIONS that may still get their own
  };

  /// Of a path, which need not be made a string for that. Its size and both its ends tell most
  /// paths apart, whatever their length, and a stranger who asks for paths that are alike gains
  /// nothing by it: only the program puts any into the table.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view path) const noexcept;
  };

  void add(std::string_view pattern, std::initializer_list<Method> methods, Route route,
           const Filters& filters);
  Resource& resource(std::string_view pattern, const Filters& filters);

  Filters filters_;
  std::deque<Resource> resources_;
  // Plain paths, which most are, need one look-up. No other pattern matches one of them better.
  std::unordered_map<std::string, Resource*, Hash, std::equal_to<>> plain_;
  PathTree tree_;  // all others, by their place in resources_
  Resource* otherwise_ = nullptr;
  std::unique_ptr<const Route> not_found_;
};

/// A view of a router: what is added here is added there, below the prefix and with the filters.
/// The router must stay where it is meanwhile.
class Router::Context {
 public:
  /// As Router::add(). The pattern goes on from the prefix: "/log" is "/admin/log", and "" is
  /// "/admin" itself.
  void add(std::string_view pattern, std::initializer_list<Method> methods, Route route);
  template <std::invocable<const Request&, Response&> F>
  void add(std::string_view pattern, std::initializer_list<Method> methods, F handle,
           Where where = Where::here) {
    add(pattern, methods, Route{std::move(handle), {}, where});
  }
  template <std::invocable<const Request&, Response&, PathParameters> F>
  void add(std::string_view pattern, std::initializer_list<Method> methods, F handle,
           Where where = Where::here) {
    add(pattern, methods, Route{bind(below(pattern), std::move(handle)), {}, where});
  }
  Context context(std::string_view prefix, Filters filters = {});

 private:
  friend class Router;
  Context(Router& router, std::string prefix, Filters filters);
  std::string below(std::string_view pattern) const { return prefix_ + std::string(pattern); }

  Router* router_;
  std::string prefix_;
  Filters filters_;
};

/// The router as an application that owns it.
Application application(std::shared_ptr<const Router> router);

}  // namespace stagecraft
