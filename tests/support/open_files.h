// How many descriptors this process may have.
#pragma once

#include <cstddef>

namespace stagecraft::testing {

/// Raises the limit on open files as far as may be without privileges; the programs that are
/// started from here on inherit it.
void raise_open_files();

/// The limit as it is.
std::size_t open_files();

}  // namespace stagecraft::testing
