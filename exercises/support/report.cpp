#include "report.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

// The submission runs in this process, so nothing here can be a real secret. But what the grader
// believes is not to be had by accident or by a line of code: the secret comes through stdin and is
// read before any constructor runs, the names below cannot be linked against, and the descriptor is
// none of those that a loop over the first hundreds would hit.
namespace stagecraft::exercise {
namespace {

constexpr int secret_bytes = 32;
constexpr int preferred_descriptor = 900;

struct Channel {
  char secret[secret_bytes] = {};
  int descriptor = -1;
  pid_t process = 0;
};
constinit Channel channel;  // set before constructors run, so none may touch it again

// With system calls only: the C++ library is not set up yet, and a test may replace read().
void open_channel(int /*argument_count*/, char** /*arguments*/, char** environment) {
  channel.process = getpid();
  const std::string_view wanted = "EXERCISE_REPORT=";
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).substr(0, wanted.size()) != wanted) continue;
    const int given = std::atoi(*entry + wanted.size());
    if (syscall(SYS_read, STDIN_FILENO, channel.secret, secret_bytes) != secret_bytes) return;
    const long moved = syscall(SYS_fcntl, given, F_DUPFD_CLOEXEC, preferred_descriptor);
    channel.descriptor = static_cast<int>(moved);
    if (moved < 0) {
      channel.descriptor = given;  // few descriptors are allowed here
      syscall(SYS_fcntl, given, F_SETFD, FD_CLOEXEC);
    } else {
      syscall(SYS_close, given);
    }
    return;
  }
}

__attribute__((section(".preinit_array"), used)) void (*const first_of_all)(int, char**,
                                                                            char**) = open_channel;

}  // namespace

bool is_graded() { return channel.descriptor >= 0; }

bool is_forked_child() { return getpid() != channel.process; }

void report_line(std::string_view json) {
  if (!is_graded() || is_forked_child()) return;
  std::string line(channel.secret, secret_bytes);
  line.append(" ").append(json).append("\n");
  for (std::string_view rest = line; !rest.empty();) {
    const long written = syscall(SYS_write, channel.descriptor, rest.data(), rest.size());
    if (written <= 0) return;  // the grader has gone
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace stagecraft::exercise
