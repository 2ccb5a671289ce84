#include "web/filter.h"

#include <algorithm>
#include <optional>

namespace stagecraft {

Route filtered(Route route, const Filters& filters) {
  std::for_each(filters.rbegin(), filters.rend(),
                [&route](const Filter& filter) { route = filter(std::move(route)); });
  return route;
}

Filter before(std::function<Pass(const Request&, Response&)> look) {
  using Look = std::function<Pass(const Request&, Response&)>;
  return [look = std::make_shared<const Look>(std::move(look))](Route route) {
    route.admit = [look, inner = std::move(route.admit)](
                      const Request& head, Response& response) -> std::optional<Intake> {
      if ((*look)(head, response) == Pass::answered) return std::nullopt;
      return inner ? inner(head, response) : Intake{};
    };
    route.handle = [look, inner = std::move(route.handle)](const Request& request,
                                                           Response& response) {
      const bool seen = request.announces_body();  // then it was admitted
      if (!seen && (*look)(request, response) == Pass::answered) return;
      inner(request, response);
    };
    return route;
  };
}

Filter after(std::function<void(const Request&, Response&)> look) {
  return [look = std::make_shared<const Finish>(std::move(look))](Route route) {
    route.finish = [look, inner = std::move(route.finish)](const Request& request,
                                                           Response& response) {
      if (inner) inner(request, response);
      (*look)(request, response);
    };
    return route;
  };
}

Filter around(std::function<void(const Handler&, const Request&, Response&)> run) {
  using Run = std::function<void(const Handler&, const Request&, Response&)>;
  return [run = std::make_shared<const Run>(std::move(run))](Route route) {
    route.handle = [run, inner = std::move(route.handle)](const Request& request,
                                                          Response& response) {
      (*run)(inner, request, response);
    };
    return route;
  };
}

Filter wrap_intake(std::function<void(const Request&, Intake&)> wrap) {
  using Wrap = std::function<void(const Request&, Intake&)>;
  return [wrap = std::make_shared<const Wrap>(std::move(wrap))](Route route) {
    route.admit = [wrap, inner = std::move(route.admit)](
                      const Request& head, Response& response) -> std::optional<Intake> {
      std::optional<Intake> intake = inner ? inner(head, response) : Intake{};
      if (intake) (*wrap)(head, *intake);
      return intake;
    };
    return route;
  };
}

}  // namespace stagecraft
