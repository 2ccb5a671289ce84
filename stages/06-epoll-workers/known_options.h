// Which options this server knows.
#pragma once

#include "app/command_line.h"

namespace stagecraft {

/// What is particular to this server's command line.
inline constexpr StageFeatures features{
    .name = STAGECRAFT_STAGE,
    .inherits_socket = true,
    .max_connections = true,
    .stack_size = true,
    .workers = true,
    .executor = true,
};

}  // namespace stagecraft
