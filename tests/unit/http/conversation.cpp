#include "unit/http/conversation.h"

#include <utility>

#include "catch.h"
#include "unit/http/driver.h"

namespace stagecraft::testing {
namespace {

Conversation hold(const Application& application, std::string_view input, Client client,
                  const Limits& limits, Manner manner) {
  Driver driver(application, limits, manner);
  driver.feed(input);
  if (client == Client::half_closes) driver.end_input();
  Conversation conversation;
  const Step step = driver.run();
  const bool closed = step == Step::close || driver.shut_down;
  conversation.end = step == Step::reset ? End::reset : closed ? End::closed : End::kept;
  conversation.output = driver.output;
  conversation.lingers = driver.shut_down;
  return conversation;
}

}  // namespace

Site::Site() {
  missing_.handle = [](const Request&, Response& response) {
    error_page(response, Status::not_found, "no such path");
  };
  missing_.admit = [](const Request&, Response& response) {
    error_page(response, Status::not_found, "no such path");
    return std::nullopt;
  };
}

Site& Site::add(std::string path, Handler handler, Admit admit) {
  Route& route = routes_[std::move(path)];
  route.handle = std::move(handler);
  route.admit = std::move(admit);
  return *this;
}

Application Site::application() const {
  return [this](const Request& head) -> const Route& {
    const auto found = routes_.find(head.path());
    return found == routes_.end() ? missing_ : found->second;
  };
}

const Site& plain_site() {
  static const Site site =
      Site()
          .add("/", [](const Request&, Response& response) { response.text("hello"); })
          .add("/echo", [](const Request& request,
                           Response& response) { response.text(request.body(), ""); })
          .add("/close",
               [](const Request&, Response& response) {
                 response.text("bye");
                 response.close_after();
               })
          .add("/empty",
               [](const Request&, Response& response) { response.status(Status::no_content); });
  return site;
}

Conversation converse(const Application& application, std::string_view input, Client client,
                      const Limits& limits) {
  const Conversation whole = hold(application, input, client, limits, {});
  const auto require_same = [&](Manner manner) {
    const Conversation other = hold(application, input, client, limits, manner);
    CAPTURE(input, manner.receive, manner.first_receive, manner.send);
    REQUIRE(other.output == whole.output);
    REQUIRE((other.end == whole.end));
  };
  for (const std::size_t send : {std::size_t{1}, std::size_t{7}, all}) {
    require_same({all, all, send});
    require_same({1, 1, send});
    require_same({1000, 1000, send});
  }
  if (input.size() < 1000) {
    for (std::size_t split = 1; split < input.size(); ++split) require_same({all, split, all});
  }
  return whole;
}

std::vector<HttpResponse> read_answers(std::string_view output,
                                       const std::vector<std::string>& methods) {
  std::vector<HttpResponse> answers;
  std::size_t finals = 0;
  while (!output.empty()) {
    const std::string method = finals < methods.size() ? methods[finals] : "GET";
    std::optional<HttpResponse> answer = take_response(output, method, Stream::ended);
    REQUIRE(answer.has_value());
    if (!answer->interim()) ++finals;
    answers.push_back(std::move(*answer));
  }
  return answers;
}

std::string summary(std::string_view output, const std::vector<std::string>& methods) {
  std::string text;
  for (const HttpResponse& answer : read_answers(output, methods)) {
    if (!text.empty()) text += " | ";
    text += std::to_string(answer.status);
    if (answer.status >= 400) continue;  // the page is for people
    if (!answer.body.empty()) text += ' ' + answer.body;
  }
  return text;
}

}  // namespace stagecraft::testing
