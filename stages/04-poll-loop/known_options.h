// Which options this server knows.
#pragma once

#include "app/command_line.h"

namespace stagecraft {

/// What is particular to this server's command line.
inline constexpr StageFeatures features{
    .name = STAGECRAFT_STAGE,
    .max_connections = true,
};

}  // namespace stagecraft
