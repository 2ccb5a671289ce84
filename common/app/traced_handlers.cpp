#include "app/traced_handlers.h"

#include <memory>
#include <unordered_map>
#include <utility>

#include "base/thread_annotations.h"

namespace stagecraft {

namespace {

// Tells that a handler is left also if it throws.
class Stay {
 public:
  Stay(Telemetry& telemetry, const Request& request, std::string_view pattern)
      : telemetry_(telemetry), request_(request) {
    telemetry_.entered(request_, pattern);
  }
  ~Stay() { telemetry_.left(request_); }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;

 private:
  Telemetry& telemetry_;
  const Request& request_;
};

// A server takes routes by reference, so that each must live as long as the one it is made of.
class TracedRoutes {
 public:
  TracedRoutes(Application application, Telemetry& telemetry)
      : application_(std::move(application)), telemetry_(telemetry) {}

  const Route& find(const Request& head) EXCLUDES(mutex_) {
    const Route& route = application_(head);
    MutexLock lock(mutex_);
    const auto [entry, is_new] = traced_.try_emplace(&route);
    if (is_new) entry->second = traced(route);
    return entry->second;
  }

 private:
  Route traced(const Route& route) {
    Route copy = route;
    copy.handle = [&route, &telemetry = telemetry_](const Request& request, Response& response) {
      const Stay stay(telemetry, request, route.pattern);
      route.handle(request, response);
    };
    return copy;
  }

  const Application application_;
  Telemetry& telemetry_;
  Mutex mutex_;
  std::unordered_map<const Route*, Route> traced_ GUARDED_BY(mutex_);  // its entries never move
};

}  // namespace

Application trace_handlers(Application application, Telemetry& telemetry) {
  const auto routes = std::make_shared<TracedRoutes>(std::move(application), telemetry);
  return Application([routes](const Request& head) -> const Route& { return routes->find(head); });
}

}  // namespace stagecraft
