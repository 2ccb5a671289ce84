// What is wrong with a command line, in one line of plain words.
#pragma once

#include <CLI/Error.hpp>
#include <string>

namespace stagecraft {

/// What the library says, made to name the option and to fit one line.
std::string message_of(const CLI::ParseError& error);

}  // namespace stagecraft
