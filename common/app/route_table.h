// From a request's path and method to the route that answers it.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/application.h"

namespace stagecraft {

/// A table of paths, and of the methods that each of them knows. What is asked otherwise it answers
/// itself: 404, 405 with Allow, OPTIONS; and before a body that nobody wants has been sent.
///
/// Filled by one thread; from then on any number may look things up.
class RouteTable {
 public:
  RouteTable();
  RouteTable(RouteTable&&) = default;
  RouteTable& operator=(RouteTable&&) = default;

  /// Serves `pattern` by `route` for these methods. A pattern is a path, "/health", or a path and
  /// all below it, "/files/...", which does not match "/filesystem"; the longest that matches
  /// counts. HEAD is answered as GET is, and OPTIONS by 204 with Allow, unless they have a route
  /// of their own. The route's own `pattern` is set here.
  void add(std::string_view pattern, std::initializer_list<Method> methods, Route route);

  /// The same for every path that no pattern matches; counted as "...".
  void add_otherwise(std::initializer_list<Method> methods, Route route);

  const Route& find(const Request& head) const { return find(head.method(), head.path()); }
  const Route& find(Method method, std::string_view path) const;

  /// find() as a server wants it. The table must stay where it is.
  Application application() const;

  /// What there is, in alphabetical order; the texts live as long as the table.
  std::vector<std::string_view> patterns() const;

 private:
  static constexpr std::size_t method_count = static_cast<std::size_t>(Method::unknown) + 1;

  /// One pattern. It does not move: routes refer to it.
  struct Resource {
    explicit Resource(std::string_view name);
    Resource(const Resource&) = delete;
    Resource& operator=(const Resource&) = delete;
    void add(std::initializer_list<Method> methods, Route route);

    std::string pattern;
    std::string allow;  // "GET, HEAD, OPTIONS"
    std::deque<Route> routes;
    std::array<const Route*, method_count> by_method;
  };

  /// So that a string_view can be looked up without making a string of it.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Resources = std::unordered_map<std::string, Resource, Hash, std::equal_to<>>;

  const Resource* match(std::string_view path) const;

  Resources exact_;   // by path
  Resources prefix_;  // "/files/..." by "/files"
  Resources otherwise_;
  Route not_found_;
};

}  // namespace stagecraft
