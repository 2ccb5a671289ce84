#include "app/route_table.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::string_view any_below = "/...";

std::size_t index_of(Method method) { return static_cast<std::size_t>(method); }

// Makes a route that gives the same answer with or without a body, which it does not want.
Route refusal(const std::function<void(Response&)>& answer) {
  Route route;
  route.handle = [answer](const Request&, Response& response) { answer(response); };
  route.admit = [answer](const Request&, Response& response) -> std::optional<Intake> {
    answer(response);
    return std::nullopt;
  };
  return route;
}

}  // namespace

RouteTable::Resource::Resource(std::string_view name) : pattern(name), allow("OPTIONS") {
  routes.push_back(refusal([this](Response& response) {
    error_page(response, Status::method_not_allowed, "here one can use: " + allow);
    response.set_field("Allow", allow);
  }));
  by_method.fill(&routes.back());
  routes.push_back({[this](const Request&, Response& response) {
    response.status(Status::no_content);
    response.set_field("Allow", allow);
  }});
  by_method[index_of(Method::options)] = &routes.back();
  for (Route& route : routes) route.pattern = pattern;
}

void RouteTable::Resource::add(std::initializer_list<Method> methods, Route route) {
  const Route* const not_allowed = &routes[0];
  route.pattern = pattern;
  routes.push_back(std::move(route));
  for (const Method method : methods) {
    by_method[index_of(method)] = &routes.back();
    const Route*& head = by_method[index_of(Method::head)];
    if (method == Method::get && head == not_allowed) head = &routes.back();
  }
  allow.clear();
  for (std::size_t index = 0; index < by_method.size(); ++index) {
    if (by_method[index] == not_allowed) continue;
    if (!allow.empty()) allow += ", ";
    allow += name(static_cast<Method>(index));
  }
}

RouteTable::RouteTable()
    : not_found_(refusal([](Response& response) {
        error_page(response, Status::not_found, "there is nothing at this address");
      })) {}

void RouteTable::add(std::string_view pattern, std::initializer_list<Method> methods, Route route) {
  std::string_view path = pattern;
  const bool prefix = path.ends_with(any_below);
  if (prefix) path.remove_suffix(any_below.size());
  Resources& resources = prefix ? prefix_ : exact_;
  resources.try_emplace(std::string(path), pattern).first->second.add(methods, std::move(route));
}

void RouteTable::add_otherwise(std::initializer_list<Method> methods, Route route) {
  otherwise_.try_emplace("", "...").first->second.add(methods, std::move(route));
}

const Route& RouteTable::find(Method method, std::string_view path) const {
  const Resource* const resource = match(path);
  return resource == nullptr ? not_found_ : *resource->by_method[index_of(method)];
}

const RouteTable::Resource* RouteTable::match(std::string_view path) const {
  if (const auto found = exact_.find(path); found != exact_.end()) return &found->second;
  // Cut at its last '/' again and again, so that the longest prefix is met first.
  constexpr std::size_t none = std::string_view::npos;
  for (std::size_t end = path.rfind('/'); end != none && !prefix_.empty();
       end = end == 0 ? none : path.rfind('/', end - 1)) {
    const auto found = prefix_.find(path.substr(0, end));
    if (found != prefix_.end()) return &found->second;
  }
  return otherwise_.empty() ? nullptr : &otherwise_.begin()->second;
}

Application RouteTable::application() const {
  return [this](const Request& head) -> const Route& { return find(head); };
}

std::vector<std::string_view> RouteTable::patterns() const {
  std::vector<std::string_view> patterns;
  for (const Resources* resources : {&exact_, &prefix_, &otherwise_}) {
    for (const auto& [path, resource] : *resources) patterns.push_back(resource.pattern);
  }
  std::sort(patterns.begin(), patterns.end());
  return patterns;
}

}  // namespace stagecraft
