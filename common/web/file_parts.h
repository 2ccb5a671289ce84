// An open file as an answer, or the parts of it that a client asks for.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "net/unique_fd.h"
#include "web/preconditions.h"

namespace stagecraft {

/// Answers with a file of `size` bytes: 200 with all of it, 206 with one part or several, or 416,
/// as the request's Range and If-Range want it. `validators` are those that the answer has; see
/// answered_by_preconditions(), which comes first.
void answer_with_file(const Request& request, UniqueFd file, std::uint64_t size,
                      const Validators& validators, std::string_view type, Response& response);

}  // namespace stagecraft
