// A small real application: a book for guests, with pictures (--app guestbook).
#pragma once

#include <ctime>
#include <functional>

#include "web/router.h"
#include "web/session_cookie.h"

namespace stagecraft {

/// Guests log in by their name and the password that the page tells, write into the book, and may
/// add a file to what they write. It shows how the pieces of common/web fit together:
///
///     GET  /                     the book, and a form; or the form to log in
///     POST /login                name and password: begins a session in a signed cookie
///     POST /entries              multipart: text, and a file of up to 32 MiB
///     GET  /files/{id}/{name}    a guest's file, whole or in parts
///     POST /logout               ends the session
///     GET  /style.css
///
/// The book is kept in memory and its files in temporary files without names, so that all is gone
/// when the server ends. It has the last 100 entries; older ones are forgotten.
Router guestbook_routes(UnixTime now = unix_time);

}  // namespace stagecraft
