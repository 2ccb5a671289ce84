// Which language a client would like best.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "http/request.h"

namespace stagecraft {

/// Of the languages that there are, as "de" or "pt-BR", the one that Accept-Language wants most.
/// "de-CH" is content with "de", and "de" with "de-CH" (RFC 4647 sections 3.3.1 and 3.4). Of equal
/// ones the one that the client named first; nullopt if it wants none of them, or does not say.
std::optional<std::string_view> best_language(const Request& request,
                                              std::span<const std::string_view> available);

}  // namespace stagecraft
