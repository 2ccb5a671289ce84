// Common answers in one line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http/response.h"

namespace stagecraft {

/// A page. What strangers wrote goes through append_html_escaped() (base/escape.h) or a Template
/// first.
void html(Response& response, std::string page);
/// JSON, as JsonObject (web/json.h) or the application made it.
void json(Response& response, std::string text);

/// Sends the client to another path of this server. RFC 9110 section 15.4: see_other makes a GET of
/// it, as one wants after a form; temporary_redirect and permanent_redirect repeat the request;
/// moved_permanently and found leave that to the client. Throws std::invalid_argument when
/// `location` is no local path (is_local_path), so that no stranger can choose where clients go, or
/// when the status does not redirect.
void redirect(Response& response, std::string_view location, Status status = Status::see_other);
/// The same to anywhere: for a location that the program has chosen itself.
void redirect_anywhere(Response& response, std::string_view location,
                       Status status = Status::see_other);
/// Whether a text leads to this server and nowhere else: it begins with one '/', and browsers do
/// not take it for the beginning of a host's name ("//host", "/\host"). For `?next=...`.
bool is_local_path(std::string_view text);

/// An answer that is made while it is sent: `next` appends the next piece, and says by Flow what
/// follows. It is called on the session's thread and must not block. A piece may be empty with
/// Flow::later only.
void stream_pieces(Response& response, std::function<Flow(std::string& piece)> next,
                   std::string_view type);

}  // namespace stagecraft
