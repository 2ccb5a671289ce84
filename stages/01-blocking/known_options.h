// Which options this server knows.
#pragma once

#include <chrono>

#include "app/command_line.h"

namespace stagecraft {

/// What is particular to this server's command line.
inline constexpr StageFeatures features{
    .name = STAGECRAFT_STAGE,
    .idle_timeout = std::chrono::seconds{1},
    .idle_timeout_reason = "Short, because a silent client holds the only thread",
};

}  // namespace stagecraft
