// Watches Catch2 run the cases, and keeps what became of them.
#pragma once

#include <string>

namespace stagecraft::conformance {

/// Where a line of JSON for each case goes, besides what Catch2 prints: a file, or `-` for stdout.
/// Throws std::runtime_error if it cannot be written.
void report_to(const std::string& path);

/// How many cases failed so far.
int failed_cases();

/// Whether Catch2 counts a failure which is none: a case that was left inside a CHECK.
bool left_inside_check();

}  // namespace stagecraft::conformance
