// A bounded number of threads for any number of clients.
#pragma once

#include <cstddef>

/// Serves all who connect at `listener`, for ever, with `workers` threads for the answers and at
/// most two besides: the calling one, and one more. A client that is silent holds none of them, and
/// may be silent for as long as it likes.
void serve(int listener, std::size_t workers);
