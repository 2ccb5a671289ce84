// Handlers that need no writing.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http/application.h"

namespace stagecraft {

/// Always the same answer: nothing is copied, and nothing allocated. Both must live as long as the
/// program.
Handler constant(std::string_view content, std::string_view type);

/// A status and a short text.
Handler answer_with(Status status, std::string text,
                    std::string type = "text/plain; charset=utf-8");

/// Sends everybody somewhere else, with the query that they came with. Throws
/// std::invalid_argument when `location` cannot be a Location field.
Handler redirect_to(std::string location, Status status = Status::permanent_redirect);

/// One handler for the requests that the predicate is true of, another for the rest.
Handler choose(std::function<bool(const Request&)> predicate, Handler if_true, Handler otherwise);

/// A route that gives one answer with or without a body, which it does not want: it comes before
/// the body.
Route refusal(Handler answer);

}  // namespace stagecraft
