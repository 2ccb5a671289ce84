// A folder as a web site (--app files).
#pragma once

#include "app/command_line.h"
#include "web/router.h"

namespace stagecraft {

/// The files of --root at /, and nothing else; folders as lists if --listing says so. Throws
/// std::system_error if the folder cannot be opened.
Router file_routes(const ProgramOptions& options);

}  // namespace stagecraft
