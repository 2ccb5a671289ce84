#include "support/system_calls.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace stagecraft::testing {
namespace {

constexpr std::string_view unfinished = " <unfinished ...>";

// `<... epoll_wait resumed>rest` -> `rest`; nothing if the line is another one.
bool is_resumed(const std::string& text) { return text.compare(0, 5, "<... ") == 0; }

}  // namespace

int SystemCall::descriptor() const {
  const std::size_t bracket = text.find('(');
  return bracket == std::string::npos ? -1 : std::atoi(text.c_str() + bracket + 1);
}

long SystemCall::result() const {
  const std::size_t equals = text.rfind(" = ");
  return equals == std::string::npos ? -1 : std::atol(text.c_str() + equals + 3);
}

// -D: the tracer is the grandchild, so that signals and exit status are the program's own.
std::vector<std::string> strace_to(const std::string& file, std::string_view calls) {
  return {"/usr/bin/env",
          "strace",
          "-D",
          "-f",
          "-q",
          "-s",
          "64",
          "-e",
          "signal=none",
          "-e",
          "trace=" + std::string(calls),
          "-o",
          file};
}

std::vector<SystemCall> system_calls_in(const std::string& file) {
  std::vector<SystemCall> calls;
  std::map<int, std::string> begun;  // by thread: the first half of a call that waits
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    int thread = 0;
    std::string text;
    words >> thread >> std::ws;
    std::getline(words, text);
    if (text.size() > unfinished.size() &&
        text.compare(text.size() - unfinished.size(), std::string::npos, unfinished) == 0) {
      begun[thread] = text.substr(0, text.size() - unfinished.size());
      continue;
    }
    if (is_resumed(text)) text = begun[thread] + text.substr(text.find('>') + 1);
    const std::size_t bracket = text.find('(');
    if (bracket == std::string::npos || text.rfind(" = ") == std::string::npos) continue;
    calls.push_back({thread, text.substr(0, bracket), text});
  }
  return calls;
}

}  // namespace stagecraft::testing
