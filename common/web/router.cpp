#include "web/router.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "web/canned.h"

namespace stagecraft {

namespace {

std::size_t index_of(Method method) { return static_cast<std::size_t>(method); }

Route not_found() {
  return refusal([](const Request&, Response& response) {
    error_page(response, Status::not_found, "there is nothing at this address");
  });
}

}  // namespace

// --- One pattern ---------------------------------------------------------------------------------

Router::Resource::Resource(std::string_view name, const Filters& filters)
    : pattern_(name), otherwise_(keep(not_found(), filters)) {}

const Route* Router::Resource::keep(Route route, const Filters& filters) {
  route.pattern = pattern_;
  routes_.push_back(filtered(std::move(route), filters));
  return &routes_.back();
}

void Router::Resource::add(std::initializer_list<Method> methods, Route route,
                           const Filters& filters) {
  if (allow_.empty()) add_automatic(filters);
  const Route* const kept = keep(std::move(route), filters);
  const auto head = index_of(Method::head);
  for (const Method method : methods) {
    const std::size_t index = index_of(method);
    if (by_method_[index] != nullptr && !automatic_[index]) {
      throw std::invalid_argument("there are two routes for " + std::string(name(method)) + ' ' +
                                  pattern_);
    }
    by_method_[index] = kept;
    automatic_[index] = false;
    if (method == Method::get && by_method_[head] == nullptr) {
      by_method_[head] = kept;
      automatic_[head] = true;
    }
  }
  list_allowed();
}

void Router::Resource::add_automatic(const Filters& filters) {
  otherwise_ =
      keep(refusal([this](const Request&, Response& response) {
             error_page(response, Status::method_not_allowed, "here one can use: " + allow_);
             response.set_field("Allow", allow_);
           }),
           filters);
  by_method_[index_of(Method::options)] = keep({[this](const Request&, Response& response) {
                                                 response.status(Status::no_content);
                                                 response.set_field("Allow", allow_);
                                               }},
                                               filters);
  automatic_[index_of(Method::options)] = true;
}

void Router::Resource::list_allowed() {
  allow_.clear();
  for (std::size_t index = 0; index < by_method_.size(); ++index) {
    if (by_method_[index] == nullptr) continue;
    if (!allow_.empty()) allow_ += ", ";
    allow_ += name(static_cast<Method>(index));
  }
}

const Route& Router::Resource::route(Method method) const {
  const Route* const route = by_method_[index_of(method)];
  return route == nullptr ? *otherwise_ : *route;
}

std::size_t Router::Hash::operator()(std::string_view path) const noexcept {
  using Word = std::uint64_t;
  Word first = 0;
  Word last = 0;
  if (path.size() >= sizeof(Word)) {
    std::memcpy(&first, path.data(), sizeof(Word));
    std::memcpy(&last, path.data() + path.size() - sizeof(Word), sizeof(Word));
  } else {
    for (const char c : path) first = first << 8 | static_cast<unsigned char>(c);
  }
  // Odd numbers without a pattern, so that every bit counts for the upper half of the product.
  const Word mixed = (first ^ path.size()) * 0x9e3779b97f4a7c15u + last * 0xc2b2ae3d27d4eb4fu;
  return mixed ^ mixed >> 32;
}

// --- All of them ---------------------------------------------------------------------------------

Router::Router(Filters filters)
    : filters_(std::move(filters)),
      not_found_(std::make_unique<const Route>(filtered(not_found(), filters_))) {}

void Router::add(std::string_view pattern, std::initializer_list<Method> methods, Route route,
                 const Filters& filters) {
  resource(pattern, filters).add(methods, std::move(route), filters);
}

// The one that there is for the pattern, or a new one.
Router::Resource& Router::resource(std::string_view pattern, const Filters& filters) {
  const PathPattern parsed(pattern);
  if (parsed.is_plain()) {
    Resource*& there = plain_[std::string(pattern)];
    if (there == nullptr) there = &resources_.emplace_back(pattern, filters);
    return *there;
  }
  const std::size_t number = tree_.add(parsed, resources_.size());
  if (number == resources_.size()) resources_.emplace_back(pattern, filters);
  return resources_[number];
}

void Router::add_otherwise(std::initializer_list<Method> methods, Route route) {
  if (otherwise_ == nullptr) otherwise_ = &resources_.emplace_back("...", filters_);
  otherwise_->add(methods, std::move(route), filters_);
}

const Route& Router::find(Method method, std::string_view path) const {
  if (const auto found = plain_.find(path); found != plain_.end()) {
    return found->second->route(method);
  }
  if (const auto number = tree_.find(path)) return resources_[*number].route(method);
  return otherwise_ == nullptr ? *not_found_ : otherwise_->route(method);
}

Application Router::application() const {
  return [this](const Request& head) -> const Route& { return find(head); };
}

std::vector<std::string_view> Router::patterns() const {
  std::vector<std::string_view> patterns;
  for (const Resource& resource : resources_) patterns.push_back(resource.pattern());
  std::sort(patterns.begin(), patterns.end());
  return patterns;
}

Handler Router::bind(std::string_view pattern, PathHandler handle) {
  return [text = std::string(pattern), handle = std::move(handle)](const Request& request,
                                                                   Response& response) {
    handle(request, response, PathParameters(text, request.path()));
  };
}

// --- A part of them ------------------------------------------------------------------------------

Router::Context Router::context(std::string_view prefix, Filters filters) {
  filters.insert(filters.begin(), filters_.begin(), filters_.end());
  return {*this, std::string(prefix), std::move(filters)};
}

Router::Context::Context(Router& router, std::string prefix, Filters filters)
    : router_(&router), prefix_(std::move(prefix)), filters_(std::move(filters)) {
  if (prefix_.ends_with('/')) {
    throw std::invalid_argument("the prefix " + prefix_ + " of a context ends in '/'");
  }
  // So that what does not exist is found here, and not outside of the filters.
  router_->resource(prefix_, filters_);
  router_->resource(below("/..."), filters_);
}

void Router::Context::add(std::string_view pattern, std::initializer_list<Method> methods,
                          Route route) {
  router_->add(below(pattern), methods, std::move(route), filters_);
}

Router::Context Router::Context::context(std::string_view prefix, Filters filters) {
  filters.insert(filters.begin(), filters_.begin(), filters_.end());
  return {*router_, below(prefix), std::move(filters)};
}

Application application(std::shared_ptr<const Router> router) {
  return [router = std::move(router)](const Request& head) -> const Route& {
    return router->find(head);
  };
}

}  // namespace stagecraft
