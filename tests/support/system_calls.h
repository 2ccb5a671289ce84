// The system calls of a program, as strace(1) writes them down.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::testing {

/// One call, complete: `sendto(7, "HTTP/1.1 200"..., 161, MSG_NOSIGNAL, NULL, 0) = 161`.
struct SystemCall {
  int thread = 0;
  std::string name;
  std::string text;  ///< the whole line, without the thread

  /// The first argument, for calls that take a descriptor.
  int descriptor() const;
  /// What it returned; -1 if it failed.
  long result() const;
};

/// The words that start a program under strace, to be put before it and its arguments: the program
/// is then a child of whoever starts it, as without. `calls` are names with commas between them.
/// The file is whole when the program's output has ended.
std::vector<std::string> strace_to(const std::string& file, std::string_view calls);

/// The calls in such a file, in the order of their ends. A call that never ended is left out.
std::vector<SystemCall> system_calls_in(const std::string& file);

}  // namespace stagecraft::testing
