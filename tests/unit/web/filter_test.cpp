// What stands before, behind and around a route.
#include "web/filter.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "catch.h"
#include "unit/app/asking.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view expecting = "Expect: 100-continue\r\nContent-Length: 5\r\n";

Route text_route(std::string text) {
  return {[text](const Request&, Response& response) { response.text(text); }};
}

HttpResponse answer_of(const Route& route, std::string_view target = "GET /",
                       std::string_view fields = {}, std::string_view body = {}) {
  return ask([&route](const Request&) -> const Route& { return route; }, target, fields, body);
}

// Writes its name into a list when it sees a request, and when it sees the answer.
Filters tracing(std::string& seen, const std::string& name) {
  return {before([&seen, name](const Request&, Response&) {
            seen += name + "< ";
            return Pass::on;
          }),
          after([&seen, name](const Request&, Response&) { seen += name + "> "; })};
}

// Turns its letters into capitals on their way.
class Capitals : public WrappingSink, public BodySource {
 public:
  explicit Capitals(std::unique_ptr<BodySink> inner) : WrappingSink(std::move(inner)) {}
  explicit Capitals(std::unique_ptr<BodySource> source)
      : WrappingSink(nullptr), source_(std::move(source)) {}

  Status write(std::span<const char> piece) override {
    std::string text(piece.begin(), piece.end());
    raise(text);
    return inner()->write(text);
  }
  Produced produce(std::span<char> room) override {
    const Produced produced = source_->produce(room);
    raise(room.first(produced.bytes));
    return produced;
  }

 private:
  static void raise(std::span<char> text) {
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  std::unique_ptr<BodySource> source_;
};

class Keeper : public BodySink {
 public:
  Status write(std::span<const char> piece) override {
    text.append(piece.data(), piece.size());
    return Status::ok;
  }
  std::string text;
};

constexpr AttributeKey<std::string> note_key{"note"};
constexpr AttributeKey<int> other_key{"other"};

}  // namespace

TEST_CASE("The first filter is the outermost") {
  std::string seen;
  Filters filters = tracing(seen, "a");
  for (const Filter& filter : tracing(seen, "b")) filters.push_back(filter);
  const Route route = filtered({[&seen](const Request&, Response& response) {
                                 seen += "handler ";
                                 response.text("x");
                               }},
                               filters);
  answer_of(route);
  CHECK(seen == "a< b< handler b> a> ");
}

TEST_CASE("A request with a body is seen once, before the body") {
  std::string seen;
  const Route route = filtered(text_route("x"), tracing(seen, "a"));
  CHECK(answer_of(route, "POST /", {}, "12345").body == "x");
  CHECK(seen == "a< a> ");
}

TEST_CASE("A filter can answer itself, and does so before a body is asked for") {
  bool handled = false;
  const Route route = filtered({[&handled](const Request&, Response&) { handled = true; }},
                               {before([](const Request&, Response& response) {
                                 error_page(response, Status::forbidden, "no");
                                 return Pass::answered;
                               })});
  CHECK(answer_of(route).status == 403);
  CHECK(answer_of(route, "POST /", expecting).status == 403);
  CHECK_FALSE(handled);
}

TEST_CASE("A filter sees every kind of answer when it is sent") {
  const Filters mark{after([](const Request& request, Response& response) {
    response.set_field("X-Path", request.path());
  })};
  const auto marked = [&mark](Route route, std::string_view target = "GET /a",
                              std::string_view fields = {}, std::string_view body = {}) {
    return answer_of(filtered(std::move(route), mark), target, fields, body).field("X-Path") ==
           "/a";
  };
  CHECK(marked(text_route("x")));
  CHECK(marked({[](const Request&, Response&) { throw std::runtime_error("broken"); }}));
  CHECK(marked({[](const Request&, Response& response) {
    Responder responder = response.defer();
    Response answer;
    answer.text("late");
    std::move(responder).send(std::move(answer));
  }}));
  CHECK(marked({[](const Request&, Response& response) { response.defer(); }}));  // dropped: 500
  const Route small{text_route("x").handle, [](const Request&, Response&) {
                      return Intake{3, nullptr};
                    }};
  CHECK(marked(small, "POST /a", {}, "12345"));  // 413
  const Route refuses{text_route("x").handle,
                      [](const Request&, Response& response) -> std::optional<Intake> {
                        response.status(Status::unsupported_media_type);
                        return std::nullopt;
                      }};
  CHECK(marked(refuses, "POST /a", expecting));
}

TEST_CASE("A filter that fails makes a 500, and the connection still ends as it would have") {
  const Route route =
      filtered({[](const Request&, Response& response) {
                 response.text("x");
                 response.close_after();
               }},
               {after([](const Request&, Response&) { throw std::runtime_error("broken"); })});
  const HttpResponse answer = answer_of(route);
  CHECK(answer.status == 500);
  CHECK(answer.lists("Connection", "close"));
}

TEST_CASE("A filter can run in place of the handler") {
  const Filters rescue{around([](const Handler& inner, const Request& request, Response& response) {
    try {
      inner(request, response);
    } catch (const std::runtime_error& error) {
      response.reset();
      response.status(Status::bad_gateway);
      response.text(error.what());
    }
  })};
  CHECK(answer_of(filtered(text_route("x"), rescue)).body == "x");
  const HttpResponse saved = answer_of(
      filtered({[](const Request&, Response&) { throw std::runtime_error("told"); }}, rescue));
  CHECK(saved.status == 502);
  CHECK(saved.body == "told");
}

TEST_CASE("A filter can wrap the request's body") {
  const Filters raise{wrap_intake([](const Request&, Intake& intake) {
    intake.sink = std::make_unique<Capitals>(std::move(intake.sink));
  })};
  const Route route = filtered({[](const Request& request, Response& response) {
                                  const Keeper* const keeper = sink_of<Keeper>(request);
                                  response.text(keeper == nullptr ? "" : keeper->text);
                                },
                                [](const Request&, Response&) {
                                  return Intake{100, std::make_unique<Keeper>()};
                                }},
                               raise);
  CHECK(answer_of(route, "POST /", {}, "abc").body == "ABC");
}

TEST_CASE("A filter can wrap the answer's body, of whatever kind it is") {
  const Filters raise{after([](const Request&, Response& response) {
    const auto size = response.body_size();
    if (auto source = response.take_body()) {
      response.stream(std::make_unique<Capitals>(std::move(source)), "text/plain", size);
    }
  })};
  const auto raised = [&raise](Handler handler) {
    return answer_of(filtered({std::move(handler)}, raise)).body;
  };
  CHECK(raised([](const Request&, Response& out) { out.text("short"); }) == "SHORT");
  CHECK(raised([](const Request&, Response& out) { out.body_forever("ever", "a/b"); }) == "EVER");
  const std::string large(100'000, 'l');
  CHECK(raised([&](const Request&, Response& out) { out.body(large, "a/b"); }) ==
        std::string(100'000, 'L'));
  CHECK(raised([](const Request&, Response& out) { out.status(Status::no_content); }).empty());
  CHECK(raised([](const Request&, Response& out) { out.text(""); }).empty());
}

TEST_CASE("A body without a size is one after wrapping, too") {
  Response response;
  CHECK(response.body_size() == 0);
  CHECK(response.take_body() == nullptr);
  response.text("four");
  CHECK(response.body_size() == 4);
  auto source = response.take_body();
  CHECK(response.body_size() == 0);
  response.stream(std::move(source), "text/plain");
  CHECK_FALSE(response.body_size());
}

TEST_CASE("Attributes belong to one request") {
  bool found = true;
  const Route route = filtered({[&found](const Request& request, Response& response) {
                                 const std::string* note = request.attributes().find(note_key);
                                 found = note != nullptr;
                                 response.text(found ? *note : "none");
                               }},
                               {before([](const Request& request, Response&) {
                                 if (request.query() == "note")
                                   request.attributes().set(note_key, std::string("noted"));
                                 return Pass::on;
                               })});
  CHECK(answer_of(route, "GET /?note").body == "noted");
  const auto application = [&route](const Request&) -> const Route& { return route; };
  const std::string both = request("GET /?note") + request("GET /");
  CHECK(ask_raw(application, both).body == "none");
  CHECK_FALSE(found);
}

TEST_CASE("An attribute is given back when the request is over, however it ends") {
  int count = 0;
  const auto release = [](void* value) { ++*static_cast<int*>(value); };
  const Route route{[&](const Request& request, Response& response) {
    request.attributes().refer(other_key, count, release);
    if (request.path() == "/throws") throw std::runtime_error("broken");
    response.text("x");
    if (request.path() == "/closes") response.close_after();
  }};
  answer_of(route);
  CHECK(count == 1);
  answer_of(route, "GET /throws");
  CHECK(count == 2);
  answer_of(route, "GET /closes");
  CHECK(count == 3);
}

TEST_CASE("An attribute that is set again takes the place of the first") {
  Attributes attributes;
  attributes.set(note_key, std::string("one"));
  attributes.set(note_key, std::string("two"));
  attributes.set(other_key, 3);
  const std::string* note = attributes.find(note_key);
  const int* other = attributes.find(other_key);
  CHECK((note != nullptr && *note == "two"));
  CHECK((other != nullptr && *other == 3));
  attributes.clear();
  CHECK(attributes.find(note_key) == nullptr);
}

TEST_CASE("All requests of a context can share a value") {
  const Route route = filtered({[](const Request& request, Response& response) {
                                 std::string* note = request.attributes().find(note_key);
                                 REQUIRE(note != nullptr);
                                 note->push_back('!');
                                 response.text(*note);
                               }},
                               {with_attribute(note_key, std::string("shared"))});
  CHECK(answer_of(route).body == "shared!");
  CHECK(answer_of(route).body == "shared!!");
}
