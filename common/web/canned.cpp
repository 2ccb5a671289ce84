#include "web/canned.h"

#include <optional>
#include <utility>

#include "web/answers.h"

namespace stagecraft {

Handler constant(std::string_view content, std::string_view type) {
  return
      [content, type](const Request&, Response& response) { response.body_forever(content, type); };
}

Handler answer_with(Status status, std::string text, std::string type) {
  return
      [status, text = std::move(text), type = std::move(type)](const Request&, Response& response) {
        response.status(status);
        response.text(text, type);
      };
}

Handler redirect_to(std::string location, Status status) {
  Response trial;  // says now what would otherwise be said to the first client
  redirect_anywhere(trial, location, status);
  return [location = std::move(location), status](const Request& request, Response& response) {
    if (request.query().empty()) return redirect_anywhere(response, location, status);
    const char separator = location.find('?') == std::string::npos ? '?' : '&';
    redirect_anywhere(response, location + separator + std::string(request.query()), status);
  };
}

Handler choose(std::function<bool(const Request&)> predicate, Handler if_true, Handler otherwise) {
  return [predicate = std::move(predicate), if_true = std::move(if_true),
          otherwise = std::move(otherwise)](const Request& request, Response& response) {
    (predicate(request) ? if_true : otherwise)(request, response);
  };
}

Route refusal(Handler answer) {
  Route route;
  route.handle = answer;
  route.admit = [answer = std::move(answer)](const Request& head,
                                             Response& response) -> std::optional<Intake> {
    answer(head, response);
    return std::nullopt;
  };
  return route;
}

}  // namespace stagecraft
