// What stands before, behind and around many routes alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "http/application.h"
#include "http/attributes.h"

namespace stagecraft {

/// Makes of a route one that does more. It is applied once, when the route is added to a router, so
/// that a request pays for what the filter does and for nothing else. A filter that keeps state
/// shares it among all routes that it is applied to and all threads that serve them.
using Filter = std::function<Route(Route)>;

/// From the outermost inwards: the first is the first to see a request, and the last to see its
/// answer.
using Filters = std::vector<Filter>;

/// The route with all of them around it.
Route filtered(Route route, const Filters& filters);

/// Whether the request goes on to what is behind.
enum class Pass : std::uint8_t {
  on,
  answered  ///< the Response is the answer
};

/// Looks at each request once, before its body is asked for and before the handler: on the thread
/// of the session if there is a body, else where the handler runs. What it sets on a Response and
/// does not answer with is dropped: attributes are the way to tell a handler something, and after()
/// the way to set a field.
Filter before(std::function<Pass(const Request&, Response&)> look);

/// Sees each answer when it is sent, deferred ones too, and may change it; see Finish. Sees also
/// the answers of filters further inside, and those for paths and methods that do not exist.
Filter after(Finish look);

/// Runs in place of the handler, and calls it or does not. A handler that defers its answer has
/// returned before there is one: what concerns the answer belongs into after().
Filter around(std::function<void(const Handler& inner, const Request&, Response&)> run);

/// Changes how bodies are taken in: lowers the limit, or puts a sink before the one that is there
/// (see WrappingSink). Without any the body is gathered, and a filter that sets one has taken it.
Filter wrap_intake(std::function<void(const Request& head, Intake&)> wrap);

/// Lets all requests of the routes see one value, which it keeps: an attribute of a context.
template <typename T>
Filter with_attribute(const AttributeKey<T>& key, T value) {
  auto shared = std::make_shared<T>(std::move(value));
  return before([&key, shared](const Request& request, Response&) {
    request.attributes().refer(key, *shared);
    return Pass::on;
  });
}

/// A sink that stands before another one. sink_of() looks through it.
class WrappingSink : public BodySink {
 public:
  explicit WrappingSink(std::unique_ptr<BodySink> inner) : inner_(std::move(inner)) {}
  BodySink* inner() const { return inner_.get(); }
  std::uint64_t bytes_in_memory() const override { return inner_ ? inner_->bytes_in_memory() : 0; }

 private:
  std::unique_ptr<BodySink> inner_;
};

/// The request's sink as what `admit` made it, whatever filters have put before it; nullptr if it
/// is none of that type.
template <typename Sink>
Sink* sink_of(const Request& request) {
  BodySink* sink = request.sink();
  for (;;) {
    if (auto* const found = dynamic_cast<Sink*>(sink)) return found;
    const auto* const wrapping = dynamic_cast<const WrappingSink*>(sink);
    if (wrapping == nullptr) return nullptr;
    sink = wrapping->inner();
  }
}

}  // namespace stagecraft
