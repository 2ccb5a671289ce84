// What a client is told whose request makes no sense to an application.
#pragma once

#include <string_view>

#include "http/application.h"

namespace stagecraft {

/// Why something that a client sent is not accepted: a value, since clients do this every day. The
/// reason is a text of the program's own.
///
///     Form form;
///     if (const Refusal refusal = read_form(request, form)) return answer(response, refusal);
struct Refusal {
  Status status = Status::none;
  std::string_view reason;

  /// Whether there is anything to refuse.
  explicit operator bool() const { return status != Status::none; }
};

inline void answer(Response& response, const Refusal& refusal) {
  error_page(response, refusal.status, refusal.reason);
}

}  // namespace stagecraft
